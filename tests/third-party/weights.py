"""Writes an untrained model: a few kilobytes of random weights, in the format of llama.cpp.

It generates meaningless text, which is sufficient for testing a wire. Its tokenizer has the marks of models that fill
in the middle.
"""

import gguf
import numpy

SEED = 7
WIDTH = 64
# Enough layers for an answer to take a moment, so that it can be cancelled.
LAYERS = 24
HEADS = 4
# Maximum number of input and output tokens together.
WINDOW = 16_384
MARKS = ["<|endoftext|>", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"]
# The tokens that it can generate: letters of a name, which passes every ghost text filter, and the end token.
SAYS = [*b"abcdefghijklmnopqrstuvwxyz_", 256]


def letters():
    """The character for each byte in vocabularies like GPT-2's: the byte itself if it is printable."""
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printed]
    signs = {byte: chr(byte) for byte in printed}
    signs.update({byte: chr(256 + at) for at, byte in enumerate(others)})
    return [signs[byte] for byte in range(256)]


def write(path, name):
    """Writes the model."""
    tokens = letters() + MARKS
    types = [gguf.TokenType.NORMAL] * 256 + [gguf.TokenType.CONTROL] * len(MARKS)
    out = gguf.GGUFWriter(path, "llama")
    out.add_name(name)
    out.add_context_length(WINDOW)
    out.add_embedding_length(WIDTH)
    out.add_block_count(LAYERS)
    out.add_feed_forward_length(2 * WIDTH)
    out.add_head_count(HEADS)
    out.add_head_count_kv(HEADS)
    out.add_layer_norm_rms_eps(1e-5)
    out.add_rope_dimension_count(WIDTH // HEADS)
    out.add_vocab_size(len(tokens))
    out.add_tokenizer_model("gpt2")
    out.add_tokenizer_pre("gpt-2")
    out.add_token_list(tokens)
    out.add_token_types(types)
    out.add_token_merges(["a b"])
    for mark, kind in zip(range(256, 260), ["eos", "fim_pre", "fim_suf", "fim_mid"]):
        out.add_uint32(f"tokenizer.ggml.{kind}_token_id", mark)
    out.add_add_bos_token(False)

    dice = numpy.random.default_rng(SEED)

    def add(name, values):
        out.add_tensor(f"{name}.weight", values.astype(numpy.float32))

    def matrix(*shape):
        return dice.standard_normal(shape) / shape[-1] ** 0.5

    def addend(*shape):
        # Keeps the first component unchanged, so that it is the same everywhere: see below.
        values = matrix(*shape)
        values[0] = 0
        return values

    embedding = dice.standard_normal((len(tokens), WIDTH))
    embedding[:, 0] = 8
    add("token_embd", embedding)
    # The first component suppresses all tokens that it must not generate; the others are random.
    output = matrix(len(tokens), WIDTH)
    output[:, 0] = -8
    output[SAYS, 0] = 0
    add("output", output)
    add("output_norm", numpy.ones(WIDTH))
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        for part in ("attn_norm", "ffn_norm"):
            add(f"{block}.{part}", numpy.ones(WIDTH))
        for part in ("attn_q", "attn_k", "attn_v"):
            add(f"{block}.{part}", matrix(WIDTH, WIDTH))
        add(f"{block}.attn_output", addend(WIDTH, WIDTH))
        add(f"{block}.ffn_gate", matrix(2 * WIDTH, WIDTH))
        add(f"{block}.ffn_up", matrix(2 * WIDTH, WIDTH))
        add(f"{block}.ffn_down", addend(WIDTH, 2 * WIDTH))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()
