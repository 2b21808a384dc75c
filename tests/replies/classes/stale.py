"""The file is not what the model saw: shifted, changed at the place, or with near copies."""

from __future__ import annotations

import random
import re

from edits import (
    WORDS,
    Scene,
    Twins,
    draw_change,
    draw_scene,
    draw_twins,
    places,
    statements_within,
)
from expect import about, may, must, refuse
from formats import PLACED, Hunk, hunks, render_hunks, scene_hunks
from languages import BY_NAME, indent_of, statements
from model import Case, Change, Document, Unsuited, applied, case_class

SEARCHED = ("udiff", "gitdiff", "patch", "blocks", "tags", "json_strings")


def mistyped(rng: random.Random, line: str) -> str:
    """The line with one letter or digit replaced by another one."""
    at = rng.choice([found.start() for found in re.finditer(r"[A-Za-z0-9]", line)] or [-1])
    if at < 0:
        raise Unsuited("no letter")
    alphabet = "0123456789" if line[at].isdigit() else "abcdefghijklmnopqrstuvwxyz"
    new = rng.choice([sign for sign in alphabet if sign != line[at].lower()])
    return line[:at] + new + line[at + 1 :]


for form in SEARCHED:

    @case_class(f"shifted:{form}", form=form)
    def shifted(rng: random.Random, form: str) -> Case:
        """Lines were put in elsewhere since."""
        scene = draw_scene(rng)
        parts = scene_hunks(scene, 2)
        comment = scene.language.comment
        at = rng.choice((0, len(scene.lines), *(hunk.start for hunk in parts)))
        if at and scene.document.language in ("markdown", "yaml", "make"):
            at = 0
        new = tuple(f"{comment[0]}line {index} is new{comment[1]}" for index in range(5))
        moved = scene.document.with_lines(applied(scene.lines, [Change(at, (), new)]))
        after = applied(scene.lines, [*scene.changes, Change(at, (), new)])
        if any(change.start <= at <= change.end for change in scene.changes):
            raise Unsuited("at a change")
        if at and scene.lines[at - 1].lstrip().startswith(("///", "//", "#", "/*", "*")):
            raise Unsuited("in a comment")
        reply = render_hunks(form, scene.document.name, parts)
        return about(moved, reply, scene.document.with_lines(after).bytes())

    @case_class(f"deleted-line-wrong:{form}", form=form)
    def deleted_line_wrong(rng: random.Random, form: str) -> Case:
        """One letter or digit is wrong in a line that goes."""
        scene = draw_scene(rng, kind=rng.choice(("alter", "delete", "both")))
        parts = scene_hunks(scene)
        hunk = rng.choice(parts)
        rows = list(hunk.rows)
        at = rng.choice([i for i, row in enumerate(rows) if row[0] == "-"])
        rows[at] = ("-", mistyped(rng, rows[at][1]))
        if rows[at][1] in scene.lines:
            raise Unsuited("another line")
        parts[parts.index(hunk)] = hunk.with_rows(rows)
        return refuse(scene.document, render_hunks(form, scene.document.name, parts))

    @case_class(f"context-line-wrong:{form}", form=form)
    def context_line_wrong(rng: random.Random, form: str) -> Case:
        """One letter is wrong in a line that stays: the file's line is kept, or it is refused."""
        scene = draw_scene(rng, kind="alter")
        parts = scene_hunks(scene)
        hunk = rng.choice(parts)
        rows = list(hunk.rows)
        at = rng.choice([i for i, row in enumerate(rows) if row[0] == " " and row[1].strip()])
        rows[at] = (" ", mistyped(rng, rows[at][1]))
        parts[parts.index(hunk)] = hunk.with_rows(rows)
        return may(scene, render_hunks(form, scene.document.name, parts))

    @case_class(f"invented:{form}", form=form)
    def invented(rng: random.Random, form: str) -> Case:
        """The old text was never there."""
        scene = draw_scene(rng, count=1)
        language = scene.language
        lines = [
            language.statement.format(word=rng.choice(WORDS) + "_made_up", number=index)
            for index in range(4)
        ]
        rows = [(" ", lines[0]), ("-", lines[1]), ("+", lines[2]), (" ", lines[3])]
        reply = render_hunks(form, scene.document.name, [Hunk(3, tuple(rows))])
        return refuse(scene.document, reply)

    @case_class(f"one-of-two-stale:{form}", form=form)
    def one_of_two_stale(rng: random.Random, form: str) -> Case:
        """One block fits, the other one does not: nothing is written."""
        scene = draw_scene(rng, count=2, kind="alter")
        parts = scene_hunks(scene, 1)
        if len(parts) < 2:
            raise Unsuited("one hunk")
        at = rng.randrange(2)
        rows = [(m, line + " // gone" if m == "-" else line) for m, line in parts[at].rows]
        parts[at] = parts[at].with_rows(rows)
        return refuse(scene.document, render_hunks(form, scene.document.name, parts))

    @case_class(f"changed-near-copy:{form}", form=form)
    def changed_near_copy(rng: random.Random, form: str) -> Case:
        """The user changed the line in one function; its copy is still as the line was."""
        twins = draw_twins(rng, suffix=rng.choice(("", "2", "s")))
        inside = statements_within(twins, twins.first, 0)
        at = rng.choice([i for i in inside if i - twins.first.start <= 5] or [-1])
        if at < 0:
            raise Unsuited("nothing near the header")
        ours, theirs = rng.choice(((twins.first, twins.second), (twins.second, twins.first)))
        at += ours.start - twins.first.start
        change = draw_change(rng, twins.document, at, "alter")
        parts = hunks(twins.document.lines, [change], at - ours.start, False)
        moved = change.start - ours.start + theirs.start
        assert twins.document.lines[moved] == change.old[0]
        user = draw_change(rng, twins.document, at, "alter")
        if user.new == change.new:
            raise Unsuited("the same change")
        document = twins.document.with_lines(applied(twins.document.lines, [user]))
        _fits_nowhere(document, parts, form)
        reply = render_hunks(form, document.name, parts)
        return refuse(document, reply, note=f"theirs at {moved + 1}")

    @case_class(f"deleted-near-copy:{form}", form=form)
    def deleted_near_copy(rng: random.Random, form: str) -> Case:
        """The user deleted the function; a copy of another name is there."""
        twins = draw_twins(rng)
        inside = [i for i in statements_within(twins, twins.first, 0) if i - twins.first.start <= 4]
        if not inside:
            raise Unsuited("nothing near the header")
        ours = twins.second
        at = rng.choice(inside) + ours.start - twins.first.start
        change = draw_change(rng, twins.document, at, "alter")
        parts = hunks(twins.document.lines, [change], at - ours.start, False)
        lines = twins.document.lines
        document = twins.document.with_lines((*lines[: ours.start - 1], *lines[ours.end :]))
        _fits_nowhere(document, parts, form)
        return refuse(document, render_hunks(form, document.name, parts))

    @case_class(f"renamed-header:{form}", form=form)
    def renamed_header(rng: random.Random, form: str) -> Case:
        """The user renamed the function; its copy is there: the right one, or none."""
        twins = draw_twins(rng)
        inside = [i for i in statements_within(twins, twins.first, 0) if i - twins.first.start <= 4]
        if not inside:
            raise Unsuited("nothing near the header")
        ours = twins.first
        change = draw_change(rng, twins.document, rng.choice(inside), "alter")
        parts = hunks(twins.document.lines, [change], change.start - ours.start, False)
        lines = list(twins.document.lines)
        lines[ours.start] = re.sub(rf"\b{ours.name}\b", "renamed", lines[ours.start], count=1)
        scene = Scene(twins.document.with_lines(lines), (change,))
        return may(scene, render_hunks(form, scene.document.name, parts))

    @case_class(f"torn:{form}", form=form)
    def torn(rng: random.Random, form: str) -> Case:
        """The upper half fits only one copy, the lower half only the other one."""
        twins = draw_twins(rng, least=7)
        document = twins.document
        inside = [i for i in statements_within(twins, twins.first, 2)]
        if not inside:
            raise Unsuited("nothing deep inside")
        at = rng.choice(inside)
        distance = twins.second.start - twins.first.start
        kind = rng.choice(("alter", "both", "delete", "insert"))
        change = draw_change(rng, document, at, kind)
        parts = hunks(document.lines, [change], 2, False)
        simple = statements(document.language, document.lines)
        above = [i for i in range(change.start - 2, change.start) if i in simple]
        below = [i for i in range(change.end, change.end + 2) if i in simple]
        lines = document.lines
        for near in (above, below):
            near += [i for i in (change.start - 1, change.end) if not near and lines[i].strip()]
        upper, lower = rng.choice(above), rng.choice(below)
        users = [_changed(rng, twins, upper + distance), _changed(rng, twins, lower)]
        torn = document.with_lines(applied(lines, users))
        _fits_nowhere(torn, parts, form)
        return refuse(torn, render_hunks(form, document.name, parts))

    @case_class(f"torn-two-runs:{form}", form=form)
    def torn_two_runs(rng: random.Random, form: str) -> Case:
        """Two changes in one hunk: the first is possible in one copy, the second in the other."""
        twins = draw_twins(rng, least=7)
        document = twins.document
        inside = statements_within(twins, twins.first, 1)
        pairs = [(a, b) for a in inside for b in inside if 1 < b - a < 6]
        if not pairs:
            raise Unsuited("no two statements")
        first, second = rng.choice(pairs)
        distance = twins.second.start - twins.first.start
        changes = [draw_change(rng, document, at, "alter") for at in (first, second)]
        parts = hunks(document.lines, changes, 3, False)
        users = [_changed(rng, twins, first + distance), _changed(rng, twins, second)]
        torn = document.with_lines(applied(document.lines, users))
        _fits_nowhere(torn, parts, form)
        return refuse(torn, render_hunks(form, document.name, parts))

    @case_class(f"context-line-left-out:{form}", form=form)
    def context_line_left_out(rng: random.Random, form: str) -> Case:
        """A blank or comment line of the file is missing in the context."""
        scene = draw_scene(rng, count=1, kind="alter", languages={"rust", "go", "c", "python"})
        change = scene.changes[0]
        comment = scene.language.comment
        at = change.start - 1
        indent = indent_of(scene.lines[change.start])
        extra = rng.choice(("", f"{indent}{comment[0]}why it is so{comment[1]}"))
        parts = scene_hunks(scene, 3)
        if at <= parts[0].start:
            raise Unsuited("no context above")
        lines = applied(scene.lines, [Change(at, (), (extra,))])
        moved = Change(change.start + 1, change.old, change.new)
        later = Scene(scene.document.with_lines(lines), (moved,))
        return may(later, render_hunks(form, scene.document.name, parts))

    @case_class(f"context-line-extra:{form}", form=form)
    def context_line_extra(rng: random.Random, form: str) -> Case:
        """A line of the context that the file has no more: kept out, or refused."""
        scene = draw_scene(rng, count=1, kind="alter")
        hunk = scene_hunks(scene, 3)[0]
        rows = list(hunk.rows)
        at = rng.choice([0, len(rows)])
        rows.insert(at, (" ", "    a_line_that_is_not_there();"))
        return may(scene, render_hunks(form, scene.document.name, [hunk.with_rows(rows)]))


def _fits_nowhere(document: Document, parts: list[Hunk], form: str) -> None:
    """Leaves out documents in which the hunk fits as it is.

    A string in JSON may end within a line. Where the user's change begins behind its last sign, the
    string stands in the file once, byte for byte, and the reply is a right one.
    """
    if any(places(document.lines, hunk.old) for hunk in parts):
        raise Unsuited("a third copy")
    if form.startswith("json") and any("\n".join(hunk.old) in "\n".join(document.lines) for hunk in parts):
        raise Unsuited("the old text as it is")


def _changed(rng: random.Random, twins: Twins, at: int) -> Change:
    """A user's change of the line, whatever it is."""
    document = twins.document
    line = document.lines[at]
    try:
        return draw_change(rng, document, at, "alter")
    except Unsuited:
        comment = "  " + "".join(_comment(document.language)).strip()
        return Change(at, (line,), (line + comment,))


def _comment(language: str) -> tuple[str, str, str]:
    start, end = BY_NAME[language].comment
    return start, "later", end


@case_class("shifted:json_lines")
def shifted_json_lines(rng: random.Random) -> Case:
    """The numbers are old; the old text tells where the lines went."""
    scene = draw_scene(rng)
    comment = scene.language.comment
    new = tuple(f"{comment[0]}line {index}{comment[1]}" for index in range(rng.randrange(1, 6)))
    lines = applied(scene.lines, [Change(0, (), new)])
    after = (*new, *scene.target().lines)
    reply = render_hunks("json_lines", scene.document.name, scene_hunks(scene, 1))
    return about(
        scene.document.with_lines(lines),
        reply,
        scene.document.with_lines(after).bytes(),
        refusal=True,
    )


@case_class("stale:json_lines")
def stale_json_lines(rng: random.Random) -> Case:
    """The numbers fit, the old text does not."""
    scene = draw_scene(rng, count=1, kind="alter")
    hunk = scene_hunks(scene, 1)[0]
    rows = [(m, mistyped(rng, line) if m == "-" else line) for m, line in hunk.rows]
    reply = render_hunks("json_lines", scene.document.name, [hunk.with_rows(rows)])
    return refuse(scene.document, reply)


@case_class("places:lines-moved")
def lines_moved(rng: random.Random) -> Case:
    """The whole function went to another place of the file."""
    twins = draw_twins(rng)
    inside = statements_within(twins, twins.second, 1)
    if not inside:
        raise Unsuited("nothing inside")
    change = draw_change(rng, twins.document, rng.choice(inside), "alter")
    lines = twins.document.lines
    parts = hunks(lines, [change], 2)
    if any(h.start < twins.second.start or h.start + len(h.old) > twins.second.end for h in parts):
        raise Unsuited("context beyond the function")
    block = twins.second
    moved = (*lines[: block.start], *lines[block.end + 1 :])
    function = lines[block.start : block.end]
    at = twins.first.start
    while at and lines[at - 1].strip():
        at -= 1
    if at == 0:
        raise Unsuited("no place above")
    document = twins.document.with_lines((*moved[:at], *function, "", *moved[at:]))
    shifted = Change(change.start - block.start + at, change.old, change.new)
    if len(places(document.lines, parts[0].old)) != 1:
        raise Unsuited("not one place")
    reply = render_hunks(rng.choice(PLACED[:-1]), document.name, parts)
    return must(Scene(document, (shifted,)), reply)
