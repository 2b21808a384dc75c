"""Answers for a range of lines: the new text of it, or more, or less, or something else."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

from classes.wrapping import function_of, new_region, region_of, region_reply
from edits import Scene, draw_change, draw_scene, places
from expect import about, idle, may, must, refuse
from formats import PLACED, fenced, render, render_hunks, scene_hunks
from languages import CODE, blocks, indent_of
from model import Case, Change, Unsuited, case_class


@case_class("region:clean")
def clean(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    region = region_of(rng, scene)
    if any("```" in line for line in new_region(scene, region)):
        raise Unsuited("a fence within")
    return must(scene, region_reply(scene, region), lines=region)


@case_class("region:bare")
def bare(rng: random.Random) -> Case:
    scene = draw_scene(rng, CODE)
    region = region_of(rng, scene)
    if any("```" in line for line in new_region(scene, region)):
        raise Unsuited("a fence within")
    text = "\n".join(new_region(scene, region))
    return must(scene, text + rng.choice(("", "\n")), lines=region)


@case_class("region:function")
def function(rng: random.Random) -> Case:
    scene = draw_scene(rng, CODE)
    region = function_of(scene)
    return must(scene, region_reply(scene, region), lines=region)


@case_class("region:prose")
def prose(rng: random.Random) -> Case:
    scene = draw_scene(rng, CODE)
    region = region_of(rng, scene)
    if any("```" in line for line in new_region(scene, region)):
        raise Unsuited("a fence within")
    reply = region_reply(scene, region)
    before = rng.choice(("Here is the new code:\n\n", "Sure:\n", ""))
    return must(scene, f"{before}{reply}\nI kept the rest as it was.\n", lines=region)


@case_class("region:quoted-first")
def quoted_first(rng: random.Random) -> Case:
    """The old code in a fence, then the new code in another one."""
    scene = draw_scene(rng, CODE)
    region = region_of(rng, scene)
    old = "\n".join(scene.lines[region[0] : region[1]])
    if "```" in old:
        raise Unsuited("a fence within")
    language = scene.document.language
    first = fenced(old, language)
    return must(scene, f"Before:\n\n{first}\nAfter:\n\n{region_reply(scene, region)}", lines=region)


@case_class("region:two-choices")
def two_choices(rng: random.Random) -> Case:
    """Two fences with different code: which one is meant is not known."""
    scene = draw_scene(rng, CODE, count=1, kind="alter")
    region = region_of(rng, scene)
    other = draw_change(rng, scene.document, scene.changes[0].start, "alter")
    if other.new == scene.changes[0].new:
        raise Unsuited("the same")
    second = region_reply(Scene(scene.document, (other,)), region)
    first = region_reply(scene, region)
    if first.count("```") != 2:
        raise Unsuited("a fence within")
    return refuse(scene.document, f"Option 1:\n\n{first}\nOption 2:\n\n{second}", lines=region)


@case_class("region:repeats-around")
def repeats_around(rng: random.Random) -> Case:
    """Lines above and below the range come with it."""
    scene = draw_scene(rng, CODE, count=1)
    low, high = region_of(rng, scene)
    above, below = rng.randrange(0, 4), rng.randrange(0, 4)
    above = max(above, 1 - below)
    start, end = max(0, low - above), min(len(scene.lines), high + below)
    if not scene.lines[start].strip() or not scene.lines[end - 1].strip():
        raise Unsuited("a blank edge")
    if any("```" in line for line in scene.lines[start:end]):
        raise Unsuited("a fence within")
    return must(scene, region_reply(scene, (start, end)), lines=(low, high))


@case_class("region:repeats-closer")
def repeats_closer(rng: random.Random) -> Case:
    """The range is a body; the answer has the closing bracket of its function, too."""
    scene = draw_scene(rng, {"rust", "typescript", "javascript", "go", "java", "ruby"}, count=1)
    start, end = function_of(scene)
    body = start + 1, end - 1
    reply = fenced("\n".join(new_region(scene, (body[0], end))), scene.document.language)
    return must(scene, reply, lines=body)


@case_class("region:repeats-header")
def repeats_header(rng: random.Random) -> Case:
    """The range is a body; the answer is the whole function."""
    scene = draw_scene(rng, {"rust", "typescript", "javascript", "go", "java", "ruby"}, count=1)
    start, end = function_of(scene)
    return must(scene, region_reply(scene, (start, end)), lines=(start + 1, end - 1))


@case_class("region:whole-file")
def whole_file(rng: random.Random) -> Case:
    """The whole file came back; the change lies in the range."""
    scene = draw_scene(rng)
    region = region_of(rng, scene)
    fence = "~~~" if any("```" in line for line in scene.lines) else "```"
    text = "\n".join(scene.target().lines)
    return must(scene, fenced(text, scene.document.language, fence), lines=region)


@case_class("region:whole-file-beyond")
def whole_file_beyond(rng: random.Random) -> Case:
    """The whole file came back, with a second change beyond the range: that one is dropped."""
    scene = draw_scene(rng, count=2)
    asked = rng.choice(scene.changes)
    inside = Scene(scene.document, (asked,))
    region = region_of(rng, inside)
    beyond = next(change for change in scene.changes if change != asked)
    if region[0] - 1 <= beyond.start <= region[1] + 1:
        raise Unsuited("within")
    text = "\n".join(scene.target().lines)
    return may(inside, fenced(text, scene.document.language, "~~~"), lines=region)


for form in PLACED:

    @case_class(f"region:as-{form}", form=form)
    def as_form(rng: random.Random, form: str) -> Case:
        """Another format, within the range."""
        scene = draw_scene(rng)
        region = region_of(rng, scene, 200)
        return must(scene, render(form, scene), lines=region)

    @case_class(f"region:beyond-{form}", form=form)
    def beyond(rng: random.Random, form: str) -> Case:
        """A second edit beyond the range: refused, or dropped."""
        scene = draw_scene(rng, count=2, kind="alter")
        asked = rng.choice(scene.changes)
        inside = Scene(scene.document, (asked,))
        region = asked.start, asked.end
        reply = render_hunks(form, scene.document.name, scene_hunks(scene, 1))
        return may(inside, reply, lines=region)

    @case_class(f"region:outside-{form}", form=form)
    def outside(rng: random.Random, form: str) -> Case:
        """The only edit is beyond the range."""
        scene = draw_scene(rng, count=1, kind="alter")
        change = scene.changes[0]
        at = rng.choice([i for i in range(len(scene.lines) - 3) if abs(i - change.start) > 6])
        region = at, at + 3
        if region[0] <= change.start <= region[1]:
            raise Unsuited("within")
        return refuse(scene.document, render(form, scene), lines=region)


@case_class("region:outdented")
def outdented(rng: random.Random) -> Case:
    """The answer begins in the first column."""
    scene = draw_scene(rng, CODE, count=1)
    region = region_of(rng, scene)
    new = new_region(scene, region)
    least = min(len(indent_of(line)) for line in new if line.strip())
    if least == 0:
        raise Unsuited("nothing to lose")
    old_least = min(
        len(indent_of(line)) for line in scene.lines[region[0] : region[1]] if line.strip()
    )
    if old_least != least:
        raise Unsuited("another least indentation")
    text = "\n".join(line[least:] for line in new)
    return must(scene, fenced(text, scene.document.language), lines=region)


@case_class("region:first-indent-lost")
def first_indent_lost(rng: random.Random) -> Case:
    scene = draw_scene(rng, CODE, count=1)
    region = region_of(rng, scene)
    new = new_region(scene, region)
    if not new[0].startswith((" ", "\t")):
        raise Unsuited("not indented")
    new[0] = new[0].lstrip()
    return must(scene, fenced("\n".join(new), scene.document.language), lines=region)


@case_class("region:blank-edges")
def blank_edges(rng: random.Random) -> Case:
    """Empty lines before and after the code in its fence."""
    scene = draw_scene(rng, CODE, count=1)
    region = region_of(rng, scene)
    text = "\n".join(new_region(scene, region))
    top, bottom = rng.choice((("\n", ""), ("", "\n"), ("\n", "\n"), ("\n\n", "\n")))
    reply = f"```{scene.document.language}\n{top}{text}\n{bottom}```\n"
    if "```" in text:
        raise Unsuited("a fence within")
    return may(scene, reply, lines=region)


@case_class("region:added-below")
def added_below(rng: random.Random) -> Case:
    """The last lines of a function, with a new function below that ends alike.

    What both share comes twice, and the second time it may be indented otherwise.
    """
    scene = draw_scene(rng, {"python", "rust", "go", "bash", "javascript"}, count=1, plain=True)
    tops = [b for b in blocks(scene.document.language, scene.lines)]
    part = rng.choice(
        [
            b
            for b in tops
            if scene.document.language == "python" or not indent_of(scene.lines[b.start])
        ]
        or [None]
    )
    if part is None:
        raise Unsuited("no function")
    size = rng.randrange(1, 4)
    low = part.end - size
    if low <= part.start or not scene.lines[low].strip():
        raise Unsuited("no such lines")
    shared = scene.lines[low : part.end]
    header = scene.lines[part.start].replace(part.name, "added_below")
    column = rng.choice(("", indent_of(header)))
    shift = len(indent_of(header)) - len(column)
    inner = scene.lines[part.start + 1 : part.start + 2]
    if not inner[0].strip() or inner[0].strip().endswith(("{", ":", '"""')) or shift < 0:
        raise Unsuited("no simple first line")
    if inner[0].strip() == shared[0].strip():
        raise Unsuited("too short")
    added = [column + header.lstrip(), *(line[shift:] for line in inner)]
    added += [line[shift:] for line in shared]
    if scene.document.language == "python":
        if any(line.strip().endswith(("(", "[", ",")) for line in (*inner, *shared)):
            raise Unsuited("a bracket is open")
        if len({indent_of(line) for line in (*inner, *shared)}) > 1:
            raise Unsuited("a block is open")
    elif _unbalanced(added) or _unbalanced(scene.lines[part.start : part.end]):
        raise Unsuited("a block is open")
    blank = ["", ""] if column == "" and scene.document.language == "python" else [""]
    change = Change(part.end, (), tuple([*blank, *added]))
    later = Scene(scene.document, (change,))
    text = "\n".join([*shared, *change.new])
    return must(
        later,
        rng.choice((fenced(text, scene.document.language), text + "\n")),
        lines=(low, part.end),
    )


def _unbalanced(lines: Sequence[str]) -> bool:
    text = "".join(lines)
    return text.count("{") != text.count("}") or text.count("(") != text.count(")")


@case_class("region:added-above")
def added_above(rng: random.Random) -> Case:
    """The function's header, with a new function above that begins alike."""
    scene = draw_scene(rng, {"python", "rust", "go", "javascript"}, count=1, plain=True)
    part = rng.choice(blocks(scene.document.language, scene.lines))
    header = scene.lines[part.start]
    before = scene.lines[part.start - 1]
    if before.strip() or part.end - part.start > 9:
        raise Unsuited("something belongs to it")
    copy = [header.replace(part.name, "added_above"), *scene.lines[part.start + 1 : part.end], ""]
    if scene.document.language == "python" and not indent_of(header):
        copy.append("")
    later = Scene(scene.document, (Change(part.start, (), tuple(copy)),))
    text = "\n".join([*copy, *scene.lines[part.start : part.end]])
    if "```" in text:
        raise Unsuited("a fence within")
    region = part.start, part.end
    return must(later, fenced(text, scene.document.language), lines=region)


@case_class("region:same")
def same(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    region = region_of(rng, scene)
    text = "\n".join(scene.lines[region[0] : region[1]])
    return idle(scene.document, fenced(text, scene.document.language, "~~~"), lines=region)


@case_class("region:numbered")
def numbered(rng: random.Random) -> Case:
    """The prompt's line numbers came back with the code."""
    scene = draw_scene(rng, CODE)
    region = region_of(rng, scene)
    pattern = rng.choice(
        ("{0}: {1}", "{0:4} | {1}", "{0}\t{1}", "{0:>4}  {1}", "{0} {1}", "L{0}: {1}")
    )
    rows = [
        pattern.format(region[0] + 1 + index, line)
        for index, line in enumerate(new_region(scene, region))
    ]
    return may(scene, fenced("\n".join(rows), scene.document.language), lines=region, note=pattern)


@case_class("region:in-json")
def in_json(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    region = region_of(rng, scene)
    key = rng.choice(("code", "text", "content", "result", "replacement", "new_code"))
    reply = json.dumps({key: "\n".join(new_region(scene, region))})
    return may(scene, rng.choice((reply, fenced(reply, "json", "~~~"))), lines=region)


@case_class("region:in-tags")
def in_tags(rng: random.Random) -> Case:
    """The tags of the prompt came back around the code."""
    scene = draw_scene(rng)
    region = region_of(rng, scene)
    tag = rng.choice(("selection", "code", "edit", "rewrite", "answer", "output", "new_code"))
    text = "\n".join(new_region(scene, region))
    reply = f"<{tag}>\n{text}\n</{tag}>\n"
    return may(
        scene, rng.choice((reply, fenced(reply, scene.document.language, "~~~"))), lines=region
    )


@case_class("region:diff-body")
def diff_body(rng: random.Random) -> Case:
    """A diff's lines without a header: read as a diff, or refused; its marks are never written."""
    scene = draw_scene(rng)
    region = region_of(rng, scene)
    rows: list[str] = []
    at = region[0]
    for change in scene.changes:
        rows += [" " + line for line in scene.lines[at : change.start]]
        rows += ["-" + line for line in change.old] + ["+" + line for line in change.new]
        at = change.end
    rows += [" " + line for line in scene.lines[at : region[1]]]
    info = rng.choice(("diff", scene.document.language, ""))
    return may(scene, fenced("\n".join(rows), info, "~~~"), lines=region)


@case_class("region:diff-marks-in-code")
def diff_marks_in_code(rng: random.Random) -> Case:
    """Only the new lines are marked with a plus, the rest is plain: the marks are not code."""
    scene = draw_scene(rng, CODE, kind=rng.choice(("insert", "both", "alter")))
    region = region_of(rng, scene)
    rows: list[str] = []
    at = region[0]
    for change in scene.changes:
        rows += list(scene.lines[at : change.start])
        rows += ["+" + line for line in change.new]
        at = change.end
    rows += list(scene.lines[at : region[1]])
    return may(scene, fenced("\n".join(rows), scene.document.language, "~~~"), lines=region)


@case_class("region:empty")
def empty(rng: random.Random) -> Case:
    scene = draw_scene(rng, count=1)
    region = region_of(rng, scene)
    reply = rng.choice(("```\n```\n", "", "\n\n", "```python\n\n```", "   "))
    return idle(scene.document, reply, lines=region)


TALK = (
    "I'm sorry, but I can't help with that.",
    "The code is fine as it is.",
    "Sure! Which function do you mean?",
    "None",
    "null",
    "[]",
    "{}",
    "...",
    "# No change",
    "// no changes needed",
    "NO_EDITS",
    "No changes are needed here.",
    "N/A",
    "Done.",
    "TODO",
    "undefined",
    "Error: rate limit exceeded",
    '{"error": "model overloaded"}',
    "<no_change/>",
    "I have updated the function to return the right value.",
    "You should rename the variable and then run the tests.",
    "1. Rename the variable\n2. Run the tests\n",
    "As an AI language model I cannot see the rest of the file.",
)


@case_class("region:talk")
def talk(rng: random.Random) -> Case:
    """Words in place of code."""
    scene = draw_scene(rng, count=1)
    region = region_of(rng, scene)
    words = rng.choice(TALK)
    return idle(scene.document, words, lines=region, note=words)


@case_class("region:talk-in-fence")
def talk_in_fence(rng: random.Random) -> Case:
    scene = draw_scene(rng, CODE, count=1)
    region = region_of(rng, scene)
    words = rng.choice([words for words in TALK if words != "TODO"])
    return idle(scene.document, fenced(words), lines=region, note=words)


@case_class("region:loop")
def loop(rng: random.Random) -> Case:
    """The answer ends in the same lines over and over."""
    scene = draw_scene(rng, CODE, count=1)
    region = region_of(rng, scene)
    period = rng.randrange(1, 5)
    times = rng.randrange(-(-61 // period), 90) if period > 1 else rng.randrange(12, 90)
    indent = indent_of(scene.lines[scene.changes[0].start])
    run = [
        f"{indent}{scene.language.comment[0]}step {n}{scene.language.comment[1]}"
        for n in range(period)
    ] * times
    text = "\n".join([*new_region(scene, region), *run])
    return refuse(scene.document, fenced(text, scene.document.language, "~~~"), lines=region)


@case_class("region:other-language")
def other_language(rng: random.Random) -> Case:
    """Code that is none in the file's language."""
    scene = draw_scene(rng, {"rust", "go", "java", "typescript"}, count=1)
    region = function_of(scene)
    text = "def answer(self):\n    if self.ready:\n        return [x for x in self.items]\n    pass"
    return refuse(scene.document, fenced(text, "python"), lines=region)


@case_class("region:unbalanced")
def unbalanced(rng: random.Random) -> Case:
    """A bracket is lost."""
    scene = draw_scene(rng, {"rust", "typescript", "javascript", "go", "java", "python"}, count=1)
    region = function_of(scene)
    new = new_region(scene, region)
    places_of = [at for at, line in enumerate(new) if ")" in line or line.strip() == "}"]
    if not places_of:
        raise Unsuited("no bracket")
    at = rng.choice(places_of)
    new[at] = new[at].replace(")", "", 1) if ")" in new[at] else ""
    text = "\n".join(new)
    if "```" in text or places(scene.lines, new):
        raise Unsuited("no such text")
    return refuse(scene.document, fenced(text, scene.document.language), lines=region)


@case_class("region:last-line-doubled")
def last_line_doubled(rng: random.Random) -> Case:
    """The line after the range is the answer's last one, too: dropped, or refused."""
    scene = draw_scene(rng, CODE, count=1, kind="alter")
    change = scene.changes[0]
    region = change.start, change.end
    below = scene.lines[change.end]
    if not below.strip():
        raise Unsuited("a blank line")
    text = "\n".join([*change.new, below])
    return must(scene, fenced(text, scene.document.language), lines=region)


def _opener(lines: Sequence[str], at: int) -> str:
    """The line that opens the block that ends here, without its indentation."""
    indent = indent_of(lines[at])
    above = (line for line in reversed(lines[:at]) if line.strip())
    return next((line.strip() for line in above if indent_of(line) == indent), "")


@case_class("region:insert-at-equal-line")
def insert_at_equal_line(rng: random.Random) -> Case:
    """New lines whose last one is as the line below the range: the new block needs it."""
    scene = draw_scene(rng, {"rust", "go", "javascript", "typescript", "java"}, count=1)
    document = scene.document
    closers = [
        at
        for at in range(2, len(scene.lines) - 1)
        if scene.lines[at].strip() == "}"
        and scene.lines[at + 1].strip() == "}"
        and _opener(scene.lines, at).startswith(("if ", "for ", "while "))
    ]
    if not closers:
        raise Unsuited("no nested blocks")
    at = rng.choice(closers)
    inner = indent_of(scene.lines[at])
    step = scene.lines[at - 1][: len(indent_of(scene.lines[at - 1])) - len(inner)] or "    "
    head = "if ready {" if document.language in ("rust", "go") else "if (ready) {"
    new = (inner + head, inner + step + "again();", inner + "}")
    if document.language == "go":
        new = (new[0], inner + step + "again()", new[2])
    later = Scene(document, (Change(at + 1, (), new),))
    text = "\n".join([scene.lines[at], *new])
    return about(
        document,
        fenced(text, document.language),
        later.target().bytes(),
        lines=(at, at + 1),
    )
