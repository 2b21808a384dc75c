"""Edits that place well and would still do damage."""

from __future__ import annotations

import random
import string

from edits import Scene, draw_scene
from expect import about, may, must, refuse
from formats import block, render_hunks, scene_hunks
from languages import CODE, indent_of
from model import Case, Change, Unsuited, case_class

FORMS = ("udiff", "patch", "blocks", "json_strings")
PARSED = {"rust", "python", "typescript", "javascript", "go", "java"}


def adding(rng: random.Random, scene: Scene, *lines: str) -> Scene:
    """The scene with these lines added where its first change is, indented as it is."""
    old = scene.changes[0]
    indent = indent_of(scene.lines[max(0, old.start - 1)] if not old.old else old.old[0])
    new = tuple(indent + line for line in lines)
    return Scene(scene.document, (Change(old.start, (), new),))


for form in FORMS:

    @case_class(f"guard:syntax:{form}", form=form)
    def syntax(rng: random.Random, form: str) -> Case:
        """A closing bracket is lost."""
        scene = draw_scene(rng, PARSED, count=1, kind="alter")
        change = scene.changes[0]
        if ")" not in change.new[0]:
            raise Unsuited("no bracket")
        at = change.new[0].rindex(")")
        broken = change.new[0][:at] + change.new[0][at + 1 :]
        if broken.count('"') != 0 and change.new[0].find('"') < at < change.new[0].rfind('"'):
            raise Unsuited("in a text")
        later = Scene(scene.document, (Change(change.start, change.old, (broken,)),))
        return refuse(scene.document, render_hunks(form, scene.document.name, scene_hunks(later)))

    @case_class(f"guard:marks-written:{form}", form=form)
    def marks_written(rng: random.Random, form: str) -> Case:
        """New lines hold a fence or a mark of a format."""
        scene = draw_scene(rng, CODE | {"css", "yaml", "make"}, count=1, kind="insert")
        old = scene.changes[0]
        mark = rng.choice(
            (
                "```",
                "<<<<<<< SEARCH",
                ">>>>>>> REPLACE",
                "*** Begin Patch",
                "*** End Patch",
                "</think>",
            )
        )
        if form in ("patch", "udiff") and mark.startswith("***"):
            mark = "```python"
        if form == "blocks" and ("SEARCH" in mark or "REPLACE" in mark):
            mark = "*** Update File: x"
        new = [*old.new]
        new.insert(rng.randrange(len(new) + 1), mark)
        later = Scene(scene.document, (Change(old.start, (), tuple(new)),))
        return may(scene, render_hunks(form, scene.document.name, scene_hunks(later)), note=mark)

    @case_class(f"guard:doubled:{form}", form=form)
    def doubled(rng: random.Random, form: str) -> Case:
        """The last new line equals the one below it: left out, or refused."""
        scene = draw_scene(rng, CODE, count=1, kind="alter")
        change = scene.changes[0]
        below = scene.lines[change.end]
        if not below.strip() or below.strip() in ("}", "end", "return", ")", "else", "fi", "});"):
            raise Unsuited("a short line")
        later = Scene(scene.document, (Change(change.start, change.old, (*change.new, below)),))
        return may(scene, render_hunks(form, scene.document.name, scene_hunks(later)))

    @case_class(f"guard:secret:{form}", form=form)
    def secret(rng: random.Random, form: str) -> Case:
        """Text of a key's shape that the file did not have."""
        scene = draw_scene(rng, PARSED, count=1, kind="insert")
        letters = string.ascii_letters + string.digits
        some = lambda count: "".join(rng.choice(letters) for _ in range(count))  # noqa: E731
        key = rng.choice(
            (
                "AKIA" + some(16).upper(),
                "ghp_" + some(36),
                "sk-proj-" + some(44),
                "xoxb-" + "123456789012-" + some(24),
            )
        )
        end = ";" if scene.document.language in ("rust", "typescript", "javascript", "java") else ""
        later = adding(rng, scene, f'connect("{key}"){end}')
        reply = render_hunks(form, scene.document.name, scene_hunks(later))
        return refuse(scene.document, reply, note=key[:8])

    @case_class(f"guard:loop:{form}", form=form)
    def loop(rng: random.Random, form: str) -> Case:
        """New lines that are a few over and over."""
        scene = draw_scene(rng, CODE | {"yaml", "make"}, count=1, kind="insert")
        period = rng.randrange(1, 5)
        times = 14 if period == 1 else -(-64 // period)
        start, end = scene.language.comment
        run = [f"{start}again {index}{end}" for index in range(period)] * times
        later = adding(rng, scene, *run)
        return refuse(scene.document, render_hunks(form, scene.document.name, scene_hunks(later)))

    @case_class(f"guard:numbered:{form}", form=form)
    def numbered(rng: random.Random, form: str) -> Case:
        """The prompt's line numbers on every line of a block."""
        scene = draw_scene(rng)
        pattern = rng.choice(("{0}: {1}", "{0:4} | {1}", "{0}\t{1}", "{0:>3}: {1}"))
        parts = []
        for hunk in scene_hunks(scene, 2):
            at, rows = hunk.start + 1, []
            for mark, line in hunk.rows:
                rows.append((mark, pattern.format(at, line)))
                at += mark != "-"
            # Context lines have one number in both halves, as in the prompt.
            parts.append(hunk.with_rows(rows))
        reply = render_hunks(form, scene.document.name, parts)
        return may(scene, reply, note=pattern)

    @case_class(f"guard:numbered-half:{form}", form=form)
    def numbered_half(rng: random.Random, form: str) -> Case:
        """Numbers on the new lines alone: they are never written."""
        scene = draw_scene(rng, CODE, count=1, kind="alter")
        hunk = scene_hunks(scene, 2)[0]
        rows = [(m, f"{scene.changes[0].start + 1}: {l}" if m == "+" else l) for m, l in hunk.rows]
        reply = render_hunks(form, scene.document.name, [hunk.with_rows(rows)])
        return may(scene, reply)


@case_class("guard:numbered-blocks")
def numbered_blocks(rng: random.Random) -> Case:
    """Both halves of a block are numbered from the same line, as a prompt shows them."""
    scene = draw_scene(rng, count=1)
    hunk = scene_hunks(scene, 2)[0]
    pattern = rng.choice(("{0}: {1}", "{0:4} | {1}", "{0} | {1}"))
    old = [pattern.format(hunk.start + 1 + i, line) for i, line in enumerate(hunk.old)]
    new = [pattern.format(hunk.start + 1 + i, line) for i, line in enumerate(hunk.new)]
    return must(scene, block(old, new), note=pattern)


@case_class("guard:plus-in-new")
def plus_in_new(rng: random.Random) -> Case:
    """Diff marks within the halves of a block: taken as such, or refused; never written."""
    scene = draw_scene(rng, CODE, count=1, kind="alter")
    hunk = scene_hunks(scene, 1)[0]
    old = [("-" if m == "-" else " ") + line for m, line in hunk.rows if m != "+"]
    new = [("+" if m == "+" else " ") + line for m, line in hunk.rows if m != "-"]
    if rng.random() < 0.5:
        old = hunk.old
    return may(scene, block(old, new))


@case_class("guard:plus-within-plus")
def plus_within_plus(rng: random.Random) -> Case:
    """New lines of a patch are marked twice."""
    scene = draw_scene(rng, PARSED, count=1, kind="insert")
    hunk = scene_hunks(scene)[0]
    rows = [(m, "+" + line if m == "+" else line) for m, line in hunk.rows]
    form = rng.choice(("udiff", "patch"))
    return may(scene, render_hunks(form, scene.document.name, [hunk.with_rows(rows)]))


@case_class("guard:repeats-are-code")
def repeats_are_code(rng: random.Random) -> Case:
    """Eight equal lines are fewer than a loop has."""
    scene = draw_scene(rng, {"python", "javascript", "go", "ruby"}, count=1, kind="insert")
    words = "step()" + (";" if scene.document.language == "javascript" else "")
    later = adding(rng, scene, *([words] * rng.randrange(2, 9)))
    return must(later, render_hunks(rng.choice(FORMS), scene.document.name, scene_hunks(later)))


@case_class("guard:table-is-code")
def table_is_code(rng: random.Random) -> Case:
    """Many new lines that are alike and all different."""
    scene = draw_scene(rng, {"python", "javascript", "rust", "ruby"}, count=1, kind="insert")
    end = ";" if scene.document.language in ("javascript", "rust") else ""
    rows = [f"entry({index}, {rng.randrange(10**6)}){end}" for index in range(90)]
    later = adding(rng, scene, *rows)
    return must(later, render_hunks(rng.choice(FORMS), scene.document.name, scene_hunks(later)))


@case_class("guard:everything-deleted")
def everything_deleted(rng: random.Random) -> Case:
    """A hunk that shows the whole file and deletes it: made and flagged, or refused.

    Large removals are demoted, not dropped; only an answer that *is* a file has a least size.
    """
    scene = draw_scene(rng, count=1)
    gone = Scene(scene.document, (Change(0, scene.lines, ()),))
    form = rng.choice(FORMS)
    return may(gone, render_hunks(form, scene.document.name, scene_hunks(gone)))


@case_class("guard:placeholder-names")
def placeholder_names(rng: random.Random) -> Case:
    """A template's own words in place of code."""
    scene = draw_scene(rng, count=1)
    words = rng.choice(
        (
            block(["[exact lines to find]"], ["[new lines]"]),
            block(["..."], ["..."]),
            "*** Begin Patch\n*** Update File: path/to/file\n@@\n-old\n+new\n*** End Patch\n",
            "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-old line\n+new line\n",
        )
    )
    return about(scene.document, words, scene.document.bytes(), refusal=True)
