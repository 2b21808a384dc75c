"""Stand-ins for code that was left out, and dots that are code."""

from __future__ import annotations

import random

from edits import Scene, draw_scene
from expect import may, must
from formats import block, fenced, render_hunks, scene_hunks
from languages import Block, blocks, indent_of
from model import Case, Change, Unsuited, case_class

COMMON = (
    "... existing code ...",
    "... rest of the code ...",
    "... rest unchanged",
    "... (unchanged)",
    "rest of the function remains the same",
    "... other methods ...",
    "existing code here",
    "(same as before)",
    "previous code",
    "...",
    "… existing code …",
)
RARE = (
    "keep the rest as is",
    "TODO: keep rest",
    "body unchanged",
    "same body",
    "existing logic",
    "[rest of function]",
    "snip",
    "[...]",
    "omitted for brevity",
    "implementation stays the same",
    "the remaining lines are not changed",
    "same as above",
    "no changes below",
    "as before",
    "unchanged",
    "rest of implementation",
)
LANGUAGES = {"rust", "python", "typescript", "javascript", "go", "java", "c", "ruby", "bash"}
WORDINGS = {"common": COMMON, "rare": RARE}


def stand_in(rng: random.Random, scene: Scene, indent: str, words: str) -> str:
    start, end = scene.language.comment
    return f"{indent}{start}{words}{end}"


def lazy_scene(rng: random.Random) -> tuple[Scene, Block, int, int]:
    """A change within a function, and lines of that function that may be left out."""
    scene = draw_scene(rng, LANGUAGES, count=1, kind=rng.choice(("alter", "insert", "both")))
    change = scene.changes[0]
    for part in blocks(scene.document.language, scene.lines):
        if part.start < change.start and change.end < part.end - 2:
            low, high = change.end, part.end - 1
            if scene.document.language == "python":
                high = part.end
            if high - low >= 2 and scene.lines[low].strip():
                return scene, part, low, high
    raise Unsuited("nothing to leave out")


for kind, wordings in WORDINGS.items():

    @case_class(f"stand-in:region:{kind}", wordings=wordings)
    def in_region(rng: random.Random, wordings: tuple[str, ...]) -> Case:
        """The rest of the function is a comment: filled in, or refused."""
        scene, part, low, high = lazy_scene(rng)
        growth = len(scene.target().lines) - len(scene.lines)
        target = scene.target().lines
        words = rng.choice(wordings)
        comment = stand_in(rng, scene, indent_of(scene.lines[low]), words)
        rows = [*target[part.start : low + growth], comment]
        rows += target[high + growth : part.end + growth]
        reply = fenced("\n".join(rows), scene.document.language)
        return may(scene, reply, lines=(part.start, part.end), note=words)

    @case_class(f"stand-in:blocks:{kind}", wordings=wordings)
    def in_blocks(rng: random.Random, wordings: tuple[str, ...]) -> Case:
        """The new half of a block leaves out what the old half shows."""
        scene, part, low, high = lazy_scene(rng)
        growth = len(scene.target().lines) - len(scene.lines)
        target = scene.target().lines
        words = rng.choice(wordings)
        comment = stand_in(rng, scene, indent_of(scene.lines[low]), words)
        rows = [*target[part.start : low + growth], comment]
        rows += target[high + growth : part.end + growth]
        return may(scene, block(scene.lines[part.start : part.end], rows), note=words)

    @case_class(f"stand-in:whole:{kind}", wordings=wordings)
    def in_whole(rng: random.Random, wordings: tuple[str, ...]) -> Case:
        """A whole file with a gap."""
        scene, part, low, high = lazy_scene(rng)
        growth = len(scene.target().lines) - len(scene.lines)
        target = scene.target().lines
        words = rng.choice(wordings)
        comment = stand_in(rng, scene, indent_of(scene.lines[low]), words)
        rows = [*target[: low + growth], comment, *target[high + growth :]]
        return may(scene, fenced("\n".join(rows), scene.document.language, "~~~"), note=words)

    @case_class(f"stand-in:whole-many:{kind}", wordings=wordings)
    def in_whole_many(rng: random.Random, wordings: tuple[str, ...]) -> Case:
        """A whole file of which all is left out but the changed function."""
        scene, part, low, high = lazy_scene(rng)
        growth = len(scene.target().lines) - len(scene.lines)
        words = rng.choice(wordings)
        comment = stand_in(rng, scene, "", words)
        function = scene.target().lines[part.start : part.end + growth]
        rows = [comment, "", *function, "", comment]
        return may(scene, fenced("\n".join(rows), scene.document.language, "~~~"), note=words)

    @case_class(f"stand-in:diff:{kind}", wordings=wordings)
    def in_diff(rng: random.Random, wordings: tuple[str, ...]) -> Case:
        """A hunk that adds the stand-in and deletes the lines."""
        scene, part, low, high = lazy_scene(rng)
        words = rng.choice(wordings)
        comment = stand_in(rng, scene, indent_of(scene.lines[low]), words)
        bad = Change(low, scene.lines[low:high], (comment,))
        later = Scene(scene.document, (*scene.changes, bad))
        form = rng.choice(("udiff", "patch", "json_strings"))
        return may(scene, render_hunks(form, scene.document.name, scene_hunks(later)), note=words)

    @case_class(f"stand-in:context:{kind}", wordings=wordings)
    def in_context(rng: random.Random, wordings: tuple[str, ...]) -> Case:
        """A context line of a hunk stands for several of the file."""
        scene, part, low, high = lazy_scene(rng)
        words = rng.choice(wordings)
        comment = stand_in(rng, scene, indent_of(scene.lines[low]), words)
        hunk = scene_hunks(scene, 2)[0]
        rows = [*hunk.rows, (" ", comment), (" ", scene.lines[high - 1])]
        form = rng.choice(("udiff", "patch", "blocks", "json_strings"))
        parts = [hunk.with_rows(rows)]
        return may(scene, render_hunks(form, scene.document.name, parts), note=words)


@case_class("stand-in:own")
def own(rng: random.Random) -> Case:
    """The file itself has such a comment; it is a line as others are."""
    scene = draw_scene(rng, LANGUAGES, count=1, kind="alter")
    at = scene.changes[0].start
    lines = list(scene.lines)
    words = rng.choice(("... existing code ...", "... rest unchanged", "unchanged"))
    lines.insert(at, stand_in(rng, scene, indent_of(lines[at]), words))
    old = scene.changes[0]
    later = Scene(scene.document.with_lines(lines), (Change(at + 1, old.old, old.new),))
    form = rng.choice(("udiff", "patch", "blocks", "json_strings"))
    return must(later, render_hunks(form, scene.document.name, scene_hunks(later)))


@case_class("dots:paired")
def paired(rng: random.Random) -> Case:
    """`...` in both halves stands for the same lines."""
    scene, part, low, high = lazy_scene(rng)
    dots = rng.choice(("...", indent_of(scene.lines[low]) + "..."))
    change = scene.changes[0]
    if change.start <= part.start or not scene.lines[high - 1].strip():
        raise Unsuited("no header")
    growth = len(scene.target().lines) - len(scene.lines)
    tail = scene.lines[high - 1 : part.end]
    new = scene.target().lines[part.start : low + growth]
    old = [*scene.lines[part.start : low], dots, *tail]
    return may(scene, block(old, [*new, dots, *tail]))


@case_class("dots:code")
def code(rng: random.Random) -> Case:
    """Dots that are code: empty bodies, spreads, ranges, texts."""
    new = {
        "python": ("def stub(self) -> None: ...", 'print("loading ...")', "x = y[..., 0]"),
        "typescript": ("const all = [...this.items];", "// and so on ...", 'say("wait ...");'),
        "javascript": ("const all = { ...defaults, ...more };", "// wait ...", 'say("...");'),
        "rust": ("for i in 0..10 { use_it(i); }", '// e.g. "...", and so on', "let _ = ..=5;"),
        "go": ("all = append(all, more...)", "// and so on ...", 'log.Print("...")'),
    }
    language = rng.choice(sorted(new))
    scene = draw_scene(rng, {language}, count=1, kind="insert")
    old = scene.changes[0]
    text = rng.choice(new[language][:2])
    if language == "python" and text.startswith("def"):
        text = text.replace("self", "")
    change = Change(old.start, (), (indent_of(old.new[0]) + text,))
    later = Scene(scene.document, (change,))
    form = rng.choice(("udiff", "patch", "blocks", "json_strings"))
    return must(later, render_hunks(form, scene.document.name, scene_hunks(later)))


@case_class("dots:ellipsis-body")
def ellipsis_body(rng: random.Random) -> Case:
    """A range in Python whose body became `...`: made as it is, or refused.

    Dots that are a body are code, as in protocols and overloads; it may have been asked for.
    """
    scene = draw_scene(rng, {"python"}, count=1, kind="alter")
    for part in blocks("python", scene.lines):
        if part.end - part.start >= 5:
            header = scene.lines[part.start]
            reply = fenced(f"{header}\n{indent_of(header)}    ...", "python")
            region = part.start, part.end
            old = scene.lines[part.start + 1 : part.end]
            dots = Change(part.start + 1, old, (indent_of(header) + "    ...",))
            return may(Scene(scene.document, (dots,)), reply, lines=region)
    raise Unsuited("no function")
