"""Documents, changes, cases and the register of classes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

BYTE_ORDER_MARK = "\ufeff"


class Unsuited(Exception):
    """A scene that a class cannot use; another one is drawn."""


@dataclass(frozen=True)
class Document:
    """A text file: its lines without their endings, and how they are written."""

    name: str
    language: str
    lines: tuple[str, ...]
    ending: str = "\n"
    final: bool = True
    mark: bool = False

    def with_lines(self, lines: Iterable[str]) -> Document:
        return replace(self, lines=tuple(lines))

    def text(self) -> str:
        body = self.ending.join(self.lines)
        if self.lines and self.final:
            body += self.ending
        return (BYTE_ORDER_MARK if self.mark else "") + body

    def bytes(self) -> bytes:
        return self.text().encode()


@dataclass(frozen=True)
class Change:
    """Old lines from `start` on, and what takes their place."""

    start: int
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def end(self) -> int:
        return self.start + len(self.old)


def applied(lines: Sequence[str], changes: Iterable[Change]) -> tuple[str, ...]:
    """The lines with all changes made; each start counts in the old lines."""
    result = list(lines)
    for change in sorted(changes, key=lambda change: change.start, reverse=True):
        assert tuple(result[change.start : change.end]) == change.old, "a change beside its lines"
        result[change.start : change.end] = change.new
    return tuple(result)


@dataclass(frozen=True)
class Link:
    """A symbolic link."""

    to: str


@dataclass(frozen=True)
class Pipe:
    """A named pipe that has no writer."""


Entry = bytes | Link | Pipe
Tree = Mapping[str, Entry]


@dataclass(frozen=True)
class Case:
    """A reply, what it is about, and what may come of it.

    With one file the result is what is printed, and `texts` are the right ones; with a folder it is
    the folder itself, and `trees` are.
    """

    tree: Tree
    arguments: tuple[str, ...]
    reply: bytes
    texts: tuple[bytes, ...] = ()
    trees: tuple[Tree, ...] = ()
    folder: bool = False
    refusal: bool = False
    failure: bool = False
    note: str = ""

    @property
    def must_apply(self) -> bool:
        return not self.refusal


@dataclass(frozen=True)
class CaseClass:
    name: str
    build: Callable[[random.Random], Case]


@dataclass
class Register:
    classes: dict[str, CaseClass] = field(default_factory=dict)

    def add(self, name: str, build: Callable[[random.Random], Case]) -> None:
        assert name not in self.classes, f"two classes are called {name}"
        self.classes[name] = CaseClass(name, build)


REGISTER = Register()


def case_class(
    name: str, **options: object
) -> Callable[[Callable[..., Case]], Callable[..., Case]]:
    """Registers a function that builds cases; the options are handed to it."""

    def register(build: Callable[..., Case]) -> Callable[..., Case]:
        REGISTER.add(name, lambda rng: build(rng, **options))
        return build

    return register
