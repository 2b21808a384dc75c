"""Does the context that is chosen help a language model?

At random places of real files three lines are taken out. A model reads what a way to choose context gives it of
other files, then the 40 lines before the place, and is asked how likely the true lines are: in bits per character,
over all of them and over the names that the rest of the file lacks. Fewer bits are better. Each place and way is a
line of JSON in the file of results; those that are there already are not asked for again.

The two engines: `model` is a small causal model; `counts` is a stand-in of n-grams for tuning, which rewards what
can be copied and needs a hundredth of the time.
"""

import argparse
import collections
import json
import math
import os
import random
import re
import shutil
import subprocess
import tempfile

import engines
import ways

NEXT = 3
BEFORE = 40
SUFFIXES = [".c", ".cpp", ".cs", ".go", ".java", ".js", ".lua", ".php", ".py", ".rb", ".rs", ".ts"]
SKIPPED = {".git", "target", "node_modules", "vendor", "dist"}


class Place:
    """Three lines of a file, and the values computed for them."""

    def __init__(self, path, line, lines, known):
        self.path, self.line = path, line
        self.above, self.below = lines[:line], lines[line + NEXT :]
        wanted = lines[line : line + NEXT]
        self.text = "\n".join(wanted) + "\n"
        own = set(ways.NAME.findall("\n".join(self.above + self.below)))
        names = ways.NAME.findall(self.text)
        self.missing = {name for name in names if name not in own and known[name] >= 2}

    def head(self, shown):
        return f"{ways.MARK}{shown}\n" + "\n".join(self.above[-BEFORE:]) + "\n"


class Project:
    """A copy of a folder, with its files of one language."""

    def __init__(self, root, work):
        self.name = os.path.basename(os.path.abspath(root))
        self.tree = os.path.join(work, self.name)
        shutil.copytree(root, self.tree, ignore=shutil.ignore_patterns(*SKIPPED), symlinks=True)
        subprocess.run(["git", "init", "-q", self.tree], check=True)
        by_suffix = collections.defaultdict(dict)
        for folder, _, names in os.walk(self.tree):
            for name in names:
                path, suffix = os.path.join(folder, name), os.path.splitext(name)[1]
                if suffix in SUFFIXES and os.path.isfile(path):
                    try:
                        with open(path, newline="", encoding="utf-8") as file:
                            by_suffix[suffix][path] = file.read()
                    except UnicodeDecodeError:
                        continue
        self.texts = max(by_suffix.values(), key=lambda texts: sum(map(len, texts.values())))

    def places(self, count, seed):
        known = collections.Counter(
            name for text in self.texts.values() for name in set(ways.NAME.findall(text))
        )
        lines = {path: text.split("\n") for path, text in sorted(self.texts.items())}
        stops = [
            (path, line)
            for path, all_lines in lines.items()
            if 60 <= len(all_lines) <= 1500
            for line in range(30, len(all_lines) - NEXT - 2)
        ]
        random.Random(seed).shuffle(stops)
        found = (Place(path, line, lines[path], known) for path, line in stops)
        return [place for place, _ in zip((it for it in found if it.missing), range(count))]


def measure(engine, project, place, way, budget):
    """Bits and characters of the true lines, and those of the missing names."""
    context = ways.WAYS[way](project, place, budget, engine.tokens)
    head = place.head(os.path.relpath(place.path, project.tree))
    pieces, read = engine.bits(context + head, place.text)
    is_missing = [False] * len(place.text)
    for match in ways.NAME.finditer(place.text):
        if match[0] in place.missing:
            is_missing[match.start() : match.end()] = [True] * len(match[0])
    at, of_names, letters = 0, 0.0, 0
    for text, bits in pieces:
        here = sum(is_missing[at : at + len(text)])
        at += len(text)
        if here:
            of_names, letters = of_names + bits, letters + here
    total = sum(bits for _, bits in pieces)
    return {"all": total / len(place.text), "names": of_names / letters if letters else None, "read": read}


def mean(values):
    return sum(values) / len(values) if values else math.nan


def error(values):
    """The standard error of the mean."""
    if len(values) < 2:
        return math.nan
    middle = mean(values)
    return math.sqrt(sum((it - middle) ** 2 for it in values) / (len(values) - 1) / len(values))


def report(results):
    """A table for each project and budget. Each way is compared with no context place by place."""
    groups = collections.defaultdict(lambda: collections.defaultdict(dict))
    for (engine, project, path, line, way, budget), it in results.items():
        groups[engine, project, budget][way][path, line] = it
    for engine, project, budget in sorted(key for key in groups if key[2]):
        none = groups[engine, project, 0]["none"]
        print(f"\n{project}, {budget} tokens of other files, judged by {engine}\n")
        print("| way | places | all | gain | missing names | gain | tokens read |")
        print("|---|---|---|---|---|---|---|")
        for way, places in [("none", none), *groups[engine, project, budget].items()]:
            cells = [way, str(len(places))]
            for figure in ["all", "names"]:
                both = [
                    (none[at][figure], it[figure])
                    for at, it in places.items()
                    if at in none and it[figure] is not None
                ]
                gains = [before - after for before, after in both]
                cells += [f"{mean([it for _, it in both]):.3f}", f"{mean(gains):+.3f} ± {error(gains):.3f}"]
            cells.append(f"{mean([it['read'] for it in places.values()]):.0f}")
            print("| " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--places", type=int, default=40, help="of each folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--budgets", default="500,1500", help="tokens of other files")
    parser.add_argument("--ways", default="none,jaccard,bm25,tandem,oracle", help=", ".join(ways.WAYS))
    parser.add_argument("--engine", choices=engines.ENGINES, default="model")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--results", required=True, help="a file of JSON lines, which is added to")
    parser.add_argument("folders", nargs="*", help="without any, the results are printed")
    options = parser.parse_args()
    results = {}
    if os.path.exists(options.results):
        with open(options.results, encoding="utf-8") as file:
            for line in file:
                it = json.loads(line)
                results[tuple(it["key"])] = it
    engine = engines.ENGINES[options.engine](options.threads) if options.folders else None
    asked = [(way, int(budget)) for budget in options.budgets.split(",") for way in options.ways.split(",")]
    asked = dict.fromkeys((way, 0 if way == "none" else budget) for way, budget in asked)
    with tempfile.TemporaryDirectory() as work, open(options.results, "a", encoding="utf-8") as file:
        for folder in options.folders:
            project = Project(folder, work)
            for place in project.places(options.places, options.seed):
                shown = os.path.relpath(place.path, project.tree)
                for way, budget in asked:
                    key = (options.engine, project.name, shown, place.line + 1, way, budget)
                    if key not in results:
                        results[key] = {"key": key, **measure(engine, project, place, way, budget)}
                        file.write(json.dumps(results[key]) + "\n")
                        file.flush()
    report(results)


if __name__ == "__main__":
    main()
