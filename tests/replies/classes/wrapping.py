"""What stands around an edit: prose, fences, drafts, shells, JSON."""

from __future__ import annotations

import json
import random

from edits import Scene, draw_scene
from expect import may, must, refuse
from formats import PLACED, fenced, patch, render, scene_hunks, search_replace, udiff
from languages import blocks
from model import Case, Unsuited, case_class

BEFORE = (
    "Here is the change:",
    "Sure! I changed what you asked for.",
    "I'll make the following edit.\n\nIt keeps the behaviour for callers.",
    "Of course – this is the edit you want:",
)
AFTER = (
    "Let me know if you need anything else.",
    "This keeps all callers as they are.",
    "Note: run the tests afterwards.",
    "Explanation:\n\n- the line was changed\n- nothing else was",
)


def region_of(rng: random.Random, scene: Scene, most: int = 40) -> tuple[int, int]:
    """Lines that hold all changes, and begin and end with text."""
    low = max(0, scene.changes[0].start - rng.randrange(1, 5))
    high = min(len(scene.lines), scene.changes[-1].end + rng.randrange(1, 5))
    while low > 0 and not scene.lines[low].strip():
        low -= 1
    while high < len(scene.lines) and not scene.lines[high - 1].strip():
        high += 1
    if high - low > most or not scene.lines[high - 1].strip():
        raise Unsuited("the changes are far apart")
    return low, high


def function_of(scene: Scene) -> tuple[int, int]:
    """The function that holds all changes."""
    first, last = scene.changes[0], scene.changes[-1]
    for block in blocks(scene.document.language, scene.lines):
        if block.start < first.start and last.end < block.end:
            return block.start, block.end
    raise Unsuited("no function holds them all")


def new_region(scene: Scene, region: tuple[int, int]) -> list[str]:
    """The new lines of a range."""
    growth = len(scene.target().lines) - len(scene.lines)
    return list(scene.target().lines[region[0] : region[1] + growth])


def region_reply(scene: Scene, region: tuple[int, int]) -> str:
    return fenced("\n".join(new_region(scene, region)), scene.document.language)


for form in PLACED:

    @case_class(f"clean:{form}", form=form)
    def clean(rng: random.Random, form: str) -> Case:
        scene = draw_scene(rng)
        return must(scene, render(form, scene, rng.choice((None, None, 1, 5))))

    @case_class(f"fenced:{form}", form=form)
    def in_fence(rng: random.Random, form: str) -> Case:
        scene = draw_scene(rng)
        fence = rng.choice(("```", "~~~", "````", "~~~~~"))
        name = scene.document.name
        info = rng.choice(("", "diff", scene.document.language, f"diff {name}", f"text:{name}"))
        reply = render(form, scene)
        if fence in reply:
            raise Unsuited("a fence within")
        return must(scene, fenced(reply, info, fence))

    @case_class(f"prose:{form}", form=form)
    def prose(rng: random.Random, form: str) -> Case:
        scene = draw_scene(rng)
        reply = render(form, scene)
        fence = "~~~" if "```" in reply else "```"
        return must(
            scene, f"{rng.choice(BEFORE)}\n\n{fenced(reply, '', fence)}\n{rng.choice(AFTER)}\n"
        )

    @case_class(f"prose-bare:{form}", form=form)
    def prose_bare(rng: random.Random, form: str) -> Case:
        # Without a fence the words below a unified diff could be a context line without its mark.
        scene = draw_scene(rng)
        reply = f"{rng.choice(BEFORE)}\n\n{render(form, scene)}\n{rng.choice(AFTER)}\n"
        return may(scene, reply) if "diff" in form else must(scene, reply)

    @case_class(f"draft:{form}", form=form)
    def draft(rng: random.Random, form: str) -> Case:
        # The draft is another edit of the same file, and is not to be made.
        scene = draw_scene(rng, plain=True)
        other = draw_scene(rng, document=scene.document)
        tag = rng.choice(("think", "thinking"))
        inner = rng.choice((render(form, other), fenced(render("blocks", other))))
        return must(scene, f"<{tag}>\nFirst idea:\n{inner}\nNo.\n</{tag}>\n{render(form, scene)}")

    @case_class(f"quoted:{form}", form=form)
    def quoted(rng: random.Random, form: str) -> Case:
        scene = draw_scene(rng, {"rust", "python", "go", "java", "c", "ruby", "bash"})
        old = "\n".join(line for hunk in scene_hunks(scene) for line in hunk.old)
        new = render(form, scene)
        if "```" in old + new:
            raise Unsuited("a fence within")
        first = fenced(old, scene.document.language)
        return must(scene, f"The old code is\n\n{first}\nand it becomes\n\n{fenced(new)}")

    @case_class(f"crlf-reply:{form}", form=form)
    def crlf_reply(rng: random.Random, form: str) -> Case:
        scene = draw_scene(rng)
        if form.startswith("json"):
            edits = json.loads(render(form, scene))
            for edit in edits["edits"]:
                for key in ("old_text", "new_text"):
                    edit[key] = edit[key].replace("\n", "\r\n")
            reply = json.dumps(edits)
        else:
            reply = render(form, scene).replace("\n", "\r\n")
        return must(scene, reply)


@case_class("fence-open:placed")
def fence_open_placed(rng: random.Random) -> Case:
    """Every block has its own end, so that the fence's does not matter."""
    scene = draw_scene(rng)
    return must(scene, "```\n" + render(rng.choice(("patch", "blocks")), scene))


@case_class("fence-open:diff")
def fence_open_diff(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    return refuse(scene.document, "```diff\n" + render("udiff", scene))


@case_class("fence-open:region")
def fence_open_region(rng: random.Random) -> Case:
    scene = draw_scene(rng, count=1)
    region = region_of(rng, scene)
    text = "\n".join(new_region(scene, region))
    return refuse(scene.document, f"```{scene.document.language}\n{text}\n", lines=region)


@case_class("fence-open:whole")
def fence_open_whole(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    text = "\n".join(scene.target().lines)
    return refuse(scene.document, f"```{scene.document.language}\n{text}\n")


@case_class("fence-within:whole")
def fence_within_whole(rng: random.Random) -> Case:
    scene = draw_scene(rng, suits=lambda document: any("```" in line for line in document.lines))
    fence = rng.choice(("```", "````", "~~~"))
    return must(scene, fenced("\n".join(scene.target().lines), scene.document.language, fence))


@case_class("fence-within:region")
def fence_within_region(rng: random.Random) -> Case:
    """The range holds a whole inner fence."""
    scene = draw_scene(rng, suits=lambda doc: any("```" in line for line in doc.lines), count=1)
    marks = [at for at, line in enumerate(scene.lines) if "```" in line]
    change = scene.changes[0]
    pairs = list(zip(marks[::2], marks[1::2]))
    low, high = min(pairs, key=lambda pair: abs(pair[0] - change.start))
    region = min(low, change.start), min(max(high + 1, change.end + 1), len(scene.lines))
    inside = sum(region[0] <= at < region[1] for at in marks)
    if inside % 2 or region[1] - region[0] > 30 or not scene.lines[region[1] - 1].strip():
        raise Unsuited("half a fence within")
    fence = rng.choice(("````", "~~~", "```"))
    text = "\n".join(new_region(scene, region))
    if text.rstrip().endswith("```") and fence == "```":
        raise Unsuited("two closing fences")
    return must(scene, fenced(text, scene.document.language, fence), lines=region)


@case_class("draft-unopened")
def draft_unopened(rng: random.Random) -> Case:
    """Some servers leave out the tag that opens the draft."""
    scene = draw_scene(rng, plain=True)
    other = draw_scene(rng, document=scene.document)
    form = rng.choice(PLACED)
    return may(scene, f"Hm.\n{render(form, other)}\n</think>\n\n{render(form, scene)}")


@case_class("draft-unclosed")
def draft_unclosed(rng: random.Random) -> Case:
    """Whether the edit is part of the draft is not known."""
    scene = draw_scene(rng)
    return may(scene, f"<think>\nI wonder.\n{render(rng.choice(PLACED), scene)}")


@case_class("heredoc")
def heredoc(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    word = rng.choice(("EOF", "PATCH", "END_OF_PATCH"))
    quote = rng.choice(("'", '"'))
    start = rng.choice(("apply_patch", "$ apply_patch", "cd project && apply_patch"))
    reply = f"{start} <<{quote}{word}{quote}\n{render('patch', scene)}{word}\n"
    return must(scene, rng.choice((reply, fenced(reply, "bash", "~~~"))))


@case_class("heredoc:diff")
def heredoc_diff(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    tool = rng.choice(("git apply", "patch -p1", "git apply -"))
    return may(scene, f"{tool} <<'EOF'\n{render('gitdiff', scene)}EOF\n")


@case_class("shell:array")
def shell_array(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    call = ["apply_patch", render("patch", scene)]
    return may(scene, rng.choice((json.dumps(call), json.dumps({"command": call}))))


@case_class("json:patch")
def json_patch(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    key, form = rng.choice((("patch", "patch"), ("input", "patch"), ("diff", "udiff")))
    reply = json.dumps({key: render(form, scene)}, ensure_ascii=rng.random() < 0.5)
    return must(scene, rng.choice((reply, fenced(reply, "json", "~~~"))))


@case_class("json:tool-call")
def json_tool_call(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    inner = {"input": render("patch", scene)}
    arguments = rng.choice((inner, json.dumps(inner)))
    return may(scene, json.dumps({"name": "apply_patch", "arguments": arguments}))


@case_class("reply-mark")
def reply_mark(rng: random.Random) -> Case:
    """A byte-order mark before the reply."""
    scene = draw_scene(rng)
    return must(scene, "\ufeff" + render(rng.choice(PLACED), scene))


@case_class("fence-indented")
def fence_indented(rng: random.Random) -> Case:
    """The reply is an item of a list, and all of it is indented."""
    scene = draw_scene(rng)
    text = fenced(render(rng.choice(("patch", "blocks", "udiff")), scene))
    inner = "\n".join("   " + line if line else line for line in text.split("\n"))
    return may(scene, f"1. Change the file:\n\n{inner}\n2. Run the tests.\n")


@case_class("twice:formats")
def twice_formats(rng: random.Random) -> Case:
    """The same edit in two formats: once, or not at all."""
    scene = draw_scene(rng)
    parts = scene_hunks(scene)
    name = scene.document.name
    first, second = patch(name, parts), fenced(udiff(name, parts), "diff", "~~~")
    if rng.random() < 0.5:
        first, second = second, first
    return may(scene, f"{first}\nOr, as a diff:\n\n{second}")


@case_class("fences:two-hunks")
def fences_two_hunks(rng: random.Random) -> Case:
    """Each hunk in a fence of its own, with words between."""
    scene = draw_scene(rng, count=2)
    parts = scene_hunks(scene, 1)
    form = rng.choice(("udiff", "blocks"))
    if len(parts) < 2:
        raise Unsuited("one hunk")
    if form == "udiff":
        replies = [udiff(scene.document.name, [hunk]) for hunk in parts]
    else:
        replies = [search_replace([hunk]) for hunk in parts]
    return must(scene, "\n\nand then\n\n".join(fenced(reply, "", "~~~") for reply in replies))
