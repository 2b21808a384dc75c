"""Scenes: a document and a true edit of it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from languages import BY_NAME, Block, Language, blocks, indent_of, sources, statements
from model import Change, Document, Unsuited, applied

WORDS = "amber birch cedar delta ember fjord grove heron indigo juniper karst lumen".split()
KEYWORDS = set(
    "let mut const self this await async new static struct unsigned char long double int bool "
    "boolean local final void size_t float string none null some true false not and range in is "
    "lambda yield printf var type func typeof delete sizeof goto info run uses name env "
    "map return throw for while if else elif except with as import".split()
)


@dataclass(frozen=True)
class Scene:
    """A document and the changes that a model was asked for."""

    document: Document
    changes: tuple[Change, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        return self.document.lines

    @property
    def language(self) -> Language:
        return BY_NAME[self.document.language]

    def target(self) -> Document:
        return self.document.with_lines(applied(self.lines, self.changes))


def loosely(line: str) -> str:
    """A line without what the search may forgive."""
    return re.sub(r"\s+", "", line).casefold()


def places(lines: Sequence[str], block: Sequence[str]) -> list[int]:
    """Where the block stands, blanks and case aside."""
    wanted = [loosely(line) for line in block]
    have = [loosely(line) for line in lines]
    last = len(have) - len(wanted)
    return [at for at in range(last + 1) if have[at : at + len(wanted)] == wanted]


def draw_document(
    rng: random.Random,
    languages: set[str] | None = None,
    suits: Callable[[Document], bool] = lambda document: True,
    plain: bool = False,
) -> Document:
    """One of the sources, sometimes with other line endings, a mark, or no last newline."""
    choices = [
        document
        for document in sources()
        if (languages is None or document.language in languages) and suits(document)
    ]
    if not choices:
        raise Unsuited("no such source")
    document = rng.choice(choices)
    if plain:
        return document
    # A recipe or script with CRLF does not run, yet it may be edited.
    if rng.random() < 0.12:
        document = replace(document, ending="\r\n")
    if rng.random() < 0.12:
        document = replace(document, final=False)
    if rng.random() < 0.06:
        document = replace(document, mark=True)
    return document


def altered(rng: random.Random, line: str, language: str) -> str:
    """The line with one word or number changed, its syntax as before."""
    at = line.find(": ") + 2 if language == "yaml" else 0
    tokens = [
        found
        for found in re.finditer(r"(?<![\w#&\\-])(?:[a-z]\w{2,}|\d+)(?![\w(!:-])", line)
        if found.start() >= at and found.group().casefold() not in KEYWORDS
    ]
    if not tokens:
        raise Unsuited("nothing to alter")
    token = rng.choice(tokens)
    word = token.group()
    if word.isdigit():
        new = str(int(word) + rng.randrange(3, 90))
    else:
        new = f"{word}_{rng.choice(WORDS)}"
    return line[: token.start()] + new + line[token.end() :]


def new_statement(rng: random.Random, language: Language, indent: str) -> str:
    body = language.statement.format(word=rng.choice(WORDS), number=rng.randrange(100, 10000))
    return indent + body


def _may_go(lines: Sequence[str], at: int, simple: Sequence[int]) -> bool:
    """Whether another statement of the same block stays beside the line."""
    return any(
        other in simple and indent_of(lines[other]) == indent_of(lines[at])
        for other in (at - 1, at + 1)
    )


def draw_change(rng: random.Random, document: Document, at: int, kind: str = "") -> Change:
    """A change at a statement's line: altered, added to, or removed."""
    lines, language = document.lines, BY_NAME[document.language]
    indent = indent_of(lines[at])
    simple = statements(document.language, lines)
    if document.language == "yaml" and lines[at].lstrip().startswith("- "):
        kind = "alter"
    kind = kind or rng.choice(("alter", "alter", "insert", "both", "delete", "run"))
    if kind == "delete" and not _may_go(lines, at, simple):
        kind = "alter"
    if kind == "insert":
        count = rng.choice((1, 1, 2, 3))
        new = tuple(new_statement(rng, language, indent) for _ in range(count))
        return Change(at + 1, (), new)
    if kind == "delete":
        return Change(at, (lines[at],), ())
    if kind == "both":
        first = altered(rng, lines[at], document.language)
        return Change(at, (lines[at],), (first, new_statement(rng, language, indent)))
    if kind == "run":
        end = at + 1
        while end in simple and end - at < 3:
            end += 1
        old = lines[at:end]
        return Change(at, old, tuple(altered(rng, line, document.language) for line in old))
    return Change(at, (lines[at],), (altered(rng, lines[at], document.language),))


def draw_scene(
    rng: random.Random,
    languages: set[str] | None = None,
    suits: Callable[[Document], bool] = lambda document: True,
    count: int = 0,
    kind: str = "",
    plain: bool = False,
    document: Document | None = None,
) -> Scene:
    """A document with one to three changes that keep its syntax whole."""
    document = document or draw_document(rng, languages, suits, plain)
    simple = list(statements(document.language, document.lines))
    count = count or rng.choice((1, 1, 2, 3))
    rng.shuffle(simple)
    changes: list[Change] = []
    for at in simple:
        change = draw_change(rng, document, at, kind)
        if all(change.end + 1 < other.start or other.end + 1 < change.start for other in changes):
            changes.append(change)
        if len(changes) == count:
            break
    if len(changes) < count:
        raise Unsuited("too few statements")
    changes.sort(key=lambda change: change.start)
    scene = Scene(document, tuple(changes))
    if _doubles(scene):
        raise Unsuited("a line beside its equal")
    return scene


def _doubles(scene: Scene) -> bool:
    """Whether an added line equals its neighbour, which looks like damage."""
    after = scene.target().lines
    old = set(scene.lines)
    return any(
        above == below and above.strip() and above not in old
        for above, below in zip(after, after[1:])
    )


@dataclass(frozen=True)
class Twins:
    """A document with two functions that differ in their names alone."""

    document: Document
    first: Block
    second: Block


def draw_twins(
    rng: random.Random,
    suffix: str = "",
    languages: set[str] | None = None,
    plain: bool = False,
    least: int = 6,
) -> Twins:
    """A source whose function comes twice; the copy's name has a suffix."""
    document = draw_document(rng, languages, plain=plain)
    choices = [
        block
        for block in blocks(document.language, document.lines)
        if block.end - block.start >= least and "test" not in document.lines[block.start - 1]
    ]
    if not choices or document.language in ("markdown", "make", "yaml"):
        raise Unsuited("no function to copy")
    block = rng.choice(choices)
    lines = document.lines
    suffix = suffix or "_" + rng.choice(WORDS)
    header = re.sub(rf"\b{block.name}\b", block.name + suffix, lines[block.start], count=1)
    copy = (header, *lines[block.start + 1 : block.end])
    body = (*lines[: block.end], "", *copy, *lines[block.end :])
    start = block.end + 1
    second = Block(block.name + suffix, start, start + block.end - block.start)
    return Twins(document.with_lines(body), block, second)


def statements_within(twins: Twins, block: Block, margin: int) -> list[int]:
    """Statements so far inside that so much context does not reach the block's header."""
    simple = statements(twins.document.language, twins.document.lines)
    return [at for at in simple if block.start + margin < at < block.end - margin]
