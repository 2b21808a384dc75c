"""Ways to choose the context from other files for a model.

Each takes a project, a place, a budget of tokens, and a function that counts tokens.
"""

import collections
import functools
import json
import math
import os
import re
import subprocess

MARK = "<file_sep>"
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,}")
# Lines of a window, and the distance between the starts of two.
WINDOW, STEP = 20, 10
# Lines before a place with which windows are compared.
NEAR = 20
MOST_WINDOWS = 40
CONFIGURATION = """
[providers.none]
base_url = "http://127.0.0.1:9/v1"
wire = "chat"
[fast]
candidates = [{ provider = "none", model = "none" }]
"""


def shown(project, path, text):
    return f"{MARK}{os.path.relpath(path, project.tree)}\n{text}\n"


def none(project, place, budget, tokens):
    return ""


@functools.cache
def windows(project):
    found = []
    for path, text in project.texts.items():
        lines = text.split("\n")
        for first in range(0, max(1, len(lines) - STEP), STEP):
            window = "\n".join(lines[first : first + WINDOW])
            found.append((path, window, collections.Counter(NAME.findall(window))))
    return found


def fill(pieces, budget, tokens):
    """The best pieces that fit; the very best last, next to the code."""
    taken, spent = [], 0
    for piece in pieces:
        size = tokens(piece)
        if spent + size <= budget:
            taken.append(piece)
            spent += size
    return "".join(reversed(taken))


def best_windows(project, place, budget, tokens, score):
    others = [it for it in windows(project) if it[0] != place.path]
    best = sorted(others, key=lambda it: -score(it[2]))[:MOST_WINDOWS]
    return fill((shown(project, path, text) for path, text, _ in best), budget, tokens)


def by_overlap(names):
    wanted = set(names)
    return lambda window: len(wanted & window.keys()) / (len(wanted | window.keys()) or 1)


def jaccard(project, place, budget, tokens):
    near = NAME.findall("\n".join(place.above[-NEAR:]))
    return best_windows(project, place, budget, tokens, by_overlap(near))


def oracle(project, place, budget, tokens):
    """Chosen by the true lines: an upper bound for choosing windows."""
    return best_windows(project, place, budget, tokens, by_overlap(NAME.findall(place.text)))


@functools.cache
def spread(project):
    return collections.Counter(name for _, _, names in windows(project) for name in names)


def bm25(project, place, budget, tokens):
    near = set(NAME.findall("\n".join(place.above[-NEAR:])))
    all_windows, having = len(windows(project)), spread(project)
    average = sum(having.values()) / all_windows

    def score(window):
        length = 0.25 + 0.75 * len(window) / average
        counts = [(window[it], having[it]) for it in near & window.keys()]
        return sum(
            math.log(1 + (all_windows - them + 0.5) / (them + 0.5)) * 2.2 * here / (here + 1.2 * length)
            for here, them in counts
        )

    return best_windows(project, place, budget, tokens, score)


def heads(project, place, budget, tokens):
    """The beginnings of the files whose names occur in the file's own head: roughly, its imports."""
    head = set(re.findall(r"\w+", "\n".join(place.above[:40])))
    stem = lambda path: os.path.splitext(os.path.basename(path))[0]
    imported = [path for path in project.texts if path != place.path and stem(path) in head]
    cut = ("\n".join(project.texts[path].split("\n")[:40]) for path in imported)
    return fill((shown(project, path, text) for path, text in zip(imported, cut)), budget, tokens)


@functools.lru_cache(maxsize=4)
def gathered(project, place):
    """The context that `tandem context` would send from other files, where the true lines are missing."""
    home = os.path.join(os.path.dirname(project.tree), "home")
    os.makedirs(home, exist_ok=True)
    configuration = os.path.join(home, "config.toml")
    with open(configuration, "w", encoding="utf-8") as file:
        file.write(CONFIGURATION)
    indent = re.match(r"[ \t]*", place.text)[0]
    try:
        with open(place.path, "w", newline="", encoding="utf-8") as file:
            file.write("\n".join([*place.above, indent, *place.below]))
        at = f"{os.path.relpath(place.path, project.tree)}:{place.line + 1}:{len(indent) + 1}"
        printed = subprocess.run(
            [os.environ["TANDEM_BIN"], "context", "--json", at],
            cwd=project.tree,
            env=dict(os.environ, TANDEM_CONFIG=configuration, HOME=home, XDG_CACHE_HOME=home),
            capture_output=True,
            check=True,
        )
    finally:
        with open(place.path, "w", newline="", encoding="utf-8") as file:
            file.write(project.texts[place.path])
    parts = []
    for file in json.loads(printed.stdout)["related"]:
        parts += [{"path": file["path"], "kind": file["kind"], **part} for part in file["parts"]]
    return parts


def tandem(project, place, budget, tokens, without=lambda part: False):
    """Tandem's choice, in its order. Omitted parts leave room for more of the rest."""
    parts = [part for part in gathered(project, place) if not without(part)]
    taken, spent = set(), 0
    for at in sorted(range(len(parts)), key=lambda at: parts[at]["needs"]):
        size = tokens(f"{MARK}{parts[at]['path']}\n{parts[at]['text']}")
        if spent + size <= budget:
            taken.add(at)
            spent += size
    context, last = "", None
    for at in sorted(taken):
        part = parts[at]
        if (part["kind"], part["path"]) != last:
            context += f"{MARK}{part['path']}\n"
        context += part["text"]
        last = (part["kind"], part["path"])
    return context


WAYS = {
    "none": none,
    "heads": heads,
    "jaccard": jaccard,
    "bm25": bm25,
    "tandem": tandem,
    "no-signatures": functools.partial(tandem, without=lambda part: part["kind"] == "signatures"),
    "no-code": functools.partial(tandem, without=lambda part: part["kind"] == "excerpt"),
    "oracle": oracle,
}
