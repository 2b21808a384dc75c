"""Indentation, tabs, line endings, trailing blanks, the end of the file."""

from __future__ import annotations

import random
from dataclasses import replace

from edits import Scene, draw_change, draw_document, draw_scene, places
from expect import about, may, must
from formats import Hunk, block, git_diff, render_hunks, scene_hunks, udiff
from languages import indent_of, statements
from model import Case, Change, Document, Unsuited, case_class

FORMS = ("udiff", "patch", "blocks", "tags", "json_strings")
SPACED = {"rust", "python", "typescript", "javascript", "java", "ruby", "bash", "css"}
TABBED = {"go"}


def mapped(hunk: Hunk, change: object) -> Hunk:
    """The hunk with each line handed through a function."""
    return hunk.with_rows((mark, change(line)) for mark, line in hunk.rows)  # type: ignore


for form in FORMS:

    @case_class(f"outdented:{form}", form=form)
    def outdented(rng: random.Random, form: str) -> Case:
        """All lines of a block lost the same indentation."""
        scene = draw_scene(rng, SPACED | TABBED, count=1)
        hunk = scene_hunks(scene, 1)[0]
        least = min(len(indent_of(line)) for _, line in hunk.rows if line.strip())
        if least == 0:
            raise Unsuited("nothing to lose")
        cut = rng.choice((least, least, max(1, least // 2)))
        return must(
            scene, render_hunks(form, scene.document.name, [mapped(hunk, lambda l: l[cut:])])
        )

    @case_class(f"overindented:{form}", form=form)
    def overindented(rng: random.Random, form: str) -> Case:
        scene = draw_scene(rng, SPACED, count=1)
        hunk = scene_hunks(scene, 1)[0]
        more = " " * rng.choice((2, 4))
        shifted = mapped(hunk, lambda line: more + line if line else line)
        return must(scene, render_hunks(form, scene.document.name, [shifted]))

    @case_class(f"tabs-for-spaces:{form}", form=form)
    def tabs_for_spaces(rng: random.Random, form: str) -> Case:
        unit = rng.choice((2, 4))
        fours = {"rust", "python", "java", "bash"}
        twos = {"typescript", "javascript", "ruby", "css"}
        scene = draw_scene(rng, fours if unit == 4 else twos)

        def tabbed(line: str) -> str:
            depth = len(indent_of(line))
            if depth % unit:
                raise Unsuited("half a step")
            return "\t" * (depth // unit) + line[depth:]

        parts = [mapped(hunk, tabbed) for hunk in scene_hunks(scene)]
        if all("\t" not in line for hunk in parts for line in hunk.old):
            raise Unsuited("no indentation")
        return must(scene, render_hunks(form, scene.document.name, parts))

    @case_class(f"spaces-for-tabs:{form}", form=form)
    def spaces_for_tabs(rng: random.Random, form: str) -> Case:
        scene = draw_scene(rng, {"go"})
        unit = " " * rng.choice((2, 4, 8))
        parts = [
            mapped(h, lambda l: indent_of(l).replace("\t", unit) + l.lstrip("\t"))
            for h in scene_hunks(scene)
        ]
        if all(not line.startswith(" ") for hunk in parts for line in hunk.old):
            raise Unsuited("no indentation")
        return must(scene, render_hunks(form, scene.document.name, parts))

    @case_class(f"spaces-in-new-line:{form}", form=form)
    def spaces_in_new_line(rng: random.Random, form: str) -> Case:
        """Tabs in the file and the context, blanks in the new lines alone: converted, or refused.

        Written as they are they would be a second kind of indentation.
        """
        scene = draw_scene(rng, {"go"}, kind=rng.choice(("insert", "both")))
        parts = [
            hunk.with_rows(
                (m, line.replace("\t", "    ") if m == "+" else line) for m, line in hunk.rows
            )
            for hunk in scene_hunks(scene)
        ]
        return may(scene, render_hunks(form, scene.document.name, parts))

    @case_class(f"first-indent-lost:{form}", form=form)
    def first_indent_lost(rng: random.Random, form: str) -> Case:
        """The first line of the block begins at its text, the others are right."""
        scene = draw_scene(rng, SPACED, count=1, kind="alter")
        hunk = scene_hunks(scene, 1)[0]
        if hunk.rows[0][0] != " " or not hunk.rows[0][1].startswith("  "):
            raise Unsuited("not indented")
        rows = [(" ", hunk.rows[0][1].lstrip()), *hunk.rows[1:]]
        return must(scene, render_hunks(form, scene.document.name, [hunk.with_rows(rows)]))

    @case_class(f"mixed-endings:{form}", form=form)
    def mixed_endings(rng: random.Random, form: str) -> Case:
        """Each line keeps its ending; a new one takes its neighbours'."""
        scene = draw_scene(rng, plain=True)
        lines = list(scene.lines)
        endings = ["\r\n" if rng.random() < 0.5 else "\n" for _ in lines]
        for change in scene.changes:
            for at in range(max(0, change.start - 1), min(len(lines), change.end + 1)):
                endings[at] = endings[max(0, change.start - 1)]
        before = "".join(line + ending for line, ending in zip(lines, endings))
        pairs = list(zip(lines, endings))
        for change in reversed(scene.changes):
            ending = endings[max(0, change.start - 1)]
            pairs[change.start : change.end] = [(line, ending) for line in change.new]
        after = "".join(line + ending for line, ending in pairs)
        for one, other in zip(scene.changes, scene.changes[1:]):
            if other.start - one.end < 4:
                raise Unsuited("too near")
        case = must(scene, render_hunks(form, scene.document.name, scene_hunks(scene)))
        return replace(case, tree={scene.document.name: before.encode()}, texts=(after.encode(),))

    @case_class(f"trailing-blanks-in-file:{form}", form=form)
    def trailing_blanks_in_file(rng: random.Random, form: str) -> Case:
        """Lines of the file end in blanks that the reply lacks; those that stay keep them."""
        scene = draw_scene(rng, SPACED | TABBED)
        lines = [line + rng.choice(("", "", " ", "  ", "\t")) for line in scene.lines]
        changes = [Change(c.start, tuple(lines[c.start : c.end]), c.new) for c in scene.changes]
        if any("\\" in line for line in lines):
            raise Unsuited("a continued line")
        # What was altered keeps nothing: the reply's new line is written as it is.
        later = Scene(scene.document.with_lines(lines), tuple(changes))
        return must(later, render_hunks(form, scene.document.name, scene_hunks(scene)))

    @case_class(f"trailing-blanks-in-reply:{form}", form=form)
    def trailing_blanks_in_reply(rng: random.Random, form: str) -> Case:
        """Old lines of the reply end in blanks that the file lacks."""
        scene = draw_scene(rng)
        parts = [
            h.with_rows((m, line + (" " if m != "+" else "")) for m, line in h.rows)
            for h in scene_hunks(scene)
        ]
        return must(scene, render_hunks(form, scene.document.name, parts))

    @case_class(f"stray-blank-edges:{form}", form=form)
    def stray_blank_edges(rng: random.Random, form: str) -> Case:
        """An empty line at the edge of both halves that the file does not have."""
        scene = draw_scene(rng, count=1)
        hunk = scene_hunks(scene, 1)[0]
        rows = list(hunk.rows)
        if not rows[0][1].strip() or not rows[-1][1].strip():
            raise Unsuited("an empty line that the file has")
        edge = rng.choice(("top", "bottom", "both"))
        if edge != "bottom":
            rows.insert(0, (" ", ""))
        if edge != "top":
            rows.append((" ", ""))
        return must(scene, render_hunks(form, scene.document.name, [hunk.with_rows(rows)]))

    @case_class(f"end-of-file:no-newline:{form}", form=form)
    def no_newline(rng: random.Random, form: str) -> Case:
        """The change is at the end of a file without a newline there."""
        document = replace(draw_document(rng), final=False)
        count = len(document.lines)
        simple = statements(document.language, document.lines)
        near = [at for at in simple if at >= count - 4]
        if near and rng.random() < 0.7:
            change = draw_change(rng, document, rng.choice(near), "alter")
        else:
            start, end = Scene(document, ()).language.comment
            new = f"{start}the end {rng.randrange(999)}{end}"
            change = Change(count, (), (new,))
        scene = Scene(document, (change,))
        return must(scene, render_hunks(form, document.name, scene_hunks(scene, 3)))

    @case_class(f"mark-kept:{form}", form=form)
    def mark_kept(rng: random.Random, form: str) -> Case:
        """The first line of a file with a byte-order mark is changed, or gets one above it."""
        document = replace(draw_document(rng, plain=True), mark=True)
        start, end = Scene(document, ()).language.comment
        new = (f"{start}first {rng.randrange(99)}{end}",)
        change = Change(0, (), new)
        if document.lines[0].startswith(start.strip()) and rng.random() < 0.5:
            change = Change(0, document.lines[:1], new)
        scene = Scene(document, (change,))
        return must(scene, render_hunks(form, document.name, scene_hunks(scene, 3)))

    @case_class(f"odd-breaks:{form}", form=form)
    def odd_breaks(rng: random.Random, form: str) -> Case:
        """Signs that some programs take for line ends: they are part of a line."""
        scene = draw_scene(rng, SPACED | TABBED, count=1, kind="alter")
        odd = rng.choice(("\x0c", "\x0b", "\u2028", "\u2029", "\x85", "\x1c", "\x1e"))
        start, end = scene.language.comment
        lines = list(scene.lines)
        at = scene.changes[0].start
        lines.insert(at, f"{indent_of(lines[at])}{start}a{odd}b{end}")
        change = replace(scene.changes[0], start=at + 1)
        later = Scene(scene.document.with_lines(lines), (change,))
        return must(later, render_hunks(form, scene.document.name, scene_hunks(later)))


@case_class("lone-returns")
def lone_returns(rng: random.Random) -> Case:
    """A carriage return within a line is no line end."""
    scene = draw_scene(rng, SPACED, count=1, kind="alter", plain=True)
    start, end = scene.language.comment
    lines = list(scene.lines)
    at = scene.changes[0].start
    lines.insert(at, f"{indent_of(lines[at])}{start}a\rb{end}")
    change = replace(scene.changes[0], start=at + 1)
    later = Scene(scene.document.with_lines(lines), (change,))
    parts = scene_hunks(scene, 2)
    if parts[0].start + 1 >= at:
        raise Unsuited("no context above")
    # The line is not in the context: the hunk is about what is below it.
    parts = [Hunk(at + 1, tuple(row for row in scene_hunks(later, 0)[0].rows))]
    if len(places(later.lines, parts[0].old)) != 1:
        raise Unsuited("not one place")
    return may(later, render_hunks(rng.choice(FORMS), scene.document.name, parts))


for form in ("udiff", "patch"):

    @case_class(f"empty-context-bare:{form}", form=form)
    def empty_context_bare(rng: random.Random, form: str) -> Case:
        """An empty context line without its blank, as editors leave it."""
        scene = draw_scene(rng)
        parts = scene_hunks(scene, 5)
        if all(row != (" ", "") for hunk in parts for row in hunk.rows):
            raise Unsuited("no empty line")
        rows = render_hunks(form, scene.document.name, parts).split("\n")
        return must(scene, "\n".join("" if row == " " else row for row in rows))

    @case_class(f"context-unmarked:{form}", form=form)
    def context_unmarked(rng: random.Random, form: str) -> Case:
        """Context lines come without the blank in front."""
        scene = draw_scene(rng, SPACED | {"go", "c"})
        parts = scene_hunks(scene)
        contexts = [line for hunk in parts for mark, line in hunk.rows if mark == " "]
        if any(line.startswith(("-", "+", "*", "@", "#", "\\")) for line in contexts):
            raise Unsuited("it would be a mark")
        rows = render_hunks(form, scene.document.name, parts).split("\n")
        return must(scene, "\n".join(row[1:] if row.startswith(" ") else row for row in rows))

    @case_class(f"blank-after-mark:{form}", form=form)
    def blank_after_mark(rng: random.Random, form: str) -> Case:
        """`- old` and `+ new`: a blank between the mark and the line, everywhere."""
        scene = draw_scene(rng)
        parts = [mapped(h, lambda line: " " + line) for h in scene_hunks(scene)]
        return may(scene, render_hunks(form, scene.document.name, parts))


@case_class("no-newline-note")
def no_newline_note(rng: random.Random) -> Case:
    """git's own words for a file without a newline at its end."""
    document = replace(draw_document(rng), final=False)
    lines = document.lines
    start, end = Scene(document, ()).language.comment
    new = f"{start}the end {rng.randrange(999)}{end}"
    if rng.random() < 0.5:
        scene = Scene(document, (Change(len(lines), (), (new,)),))
        rows = [(" ", line) for line in lines[-3:-1]]
        rows += [("-", lines[-1]), ("\\", " No newline at end of file")]
        rows += [("+", lines[-1]), ("+", new), ("\\", " No newline at end of file")]
    else:
        at = len(lines) - 2
        simple = statements(document.language, lines)
        if at not in simple:
            raise Unsuited("no statement there")
        scene = Scene(document, (draw_change(rng, document, at, "alter"),))
        rows = [(" ", line) for line in lines[at - 3 : at]] + [("-", lines[at])]
        rows += [("+", scene.changes[0].new[0]), (" ", lines[-1])]
        rows += [("\\", " No newline at end of file")]
    hunk = Hunk(len(lines) - 3, tuple(rows))
    old = sum(mark in " -" for mark, _ in rows)
    added = sum(mark in " +" for mark, _ in rows)
    low = len(lines) - old + 1
    mark = f"@@ -{low},{old} +{low},{added} @@"
    return must(scene, udiff(document.name, [hunk], [mark]))


@case_class("newline-added-at-end")
def newline_added_at_end(rng: random.Random) -> Case:
    """git's diff adds the newline at the end: with it, or the file's state as it was."""
    document: Document = replace(draw_document(rng, plain=True), final=False)
    start, end = Scene(document, ()).language.comment
    new = f"{start}the end {rng.randrange(999)}{end}"
    lines = document.lines
    scene = Scene(document, (Change(len(lines), (), (new,)),))
    rows = [f"--- a/{document.name}", f"+++ b/{document.name}"]
    rows += [f"@@ -{len(lines)} +{len(lines)},2 @@", "-" + lines[-1]]
    rows += ["\\ No newline at end of file", "+" + lines[-1], "+" + new]
    target = scene.target()
    texts = (target.bytes(), replace(target, final=True).bytes())
    return about(document, "\n".join(rows) + "\n", *texts)


@case_class("crlf:no-other-byte")
def crlf_no_other_byte(rng: random.Random) -> Case:
    """A CRLF file, with the reply in LF: only the changed lines differ."""
    scene = draw_scene(rng)
    document = replace(scene.document, ending="\r\n")
    scene = Scene(document, scene.changes)
    form = rng.choice(FORMS)
    return must(scene, render_hunks(form, document.name, scene_hunks(scene)))


@case_class("git:large-context")
def git_large_context(rng: random.Random) -> Case:
    """The whole file as context."""
    scene = draw_scene(rng)
    return must(scene, git_diff(scene.document.name, scene_hunks(scene, 500)))


@case_class("stray-blank-edge:search-only")
def stray_blank_search_only(rng: random.Random) -> Case:
    """The empty line is in the old half alone, and the file does not have it."""
    scene = draw_scene(rng, count=1, kind="alter")
    hunk = scene_hunks(scene, 1)[0]
    old = ["", *hunk.old] if rng.random() < 0.5 else [*hunk.old, ""]
    if len(places(scene.lines, old)) > 0:
        raise Unsuited("it is there")
    return may(scene, block(old, hunk.new))


@case_class("whitespace-change")
def whitespace_change(rng: random.Random) -> Case:
    """The edit changes indentation alone, by wrapping lines; it is made as it is."""
    scene = draw_scene(rng, {"rust", "typescript", "javascript", "java"}, count=1, kind="alter")
    at = scene.changes[0].start
    line = scene.lines[at]
    if "return" in line or line.lstrip().startswith(("let ", "const ", "double ", "String ")):
        raise Unsuited("a declaration")
    indent = indent_of(line)
    step = "    " if scene.document.language in ("rust", "java") else "  "
    head = "if ready {" if scene.document.language == "rust" else "if (ready) {"
    new = (indent + head, step + line, indent + "}")
    later = Scene(scene.document, (Change(at, (line,), new),))
    return must(later, render_hunks(rng.choice(FORMS), scene.document.name, scene_hunks(later)))
