"""The formats in which a model may write an edit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from edits import Scene, places
from model import Change

Row = tuple[str, str]


@dataclass(frozen=True)
class Hunk:
    """Rows of a diff: a mark (blank, minus or plus) and a line each."""

    start: int
    rows: tuple[Row, ...]

    @property
    def old(self) -> list[str]:
        return [line for mark, line in self.rows if mark != "+"]

    @property
    def new(self) -> list[str]:
        return [line for mark, line in self.rows if mark != "-"]

    def with_rows(self, rows: Iterable[Row]) -> Hunk:
        return replace(self, rows=tuple(rows))


def _windows(
    lines: Sequence[str], changes: Sequence[Change], context: int, unique: bool
) -> list[tuple[int, int]]:
    """Ranges of old lines that show each change, merged where they meet."""
    found: list[tuple[int, int]] = []
    for change in changes:
        low, high = max(0, change.start - context), min(len(lines), change.end + context)
        while unique and (low, high) != (0, len(lines)):
            if high > low and len(places(lines, lines[low:high])) == 1:
                break
            low, high = max(0, low - 1), min(len(lines), high + 1)
        if found and low <= found[-1][1]:
            found[-1] = (min(low, found[-1][0]), max(high, found[-1][1]))
        else:
            found.append((low, high))
    return found


def hunks(
    lines: Sequence[str], changes: Iterable[Change], context: int = 3, unique: bool = True
) -> list[Hunk]:
    """The changes with lines around them; with more of these until each place is the only one."""
    ordered = sorted(changes, key=lambda change: change.start)
    result = []
    for low, high in _windows(lines, ordered, context, unique):
        rows: list[Row] = []
        at = low
        for change in ordered:
            if not low <= change.start <= change.end <= high:
                continue
            rows += [(" ", line) for line in lines[at : change.start]]
            rows += [("-", line) for line in change.old]
            rows += [("+", line) for line in change.new]
            at = change.end
        rows += [(" ", line) for line in lines[at:high]]
        result.append(Hunk(low, tuple(rows)))
    return result


def scene_hunks(scene: Scene, context: int = 3, unique: bool = True) -> list[Hunk]:
    return hunks(scene.lines, scene.changes, context, unique)


def body(hunk: Hunk) -> list[str]:
    return [mark + line for mark, line in hunk.rows]


def header(hunk: Hunk, shift: int) -> str:
    """The header as git writes it."""
    old, new = len(hunk.old), len(hunk.new)
    old_start = hunk.start + 1 if old else hunk.start
    new_start = hunk.start + shift + 1 if new else hunk.start + shift
    return f"@@ -{old_start},{old} +{new_start},{new} @@"


def headers(parts: Sequence[Hunk]) -> list[str]:
    result, shift = [], 0
    for hunk in parts:
        result.append(header(hunk, shift))
        shift += len(hunk.new) - len(hunk.old)
    return result


def udiff(path: str, parts: Sequence[Hunk], marks: Sequence[str] | None = None) -> str:
    """A unified diff; `marks` stand in place of the right headers."""
    rows = [f"--- a/{path}", f"+++ b/{path}"]
    for mark, hunk in zip(marks or headers(parts), parts, strict=True):
        rows += [mark, *body(hunk)]
    return "\n".join(rows) + "\n"


def git_diff(path: str, parts: Sequence[Hunk]) -> str:
    top = f"diff --git a/{path} b/{path}\nindex 3b18e51..a1b2c3d 100644\n"
    return top + udiff(path, parts)


def section(path: str, parts: Sequence[Hunk], marks: Sequence[str] | None = None) -> list[str]:
    rows = [f"*** Update File: {path}"]
    for mark, hunk in zip(marks or ["@@"] * len(parts), parts, strict=True):
        rows += [mark, *body(hunk)]
    return rows


def envelope(rows: Iterable[str]) -> str:
    return "\n".join(["*** Begin Patch", *rows, "*** End Patch"]) + "\n"


def patch(path: str, parts: Sequence[Hunk], marks: Sequence[str] | None = None) -> str:
    """The format of codex's apply_patch."""
    return envelope(section(path, parts, marks))


@dataclass(frozen=True)
class Marks:
    search: str = "<<<<<<< SEARCH"
    divider: str = "======="
    replace: str = ">>>>>>> REPLACE"


def block(old: Sequence[str], new: Sequence[str], marks: Marks = Marks()) -> str:
    return "\n".join([marks.search, *old, marks.divider, *new, marks.replace]) + "\n"


def search_replace(parts: Sequence[Hunk], marks: Marks = Marks()) -> str:
    return "\n".join(block(hunk.old, hunk.new, marks) for hunk in parts)


def tags(parts: Sequence[Hunk]) -> str:
    rows: list[str] = []
    for hunk in parts:
        rows += ["<old_text>", *hunk.old, "</old_text>", "<new_text>", *hunk.new, "</new_text>", ""]
    return "\n".join(rows)


def json_strings(
    parts: Sequence[Hunk], old: str = "old_text", new: str = "new_text", indent: int | None = 1
) -> str:
    edits = [{old: "\n".join(hunk.old), new: "\n".join(hunk.new)} for hunk in parts]
    return json.dumps({"edits": edits}, indent=indent, ensure_ascii=False) + "\n"


def json_lines(parts: Sequence[Hunk], shift: int = 0) -> str:
    """Edits by line numbers from 1, both included, with the old text."""
    edits = [
        {
            "start_line": hunk.start + 1 + shift,
            "end_line": hunk.start + len(hunk.old) + shift,
            "old_text": "\n".join(hunk.old),
            "new_text": "\n".join(hunk.new),
        }
        for hunk in parts
    ]
    return json.dumps({"edits": edits}, indent=1, ensure_ascii=False) + "\n"


def fenced(text: str, info: str = "", fence: str = "```") -> str:
    return f"{fence}{info}\n{text.rstrip(chr(10))}\n{fence}\n"


# Formats whose blocks carry old text, and so find their place.
PLACED = ("udiff", "gitdiff", "patch", "blocks", "tags", "json_strings", "json_lines")


def render_hunks(form: str, path: str, parts: Sequence[Hunk]) -> str:
    """A reply in one of the formats that carry old text."""
    if form == "udiff":
        return udiff(path, parts)
    if form == "gitdiff":
        return git_diff(path, parts)
    if form == "patch":
        return patch(path, parts)
    if form == "blocks":
        return search_replace(parts)
    if form == "tags":
        return tags(parts)
    if form == "json_strings":
        return json_strings(parts)
    if form == "json_lines":
        return json_lines(parts)
    raise ValueError(form)


def render(form: str, scene: Scene, context: int | None = None) -> str:
    """A clean reply in one of the formats that carry old text."""
    if context is None:
        context = 3 if form in ("udiff", "gitdiff", "patch") else 1
    return render_hunks(form, scene.document.name, scene_hunks(scene, context))
