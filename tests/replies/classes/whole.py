"""Answers that are the whole file, or pretend to be."""

from __future__ import annotations

import random
from dataclasses import replace

from edits import Scene, draw_document, draw_scene
from expect import about, idle, may, must, refuse
from formats import fenced
from languages import CODE, blocks, indent_of
from model import Case, Change, Unsuited, case_class


def fence_for(text: str) -> str:
    return "~~~" if "```" in text else "```"


def whole(scene: Scene) -> str:
    text = "\n".join(scene.target().lines)
    return fenced(text, scene.document.language, fence_for(text))


@case_class("whole:clean")
def clean(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    return must(scene, whole(scene))


@case_class("whole:bare")
def bare(rng: random.Random) -> Case:
    scene = draw_scene(rng, suits=lambda document: "```" not in document.text())
    return must(scene, "\n".join(scene.target().lines) + rng.choice(("", "\n")))


@case_class("whole:named")
def named(rng: random.Random) -> Case:
    """The file's name above the fence, or in its info string."""
    scene = draw_scene(rng)
    name = scene.document.name
    reply = whole(scene)
    heads = (f"{name}\n", f"**{name}**\n\n", f"`{name}`:\n\n", f"### {name}\n\n", f"File: {name}\n")
    if rng.random() < 0.5:
        return must(scene, rng.choice(heads) + reply)
    fence = reply[:3]
    infos = (f"{scene.document.language}:{name}", f'{scene.document.language} title="{name}"', name)
    return must(scene, f"{fence}{rng.choice(infos)}{reply[reply.index(chr(10)):]}")


@case_class("whole:other-file")
def other_file(rng: random.Random) -> Case:
    """The name above the fence is another file's."""
    scene = draw_scene(rng)
    reply = whole(scene)
    suffix = scene.document.name.rpartition(".")[2]
    return refuse(scene.document, f"src/elsewhere_9.{suffix}\n{reply}")


@case_class("whole:line-above-mark")
def line_above_mark(rng: random.Random) -> Case:
    """A line above the first one of a file with a byte-order mark: one mark, at the start."""
    document = replace(draw_document(rng, plain=True), mark=True)
    start, end = Scene(document, ()).language.comment
    scene = Scene(document, (Change(0, (), (f"{start}head {rng.randrange(99)}{end}",)),))
    reply = whole(scene)
    if rng.random() < 0.3:
        reply = reply.replace("\n", "\n\ufeff", 1)
    return must(scene, reply)


@case_class("whole:crlf")
def crlf(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    scene = Scene(replace(scene.document, ending="\r\n"), scene.changes)
    reply = whole(scene)
    return must(scene, rng.choice((reply, reply.replace("\n", "\r\n"))))


@case_class("whole:trailing-blanks")
def trailing_blanks(rng: random.Random) -> Case:
    """Lines of the file end in blanks that the answer lacks: those that stay keep them."""
    scene = draw_scene(rng, CODE, plain=True)
    kept = {at for change in scene.changes for at in range(change.start, change.end)}
    lines = [
        line + rng.choice(("", "  ", "")) if at not in kept else line
        for at, line in enumerate(scene.lines)
    ]
    later = Scene(scene.document.with_lines(lines), scene.changes)
    return must(later, whole(scene))


@case_class("whole:typographic")
def typographic(rng: random.Random) -> Case:
    """Signs of unchanged lines were written otherwise: the file's bytes stay."""
    scene = draw_scene(rng, CODE, kind="alter")
    reply = whole(scene)
    plain = reply.replace("“", '"').replace("”", '"').replace("–", "-").replace("’", "'")
    if plain == reply:
        raise Unsuited("nothing typographic")
    touched = [line for change in scene.changes for line in change.new]
    if any(sign in line for line in touched for sign in "“”–’"):
        raise Unsuited("in a changed line")
    return may(scene, plain)


@case_class("whole:respelled")
def respelled(rng: random.Random) -> Case:
    """A sign of one line becomes its look-alike, and others like it are kept: it is a change."""
    scene = draw_scene(rng, CODE, count=1, kind="alter")
    start, end = scene.language.comment
    at = scene.changes[0].start
    comment = indent_of(scene.lines[at]) + start + "{} from a {} to b" + end
    one, other = rng.choice((("–", "-"), ("-", "–"), ("…", "..."), ("—", "-")))
    lines = list(scene.lines)
    lines[at:at] = [comment.format("once", one), comment.format("twice", one)]
    new = (comment.format("twice", other),)
    later = Scene(scene.document.with_lines(lines), (Change(at + 1, (lines[at + 1],), new),))
    return must(later, whole(later))


@case_class("whole:respelled-alone")
def respelled_alone(rng: random.Random) -> Case:
    """Signs are written otherwise, and nothing else is: the file stays."""
    scene = draw_scene(rng, CODE)
    text = "\n".join(scene.lines)
    plain = text.replace("“", '"').replace("”", '"').replace("–", "-").replace("’", "'")
    if plain == text:
        raise Unsuited("nothing typographic")
    return idle(scene.document, fenced(plain, scene.document.language, fence_for(plain)))


@case_class("whole:empty")
def empty(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    reply = rng.choice(("```\n```\n", "```\n\n```\n", "```rust\n\n\n```", ""))
    return idle(scene.document, reply)


@case_class("whole:little")
def little(rng: random.Random) -> Case:
    """Far less than half of the file."""
    scene = draw_scene(rng, CODE)
    lines = scene.target().lines[: rng.randrange(1, len(scene.lines) // 3)]
    return refuse(scene.document, fenced("\n".join(lines), scene.document.language, "~~~"))


@case_class("whole:fragment")
def fragment(rng: random.Random) -> Case:
    """One function as the whole file: put in its place, or refused."""
    scene = draw_scene(rng, CODE, count=1)
    change = scene.changes[0]
    for part in blocks(scene.document.language, scene.lines):
        if part.start < change.start and change.end < part.end:
            growth = len(scene.target().lines) - len(scene.lines)
            text = "\n".join(scene.target().lines[part.start : part.end + growth])
            return may(scene, fenced(text, scene.document.language, fence_for(text)))
    raise Unsuited("no function")


@case_class("whole:new-function-alone")
def new_function_alone(rng: random.Random) -> Case:
    """A function that the file does not have, as the whole file."""
    scene = draw_scene(rng, CODE)
    part = rng.choice(blocks(scene.document.language, scene.lines))
    lines = scene.lines[part.start : part.end]
    text = "\n".join(line.replace(part.name, "wholly_new") for line in lines)
    return refuse(scene.document, fenced(text, scene.document.language, fence_for(text)))


@case_class("whole:talk")
def talk(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    words = rng.choice(
        (
            "I cannot do that.",
            "The file looks good to me.",
            "```\nNo changes needed.\n```",
            "NO_EDITS",
            "Please run `make test` first.",
            "```sh\nmake test\n```",
        )
    )
    return idle(scene.document, words, note=words)


@case_class("whole:same")
def same(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    text = "\n".join(scene.lines)
    return idle(scene.document, fenced(text, scene.document.language, fence_for(text)))


@case_class("whole:tail-loop")
def tail_loop(rng: random.Random) -> Case:
    """The file, and then a few of its lines over and over."""
    scene = draw_scene(
        rng, {"markdown", "yaml", "make", "css", "bash", "python", "c", "javascript"}
    )
    lines = list(scene.target().lines)
    period = rng.randrange(1, 7)
    start, end = scene.language.comment
    run = [f"{start}and again {index}{end}" for index in range(period)]
    times = max(3 if period > 3 else 5, -(-14 // period))
    text = "\n".join([*lines, *(run * times)])
    return refuse(
        scene.document,
        fenced(text, scene.document.language, fence_for(text)),
        note=f"{period}×{times}",
    )


@case_class("whole:numbered")
def numbered(rng: random.Random) -> Case:
    """Line numbers before all lines: taken off, or refused."""
    scene = draw_scene(rng)
    pattern = rng.choice(("{0}: {1}", "{0:4} | {1}", "{0}\t{1}", "{0:>5}  {1}", "{0} {1}"))
    rows = [pattern.format(at, line) for at, line in enumerate(scene.target().lines, 1)]
    text = "\n".join(rows)
    return may(scene, fenced(text, scene.document.language, fence_for(text)), note=pattern)


@case_class("whole:diff-marks")
def diff_marks(rng: random.Random) -> Case:
    """New lines are marked with a plus, and old ones with a minus; the rest is plain."""
    scene = draw_scene(rng, kind=rng.choice(("alter", "insert", "both")))
    rows: list[str] = []
    at = 0
    for change in scene.changes:
        rows += scene.lines[at : change.start]
        rows += ["-" + line for line in change.old] + ["+" + line for line in change.new]
        at = change.end
    rows += scene.lines[at:]
    text = "\n".join(rows)
    return may(scene, fenced(text, scene.document.language, fence_for(text)))


@case_class("whole:reindented")
def reindented(rng: random.Random) -> Case:
    """Another unit of indentation all over: it is a reformat that was not asked for.

    Written as it is, every line would change; the file's unit may be put back.
    """
    scene = draw_scene(rng, {"rust", "java"}, plain=True)
    text = "\n".join(
        indent_of(line).replace("    ", "\t") + line.lstrip(" ") for line in scene.target().lines
    )
    as_it_is = scene.document.with_lines(text.split("\n")).bytes()
    target = scene.target().bytes()
    reply = fenced(text, scene.document.language, fence_for(text))
    return about(scene.document, reply, target, as_it_is, refusal=True)


@case_class("whole:created")
def created(rng: random.Random) -> Case:
    """The file is empty: all that comes is new."""
    scene = draw_scene(rng, CODE, plain=True)
    empty_document = scene.document.with_lines(())
    text = "\n".join(scene.target().lines)
    reply = fenced(text, scene.document.language, fence_for(text))
    return about(empty_document, reply, (text + "\n").encode(), text.encode())


@case_class("whole:two-files")
def two_files(rng: random.Random) -> Case:
    """Two fences, of which one is for another file."""
    scene = draw_scene(rng)
    name = scene.document.name
    other = fenced("one\ntwo\nthree\n", "text")
    reply = f"{name}\n{whole(scene)}\nnotes.txt\n{other}"
    return may(scene, reply)


@case_class("whole:appended-talk")
def appended_talk(rng: random.Random) -> Case:
    """Bare code, and then words about it: left off, or refused."""
    scene = draw_scene(rng, CODE, suits=lambda document: "```" not in document.text())
    text = "\n".join(scene.target().lines)
    return may(scene, f"{text}\n\nI changed the line that you named, and kept the others.\n")


@case_class("whole:example-below")
def example_below(rng: random.Random) -> Case:
    """A second fence shows how to use it."""
    scene = draw_scene(rng, CODE, suits=lambda document: "```" not in document.text())
    example = fenced("make test\n./run --all", "sh")
    return may(scene, f"{whole(scene)}\nRun it like this:\n\n{example}")
