"""Where an edit goes: numbers, definitions, equal places, order, repetition."""

from __future__ import annotations

import random

from edits import Scene, draw_change, draw_scene, draw_twins, places, statements_within
from expect import about, idle, may, must, refuse
from formats import (
    PLACED,
    Hunk,
    hunks,
    json_lines,
    json_strings,
    patch,
    render,
    render_hunks,
    scene_hunks,
    search_replace,
    udiff,
)
from languages import blocks
from model import Case, Unsuited, case_class


@case_class("numbers:wrong")
def numbers_wrong(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    parts = scene_hunks(scene)
    marks = []
    for hunk in parts:
        at = rng.choice((0, 1, hunk.start + rng.randrange(2, 40), 9999))
        marks.append(f"@@ -{at},{len(hunk.old)} +{at},{len(hunk.new)} @@")
    return must(scene, udiff(scene.document.name, parts, marks))


@case_class("numbers:counts")
def numbers_counts(rng: random.Random) -> Case:
    """Counts that do not hold; too large ones could be a cut."""
    scene = draw_scene(rng)
    parts = scene_hunks(scene)
    marks, cut = [], False
    for hunk in parts:
        more = rng.choice((-2, -1, 1, 2, 5))
        cut = more > 0 and hunk is parts[-1]
        old, new = max(0, len(hunk.old) + more), max(0, len(hunk.new) + more)
        marks.append(f"@@ -{hunk.start + 1},{old} +{hunk.start + 1},{new} @@")
    reply = udiff(scene.document.name, parts, marks)
    return may(scene, reply) if cut else must(scene, reply)


@case_class("numbers:none")
def numbers_none(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    parts = scene_hunks(scene)
    mark = rng.choice(("@@ ... @@", "@@", "@@ @@", "@@ -?,? +?,? @@", "@@ -XX,XX +XX,XX @@"))
    return must(scene, udiff(scene.document.name, parts, [mark] * len(parts)))


@case_class("numbers:missing")
def numbers_missing(rng: random.Random) -> Case:
    """No header at all below the file's."""
    scene = draw_scene(rng, count=1)
    reply = udiff(scene.document.name, scene_hunks(scene)).split("\n")
    return must(scene, "\n".join(reply[:2] + reply[3:]))


@case_class("numbers:patch")
def numbers_patch(rng: random.Random) -> Case:
    """A patch whose marks hold a unified diff's numbers."""
    scene = draw_scene(rng)
    parts = scene_hunks(scene)
    marks = [f"@@ -{rng.randrange(1, 90)},{len(hunk.old)} +7,3 @@" for hunk in parts]
    return must(scene, patch(scene.document.name, parts, marks))


def twin_scenes(rng: random.Random, plain: bool = False) -> tuple[Scene, Scene]:
    """The same change in a function and in its copy; one line of context fits both places."""
    twins = draw_twins(rng, plain=plain)
    choices = statements_within(twins, twins.first, 2)
    if not choices:
        raise Unsuited("nothing deep inside")
    change = draw_change(rng, twins.document, rng.choice(choices), "alter")
    distance = twins.second.start - twins.first.start
    first = Scene(twins.document, (change,))
    moved = type(change)(change.start + distance, change.old, change.new)
    second = Scene(twins.document, (moved,))
    window = first.lines[change.start - 1 : change.end + 1]
    if len(places(first.lines, window)) != 2:
        raise Unsuited("not two places")
    return first, second


@case_class("equal:number")
def equal_number(rng: random.Random) -> Case:
    scene = rng.choice(twin_scenes(rng))
    return must(scene, udiff(scene.document.name, scene_hunks(scene, 1, False)))


@case_class("equal:number-by-chance")
def equal_number_by_chance(rng: random.Random) -> Case:
    """All numbers are off by as much as the two places are apart."""
    first, second = twin_scenes(rng)
    distance = second.changes[0].start - first.changes[0].start
    meant, off = rng.choice(((first, distance), (second, -distance)))
    other = draw_scene(rng, count=1, document=meant.document)
    if any(abs(other.changes[0].start - it.changes[0].start) < 9 for it in (first, second)):
        raise Unsuited("too near")
    parts = scene_hunks(meant, 1, False) + scene_hunks(other, 3)
    parts.sort(key=lambda hunk: hunk.start)
    shifted = [Hunk(max(0, hunk.start + off), hunk.rows) for hunk in parts]
    if any(hunk.start == shown.start for hunk, shown in zip(parts, shifted, strict=True)):
        raise Unsuited("at the top")
    changes = sorted((*meant.changes, *other.changes), key=lambda change: change.start)
    both = Scene(meant.document, tuple(changes))
    return may(both, udiff(both.document.name, shifted))


@case_class("equal:between")
def equal_between(rng: random.Random) -> Case:
    first, second = twin_scenes(rng)
    hunk = scene_hunks(first, 1, False)[0]
    if second.changes[0].start - first.changes[0].start < 4:
        raise Unsuited("too near")
    at = rng.randrange(hunk.start + 2, second.changes[0].start - 1)
    shown = Hunk(at, hunk.rows)
    return refuse(first.document, udiff(first.document.name, [shown]))


@case_class("equal:beside")
def equal_beside(rng: random.Random) -> Case:
    """One line off: a number counts only where it is exact."""
    scene = rng.choice(twin_scenes(rng))
    hunk = scene_hunks(scene, 1, False)[0]
    shown = Hunk(hunk.start + rng.choice((-1, 1)), hunk.rows)
    return refuse(scene.document, udiff(scene.document.name, [shown]))


for form in ("udiff", "patch", "blocks", "tags", "json_strings"):

    @case_class(f"equal:none:{form}", form=form)
    def equal_none(rng: random.Random, form: str) -> Case:
        scene = rng.choice(twin_scenes(rng))
        parts = scene_hunks(scene, 1, False)
        if form == "udiff":
            return refuse(scene.document, udiff(scene.document.name, parts, ["@@ ... @@"]))
        return refuse(scene.document, render_hunks(form, scene.document.name, parts))


@case_class("equal:json-lines")
def equal_json_lines(rng: random.Random) -> Case:
    scene = rng.choice(twin_scenes(rng))
    return must(scene, json_lines(scene_hunks(scene, 1, False)))


@case_class("equal:json-lines-beside")
def equal_json_lines_beside(rng: random.Random) -> Case:
    scene = rng.choice(twin_scenes(rng))
    return refuse(scene.document, json_lines(scene_hunks(scene, 1, False), rng.choice((-1, 1, 3))))


def header_of(scene: Scene, at: int) -> str:
    """The last line above that is indented less than the line: the definition it is in."""
    inside = [b for b in blocks(scene.document.language, scene.lines) if b.start < at < b.end]
    if not inside:
        raise Unsuited("no definition")
    line = scene.lines[max(b.start for b in inside)]
    if len(places(scene.lines, [line])) != 1:
        raise Unsuited("not one definition")
    return line


@case_class("equal:definition")
def equal_definition(rng: random.Random) -> Case:
    scene = rng.choice(twin_scenes(rng))
    mark = "@@ " + header_of(scene, scene.changes[0].start).strip()
    return must(scene, patch(scene.document.name, scene_hunks(scene, 1, False), [mark]))


@case_class("equal:definition-indented")
def equal_definition_indented(rng: random.Random) -> Case:
    scene = rng.choice(twin_scenes(rng))
    mark = "@@ " + header_of(scene, scene.changes[0].start)
    return must(scene, patch(scene.document.name, scene_hunks(scene, 1, False), [mark]))


@case_class("equal:definition-unknown")
def equal_definition_unknown(rng: random.Random) -> Case:
    scene = rng.choice(twin_scenes(rng))
    header = header_of(scene, scene.changes[0].start).strip()
    mark = "@@ " + header.replace("(", "_gone(", 1)
    if mark == "@@ " + header:
        raise Unsuited("no name to change")
    return refuse(scene.document, patch(scene.document.name, scene_hunks(scene, 1, False), [mark]))


def twice_in_definition(rng: random.Random) -> tuple[Scene, Scene, str]:
    """A change, the same one in a copy of its lines behind it, and the definition of both."""
    scene = draw_scene(rng, count=1, kind="alter")
    change = scene.changes[0]
    header = header_of(scene, change.start).strip()
    low, high = change.start - 1, change.end + 1
    if not any(
        block.start < low and high < block.end and scene.lines[block.start].strip() == header
        for block in blocks(scene.document.language, scene.lines)
    ):
        raise Unsuited("at its edge")
    window = scene.lines[low:high]
    document = scene.document.with_lines((*scene.lines[:high], *window, *scene.lines[high:]))
    if len(places(document.lines, window)) != 2:
        raise Unsuited("not two places")
    moved = type(change)(change.start + len(window), change.old, change.new)
    return Scene(document, (change,)), Scene(document, (moved,)), header


@case_class("equal:definition-twice")
def equal_definition_twice(rng: random.Random) -> Case:
    """Both places lie in the definition that is named."""
    first, second, header = twice_in_definition(rng)
    scene = rng.choice((first, second))
    parts = scene_hunks(scene, 1, False)
    if rng.random() < 0.5:
        return refuse(scene.document, patch(scene.document.name, parts, [f"@@ {header}"]))
    count = f"{len(parts[0].old)} +900,{len(parts[0].new)}"
    return refuse(scene.document, udiff(scene.document.name, parts, [f"@@ -900,{count} @@ {header}"]))


@case_class("equal:definition-twice-both")
def equal_definition_twice_both(rng: random.Random) -> Case:
    """A hunk for each place, with numbers that are off by as much."""
    first, second, header = twice_in_definition(rng)
    both = Scene(first.document, (*first.changes, *second.changes))
    parts = scene_hunks(first, 1, False) + scene_hunks(second, 1, False)
    off = rng.randrange(300, 900)
    marks = [
        f"@@ -{hunk.start + off},{len(hunk.old)} +{hunk.start + off},{len(hunk.new)} @@ {header}"
        for hunk in parts
    ]
    return may(both, udiff(both.document.name, parts, marks))


@case_class("definition:unknown-unique")
def definition_unknown_unique(rng: random.Random) -> Case:
    """The place is the only one, but the definition is not there."""
    scene = draw_scene(rng, count=1)
    return may(scene, patch(scene.document.name, scene_hunks(scene), ["@@ class Missing"]))


@case_class("definition:insert-only")
def definition_insert_only(rng: random.Random) -> Case:
    """Additions without context, right below a definition's header."""
    scene = draw_scene(rng, count=1, kind="insert")
    change = scene.changes[0]
    header = header_of(scene, change.start)
    at = scene.lines.index(header) + 1
    moved = Scene(scene.document, (type(change)(at, (), change.new),))
    rows = tuple(("+", line) for line in change.new)
    return may(moved, patch(moved.document.name, [Hunk(at, rows)], ["@@ " + header.strip()]))


@case_class("equal:end-of-file")
def equal_end_of_file(rng: random.Random) -> Case:
    """The same lines come earlier; the mark says that the last ones are meant."""
    scene = draw_scene(rng, count=1, kind="alter")
    copied = draw_twins(rng, plain=True)
    document = copied.document
    tail = document.lines[copied.first.start : copied.first.end]
    document = document.with_lines((*document.lines, "", *tail))
    twins_at = len(document.lines) - (copied.first.end - copied.first.start)
    start = rng.randrange(2, 4)
    change = draw_change(rng, document, len(document.lines) - start, "alter")
    if change.start <= twins_at + 1 or change.old[0] == change.new[0]:
        raise Unsuited("too high")
    scene = Scene(document, (change,))
    low = change.start - 1
    rows = [(" ", document.lines[low]), ("-", change.old[0]), ("+", change.new[0])]
    rows += [(" ", line) for line in document.lines[change.end :]]
    if len(places(document.lines, document.lines[low:])) < 2:
        raise Unsuited("one place")
    reply = patch(document.name, [Hunk(low, tuple(rows))])
    marked = reply.replace("*** End Patch", "*** End of File\n*** End Patch")
    return must(scene, marked)


@case_class("end-of-file:elsewhere")
def end_of_file_elsewhere(rng: random.Random) -> Case:
    """The only place is not at the end."""
    scene = draw_scene(rng, count=1)
    if scene.changes[-1].end + 5 > len(scene.lines):
        raise Unsuited("near the end")
    reply = render("patch", scene)
    return may(scene, reply.replace("*** End Patch", "*** End of File\n*** End Patch"))


@case_class("end-of-file:equal-elsewhere")
def end_of_file_equal_elsewhere(rng: random.Random) -> Case:
    """Two places, and neither is at the end."""
    scene = rng.choice(twin_scenes(rng))
    hunk = scene_hunks(scene, 1, False)[0]
    last = places(scene.lines, hunk.old)[-1]
    if last + len(hunk.old) >= len(scene.lines) - 1:
        raise Unsuited("at the end")
    reply = patch(scene.document.name, [hunk])
    return refuse(scene.document, reply.replace("*** End Patch", "*** End of File\n*** End Patch"))


@case_class("end-of-file:append")
def end_of_file_append(rng: random.Random) -> Case:
    """A chunk of additions alone, with the mark: they go to the end."""
    scene = draw_scene(rng, {"python", "rust", "go", "bash", "javascript"}, count=1, kind="insert")
    new = ("", scene.language.comment[0] + f"end {rng.randrange(1000)}" + scene.language.comment[1])
    change = type(scene.changes[0])(len(scene.lines), (), new)
    scene = Scene(scene.document, (change,))
    rows = tuple(("+", line) for line in new)
    reply = patch(scene.document.name, [Hunk(len(scene.lines), rows)])
    return may(scene, reply.replace("*** End Patch", "*** End of File\n*** End Patch"))


@case_class("no-old-text:patch")
def no_old_text_patch(rng: random.Random) -> Case:
    """Additions alone, and nothing says where."""
    scene = draw_scene(rng, count=1, kind="insert")
    rows = tuple(("+", line) for line in scene.changes[0].new)
    return refuse(scene.document, patch(scene.document.name, [Hunk(0, rows)]))


@case_class("no-old-text:blocks")
def no_old_text_blocks(rng: random.Random) -> Case:
    scene = draw_scene(rng, count=1, kind="insert")
    new = tuple(("+", line) for line in scene.changes[0].new)
    form = rng.choice(("blocks", "tags", "json_strings"))
    return refuse(scene.document, render_hunks(form, scene.document.name, [Hunk(0, new)]))


@case_class("no-old-text:diff")
def no_old_text_diff(rng: random.Random) -> Case:
    """Zero context: the number alone says where; it may be wrong."""
    scene = draw_scene(rng, count=1, kind="insert")
    return may(scene, udiff(scene.document.name, scene_hunks(scene, 0, False)))


for form in PLACED:

    @case_class(f"order:{form}", form=form)
    def order(rng: random.Random, form: str) -> Case:
        scene = draw_scene(rng, count=3)
        parts = scene_hunks(scene, 1)
        if len(parts) < 2:
            raise Unsuited("one hunk")
        rng.shuffle(parts)
        return must(scene, render_hunks(form, scene.document.name, parts))

    @case_class(f"repeated:{form}", form=form)
    def repeated(rng: random.Random, form: str) -> Case:
        """The same block twice is made once."""
        scene = draw_scene(rng)
        parts = scene_hunks(scene, 1)
        parts.insert(rng.randrange(len(parts) + 1), rng.choice(parts))
        return must(scene, render_hunks(form, scene.document.name, parts))

    @case_class(f"contradiction:{form}", form=form)
    def contradiction(rng: random.Random, form: str) -> Case:
        """The same lines, and two results."""
        scene = draw_scene(rng, count=1, kind="alter")
        change = scene.changes[0]
        other = draw_change(rng, scene.document, change.start, "alter")
        if other.new == change.new:
            raise Unsuited("the same")
        parts = scene_hunks(scene, 1) + hunks(scene.lines, [other], 1)
        return refuse(scene.document, render_hunks(form, scene.document.name, parts))

    @case_class(f"done:{form}", form=form)
    def done(rng: random.Random, form: str) -> Case:
        """The edit is in the file already."""
        scene = draw_scene(rng)
        return idle(scene.target(), render(form, scene, 3))

    @case_class(f"same:{form}", form=form)
    def same(rng: random.Random, form: str) -> Case:
        """Both halves are equal."""
        scene = draw_scene(rng)
        parts = scene_hunks(scene, 1)
        kept = [Hunk(h.start, tuple((" ", line) for line in h.old)) for h in parts]
        return idle(scene.document, render_hunks(form, scene.document.name, kept))


@case_class("done:half")
def done_half(rng: random.Random) -> Case:
    """One of two hunks is in the file already."""
    scene = draw_scene(rng, count=2)
    parts = scene_hunks(scene, 2)
    if len(parts) < 2:
        raise Unsuited("one hunk")
    half = Scene(scene.document, (rng.choice(scene.changes),)).target()
    form = rng.choice(("udiff", "patch", "blocks", "json_strings"))
    reply = render_hunks(form, scene.document.name, parts)
    return about(half, reply, scene.target().bytes(), refusal=True)


@case_class("done:loose-copy")
def done_loose_copy(rng: random.Random) -> Case:
    """The edit is made, and the old text stands elsewhere, indented otherwise."""
    first, second = twin_scenes(rng, plain=True)
    if first.document.language in ("python", "yaml", "make"):
        raise Unsuited("indentation is syntax")
    change, hunk = second.changes[0], scene_hunks(second, 1, False)[0]
    lines = list(second.target().lines)
    distance = change.start - first.changes[0].start
    for at in range(hunk.start - distance, hunk.start - distance + len(hunk.old)):
        lines[at] = "  " + lines[at] if lines[at].strip() else lines[at]
    document = second.document.with_lines(lines)
    form = rng.choice(("patch", "blocks", "json_strings"))
    return idle(document, render_hunks(form, document.name, [hunk]))


@case_class("repeated:other-number")
def repeated_other_number(rng: random.Random) -> Case:
    """The same lines under two numbers: the second hunk is for a copy that the file no longer has."""
    scene = draw_scene(rng, count=1, kind="alter")
    hunk = scene_hunks(scene)[0]
    count = len(hunk.old), len(hunk.new)
    starts = hunk.start + 1, hunk.start + 1 + rng.randrange(len(hunk.old), 90)
    marks = [f"@@ -{start},{count[0]} +{start},{count[1]} @@" for start in starts]
    return refuse(scene.document, udiff(scene.document.name, [hunk, hunk], marks))


@case_class("repeated:insertion")
def repeated_insertion(rng: random.Random) -> Case:
    """A block that only adds, twice: its old lines are still there after the first time."""
    scene = draw_scene(rng, count=1, kind="insert")
    parts = scene_hunks(scene, 2) * rng.choice((2, 3))
    form = rng.choice(("patch", "blocks", "json_strings", "udiff"))
    return must(scene, render_hunks(form, scene.document.name, parts))


@case_class("exact-and-indented")
def exact_and_indented(rng: random.Random) -> Case:
    """An exact place and a copy that is indented otherwise: the exact one."""
    first, second = twin_scenes(rng, plain=True)
    if first.document.language in ("python", "yaml", "make"):
        raise Unsuited("indentation is syntax")
    scene, other = rng.choice(((first, second), (second, first)))
    lines = list(scene.lines)
    hunk = scene_hunks(other, 1, False)[0]
    for at in range(hunk.start, hunk.start + len(hunk.old)):
        lines[at] = "    " + lines[at] if lines[at].strip() else lines[at]
    scene = Scene(scene.document.with_lines(lines), scene.changes)
    parts = scene_hunks(scene, 1, False)
    form = rng.choice(("patch", "blocks", "json_strings"))
    return must(scene, render_hunks(form, scene.document.name, parts))


@case_class("overlap:agreeing")
def overlap_agreeing(rng: random.Random) -> Case:
    """Two hunks show the same context, and change different lines of it."""
    scene = draw_scene(rng, count=2)
    first, second = scene.changes
    if not 1 <= second.start - first.end <= 4:
        raise Unsuited("apart")
    parts = hunks(scene.lines, [first], 3) + hunks(scene.lines, [second], 3)
    form = rng.choice(("udiff", "patch", "blocks", "json_strings"))
    return may(scene, render_hunks(form, scene.document.name, parts))


@case_class("chained")
def chained(rng: random.Random) -> Case:
    """The second block's old text is what the first one makes."""
    scene = draw_scene(rng, count=1, kind="alter")
    change = scene.changes[0]
    middle = scene.target()
    again = draw_change(rng, middle, change.start, "alter")
    final = Scene(scene.document, (type(change)(change.start, change.old, again.new),))
    parts = scene_hunks(scene, 1) + hunks(middle.lines, [again], 1)
    reply = rng.choice((search_replace(parts), json_strings(parts)))
    return may(final, reply)
