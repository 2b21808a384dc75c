"""How the marks of a format are written, and text that looks like them."""

from __future__ import annotations

import random

from edits import Scene, draw_document, draw_scene, places
from expect import may, must, refuse
from formats import PLACED, Marks, block, envelope, render, scene_hunks, search_replace, section
from languages import indent_of
from model import Case, Change, Unsuited, case_class

FORMS = ("udiff", "gitdiff", "patch", "blocks", "json_strings")


@case_class("marks:length")
def length(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    first, second, third = (rng.randrange(5, 10) for _ in range(3))
    marks = Marks("<" * first + " SEARCH", "=" * second, ">" * third + " REPLACE")
    return must(scene, search_replace(scene_hunks(scene, 1), marks))


@case_class("marks:names")
def names(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    marks = rng.choice(
        (
            Marks("<<<<<<< ORIGINAL", "=======", ">>>>>>> UPDATED"),
            Marks("<<<<<<< search", "=======", ">>>>>>> replace"),
            Marks("<<<<<<< SEARCH>", "=======", ">>>>>>> REPLACE"),
            Marks("<<<<<<< Search", "=======", ">>>>>>> Replace"),
        )
    )
    return must(scene, search_replace(scene_hunks(scene, 1), marks))


@case_class("marks:padded")
def padded(rng: random.Random) -> Case:
    """Blanks behind the marks."""
    scene = draw_scene(rng)
    marks = Marks("<<<<<<< SEARCH  ", "======= ", ">>>>>>> REPLACE\t")
    reply = search_replace(scene_hunks(scene, 1), marks)
    if rng.random() < 0.5:
        reply = "\n".join(
            line + " " if line.startswith(("***", "@@", "---", "+++")) else line
            for line in render("patch", scene).split("\n")
        )
    return must(scene, reply)


@case_class("marks:dressed")
def dressed(rng: random.Random) -> Case:
    """Marks with something around or behind them."""
    scene = draw_scene(rng)
    marks = rng.choice(
        (
            Marks("**<<<<<<< SEARCH**", "**=======**", "**>>>>>>> REPLACE**"),
            Marks("<<<<<<< SEARCH (line 12)", "=======", ">>>>>>> REPLACE"),
            Marks("<<<<<<< HEAD", "=======", ">>>>>>> main"),
            Marks("<<<<<<<", "=======", ">>>>>>>"),
            Marks("------- SEARCH", "=======", "+++++++ REPLACE"),
        )
    )
    return may(scene, search_replace(scene_hunks(scene, 1), marks))


@case_class("marks:lines-in-search")
def lines_in_search(rng: random.Random) -> Case:
    """Roo's head of a block: a start line and a rule."""
    scene = draw_scene(rng, count=1)
    hunk = scene_hunks(scene, 1)[0]
    head = ["<<<<<<< SEARCH", f":start_line:{hunk.start + 1}", "-------"]
    return may(scene, "\n".join([*head, *hunk.old, "=======", *hunk.new, ">>>>>>> REPLACE"]) + "\n")


@case_class("marks:indented-blocks")
def indented_blocks(rng: random.Random) -> Case:
    """All marks are indented, the code is not; the first block may be the only odd one."""
    scene = draw_scene(rng)
    blank = rng.choice((" ", "  ", "    ", "\t"))
    marks = Marks(f"{blank}<<<<<<< SEARCH", f"{blank}=======", f"{blank}>>>>>>> REPLACE")
    parts = scene_hunks(scene, 1)
    if len(parts) > 1 and rng.random() < 0.5:
        return may(scene, search_replace(parts[:1], marks) + "\n" + search_replace(parts[1:]))
    return may(scene, search_replace(parts, marks))


@case_class("marks:indented-patch")
def indented_patch(rng: random.Random) -> Case:
    """One mark of a patch, or each of them, is indented."""
    scene = draw_scene(rng)
    blank = rng.choice((" ", "  ", "    "))
    lines = render("patch", scene).rstrip("\n").split("\n")
    marked = [at for at, line in enumerate(lines) if line.startswith(("***", "@@"))]
    for at in rng.choice((marked, [rng.choice(marked)])):
        lines[at] = blank + lines[at]
    return may(scene, "\n".join(lines) + "\n")


@case_class("marks:bare-update")
def bare_update(rng: random.Random) -> Case:
    """The section's mark has no stars, or two of them."""
    scene = draw_scene(rng)
    head = f"*** Update File: {scene.document.name}"
    name = scene.document.name
    new = rng.choice(
        (
            f"Update File: {name}",
            f"** Update File: {name}",
            f"***Update File: {name}",
            f"*** Update file: {name}",
            f"*** UPDATE FILE: {name}",
            f"*** Update: {name}",
        )
    )
    return may(scene, render("patch", scene).replace(head, new))


@case_class("marks:no-begin")
def no_begin(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    return may(scene, render("patch", scene).removeprefix("*** Begin Patch\n"))


@case_class("marks:two-envelopes")
def two_envelopes(rng: random.Random) -> Case:
    scene = draw_scene(rng, count=2)
    parts = scene_hunks(scene, 1)
    replies = [envelope(section(scene.document.name, [hunk])) for hunk in parts]
    return may(scene, "\n".join(replies))


@case_class("divider:missing")
def divider_missing(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    reply = render("blocks", scene)
    return refuse(scene.document, reply.replace("=======\n", "", 1))


@case_class("divider:short")
def divider_short(rng: random.Random) -> Case:
    scene = draw_scene(rng, count=1)
    marks = Marks(divider=rng.choice(("===", "==", "====", "-------")))
    return may(scene, search_replace(scene_hunks(scene, 1), marks))


@case_class("divider:doubled")
def divider_doubled(rng: random.Random) -> Case:
    """A second divider in the new half: left out or refused, never written.

    In a file that has such a line it may be meant, and is written.
    """
    scene = draw_scene(rng, count=1, suits=lambda document: "=======" not in document.lines)
    hunk = scene_hunks(scene, 1)[0]
    new = list(hunk.new)
    new.insert(rng.randrange(len(new) + 1), "=======")
    return may(scene, block(hunk.old, new))


@case_class("search:missing")
def search_missing(rng: random.Random) -> Case:
    """The first mark of the second block is missing."""
    scene = draw_scene(rng, count=2)
    reply = render("blocks", scene)
    if reply.count("<<<<<<< SEARCH") < 2:
        raise Unsuited("one block")
    at = reply.rindex("<<<<<<< SEARCH\n")
    return refuse(scene.document, reply[:at] + reply[at + len("<<<<<<< SEARCH\n") :])


@case_class("replace:missing-first")
def replace_missing_first(rng: random.Random) -> Case:
    """The last mark of the first block is missing, the second block is whole."""
    scene = draw_scene(rng, count=2)
    reply = render("blocks", scene)
    if reply.count("<<<<<<< SEARCH") < 2:
        raise Unsuited("one block")
    return may(scene, reply.replace(">>>>>>> REPLACE\n", "", 1))


def with_lines_like_marks(rng: random.Random) -> Scene:
    """A text with lines that look like marks of a format, and a change near them."""
    likeness = (
        "=======",
        "--- old",
        "+++ new",
        "@@ -1,2 +3,4 @@",
        "-- note",
        "++ more",
        "- item",
        "+ item",
        "* star",
        "*** Update",
        "***",
        ">>>>>>>",
        "<<<<<<<",
        "diff --git a/x b/x",
        "*** End of File?",
        "> quoted",
        "----",
        "@@",
        "\\ No newline",
        "-",
        "+",
        "index 12..34",
    )
    document = draw_document(rng, {"markdown"}, plain=rng.random() < 0.6)
    at = rng.choice([i for i, line in enumerate(document.lines) if line.startswith("## ")])
    picked = rng.sample(likeness, 6)
    words = [f"Plain words, number {rng.randrange(1000)} of them." for _ in range(2)]
    new = ["", *picked[:3], words[0], *picked[3:], words[1], ""]
    document = document.with_lines((*document.lines[:at], *new, *document.lines[at:]))
    change_at = at + rng.randrange(1, len(new) - 1)
    kind = rng.choice(("alter", "delete", "insert"))
    old = document.lines[change_at]
    fresh = rng.choice((f"{old} indeed", "-- another note", "+++ more", "- other item", "Words."))
    if kind == "alter":
        change = Change(change_at, (old,), (fresh,))
    elif kind == "delete":
        change = Change(change_at, (old,), ())
    else:
        change = Change(change_at, (), (fresh,))
    scene = Scene(document, (change,))
    if len(places(document.lines, scene_hunks(scene, 3)[0].old)) != 1:
        raise Unsuited("not one place")
    return scene


for form in FORMS:

    @case_class(f"looks-like-marks:{form}", form=form)
    def looks_like_marks(rng: random.Random, form: str) -> Case:
        """Text that looks like a format's syntax is text.

        A block whose text has a whole mark of its own format may be refused.
        """
        scene = with_lines_like_marks(rng)
        reply = render(form, scene, 3)
        if form in ("patch", "blocks"):
            return may(scene, reply)
        return must(scene, reply)

    @case_class(f"divider:in-file:{form}", form=form)
    def divider_in_file(rng: random.Random, form: str) -> Case:
        """The file has a line of the divider's signs near the change, as headings have."""
        scene = draw_scene(rng, {"python", "ruby", "bash", "markdown"}, count=1, kind="alter")
        old = scene.changes[0]
        lines = list(scene.lines)
        start, end = scene.language.comment
        if scene.document.language == "markdown":
            extra = ["", "Title", rng.choice(("=====", "=======", "========")), ""]
        else:
            extra = [f"{indent_of(lines[old.start])}{start}======={end}"]
        lines[old.start : old.start] = extra
        change = Change(old.start + len(extra), old.old, old.new)
        later = Scene(scene.document.with_lines(lines), (change,))
        return must(later, render(form, later, 2))


@case_class("divider:own-lines")
def own_lines(rng: random.Random) -> Case:
    """`=======` alone on a line of both halves; one reading places."""
    scene = draw_scene(rng, {"bash"}, count=1, plain=True)
    lines = scene.lines
    at = next(i for i, line in enumerate(lines) if line == "Do not edit.")
    change = Change(at, (lines[at],), (f"Do not edit, number {rng.randrange(99)}.",))
    later = Scene(scene.document, (change,))
    return must(later, render("blocks", later, 2))


@case_class("conflict:resolved")
def conflict_resolved(rng: random.Random) -> Case:
    """The file has merge markers, and the edit takes them out."""
    scene = draw_scene(rng, count=1, kind="alter", plain=True)
    change = scene.changes[0]
    lines = list(scene.lines)
    conflict = ("<<<<<<< HEAD", *change.old, "=======", *change.new, ">>>>>>> feature")
    lines[change.start : change.end] = conflict
    later = Scene(scene.document.with_lines(lines), (Change(change.start, conflict, change.new),))
    form = rng.choice(("udiff", "patch", "json_strings"))
    return must(later, render(form, later, 2))


@case_class("conflict:beside")
def conflict_beside(rng: random.Random) -> Case:
    """The file has merge markers elsewhere; the edit is about other lines."""
    scene = draw_scene(rng, {"markdown", "yaml", "make"}, count=1, kind="alter", plain=True)
    lines = list(scene.lines)
    conflict = ["<<<<<<< HEAD", "one", "=======", "two", ">>>>>>> feature"]
    later = Scene(scene.document.with_lines([*lines, *conflict]), scene.changes)
    return must(later, render(rng.choice(PLACED), later, 2))


@case_class("marks:fence-between")
def fence_between(rng: random.Random) -> Case:
    """A fence around each half of a block."""
    scene = draw_scene(rng, count=1)
    hunk = scene_hunks(scene, 1)[0]
    language = scene.document.language
    rows = ["<<<<<<< SEARCH", f"```{language}", *hunk.old, "```", "======="]
    rows += [f"```{language}", *hunk.new, "```", ">>>>>>> REPLACE"]
    return may(scene, "\n".join(rows) + "\n")
