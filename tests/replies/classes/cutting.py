"""Replies that were cut: whatever was complete before the cut, nothing is written."""

from __future__ import annotations

import random

from classes.wrapping import new_region, region_of
from edits import Scene, draw_scene
from expect import about, refuse
from formats import PLACED, envelope, fenced, render, scene_hunks, section
from languages import CODE
from model import Case, Unsuited, case_class


def cut_at(rng: random.Random, text: str, low: int, high: int) -> str:
    """The text up to a place between two others; often at the end of a line or word."""
    places = range(low, high)
    kind = rng.choice(("line", "line", "word", "any"))
    if kind == "line":
        chosen = [at for at in places if text[at - 1] == "\n" or text[at] == "\n"]
    elif kind == "word":
        chosen = [at for at in places if text[at] in " (.,;:" and text[at - 1].isalnum()]
    else:
        chosen = list(places)
    if not chosen:
        raise Unsuited("no such place")
    return text[: rng.choice(chosen)]


@case_class("cut:patch")
def cut_patch(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    reply = render("patch", scene)
    return refuse(scene.document, cut_at(rng, reply, 20, len(reply) - 2))


@case_class("cut:patch-in-fence")
def cut_patch_in_fence(rng: random.Random) -> Case:
    """The fence was closed, the patch was not."""
    scene = draw_scene(rng)
    reply = render("patch", scene)
    end = reply.index("*** End Patch")
    return refuse(scene.document, fenced(cut_at(rng, reply, 60, end + 8), "", "~~~"))


@case_class("cut:patch-mark")
def cut_patch_mark(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    reply = render("patch", scene).removesuffix(" Patch\n")
    ends = ("*** End", "*** E", "***", "*** End Pat", "*** End of")
    return refuse(scene.document, reply.removesuffix("*** End") + rng.choice(ends))


@case_class("cut:blocks")
def cut_blocks(rng: random.Random) -> Case:
    """Within the last block; where one ends nothing is amiss with the earlier ones."""
    scene = draw_scene(rng)
    reply = render("blocks", scene)
    last = reply.rindex("<<<<<<< SEARCH")
    return refuse(scene.document, cut_at(rng, reply, last + 9, len(reply) - 9))


@case_class("cut:blocks-mark")
def cut_blocks_mark(rng: random.Random) -> Case:
    """The last mark is half written."""
    scene = draw_scene(rng)
    reply = render("blocks", scene).removesuffix(">>>>>>> REPLACE\n")
    return refuse(scene.document, reply + rng.choice((">>>", ">>>>", ">>>>>>> REP", ">>>>>>> R")))


@case_class("cut:blocks-early")
def cut_blocks_early(rng: random.Random) -> Case:
    """The first mark of the last block is half written."""
    scene = draw_scene(rng, count=2)
    reply = render("blocks", scene)
    if reply.count("<<<<<<< SEARCH") < 2:
        raise Unsuited("one block")
    last = reply.rindex("<<<<<<< SEARCH")
    return refuse(scene.document, reply[: last + rng.randrange(3, 13)])


@case_class("cut:tags")
def cut_tags(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    reply = render("tags", scene).rstrip("\n")
    last = reply.rindex("<old_text>")
    return refuse(scene.document, cut_at(rng, reply, last + 5, len(reply) - 1))


@case_class("cut:json")
def cut_json(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    reply = render(rng.choice(("json_strings", "json_lines")), scene).rstrip()
    return refuse(scene.document, cut_at(rng, reply, 3, len(reply) - 1))


@case_class("cut:json-closers")
def cut_json_closers(rng: random.Random) -> Case:
    """Only closing brackets are missing; even so the end was not seen."""
    scene = draw_scene(rng)
    reply = render(rng.choice(("json_strings", "json_lines")), scene).rstrip()
    ends = [reply[:at] for at in range(reply.rindex('"') + 1, len(reply))]
    return refuse(scene.document, rng.choice(ends))


@case_class("cut:json-in-fence")
def cut_json_in_fence(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    reply = render("json_strings", scene).rstrip()
    return refuse(scene.document, f"```json\n{cut_at(rng, reply, 30, len(reply) - 1)}")


@case_class("cut:diff-in-fence")
def cut_diff_in_fence(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    reply = "```diff\n" + render("udiff", scene)
    return refuse(scene.document, cut_at(rng, reply, 12, len(reply)))


@case_class("cut:diff")
def cut_diff(rng: random.Random) -> Case:
    """Without a fence, the counts of the last hunk tell that lines are missing."""
    scene = draw_scene(rng)
    reply = render("udiff", scene).rstrip("\n")
    last = reply.rindex("\n@@ ")
    # A last line that is cut within is not whole, and neither are fewer lines than counted.
    return refuse(scene.document, cut_at(rng, reply, last + 2, reply.rindex("\n") + 1))


@case_class("cut:diff-last-line")
def cut_diff_last_line(rng: random.Random) -> Case:
    """The last context line is cut within: it is not the file's.

    A new line at the end of the file may be whole, for a diff's last line needs no newline.
    """
    scene = draw_scene(rng)
    reply = render("udiff", scene).rstrip("\n")
    low = reply.rindex("\n") + 2
    if reply[low - 1] == "+":
        raise Unsuited("no context")
    if len(reply) - low < 6:
        raise Unsuited("a short line")
    return refuse(scene.document, cut_at(rng, reply, low + 1, len(reply)))


@case_class("cut:diff-next-header")
def cut_diff_next_header(rng: random.Random) -> Case:
    """It ends in the header of a hunk that has no lines."""
    scene = draw_scene(rng, count=2)
    reply = render("udiff", scene)
    last = reply.rindex("\n@@ ") + 1
    if reply.count("\n@@ ") < 2:
        raise Unsuited("one hunk")
    line = reply.index("\n", last)
    return refuse(scene.document, reply[: rng.randrange(last + 1, line + 2)])


@case_class("cut:diff-no-numbers")
def cut_diff_no_numbers(rng: random.Random) -> Case:
    """A header without lines below it, in a diff without numbers."""
    scene = draw_scene(rng)
    lines = render("udiff", scene).rstrip("\n").split("\n")
    lines = ["@@ ... @@" if line.startswith("@@") else line for line in lines]
    return refuse(scene.document, "\n".join(lines) + "\n@@ ... @@" + rng.choice(("", "\n")))


@case_class("cut:region")
def cut_region(rng: random.Random) -> Case:
    scene = draw_scene(rng, count=1)
    region = region_of(rng, scene)
    reply = f"```{scene.document.language}\n" + "\n".join(new_region(scene, region)) + "\n``"
    low = reply.index("\n") + 2
    return refuse(scene.document, cut_at(rng, reply, low, len(reply)), lines=region)


@case_class("cut:region-bare")
def cut_region_bare(rng: random.Random) -> Case:
    """Code without a fence that ends within brackets that it opened."""
    scene = draw_scene(rng, CODE - {"c"}, count=1)
    region = region_of(rng, scene)
    reply = "\n".join(new_region(scene, region))
    piece = cut_at(rng, reply, len(reply) // 3, len(reply))
    if all(piece.count(a) <= piece.count(b) for a, b in ("()", "[]")):
        raise Unsuited("no bracket is open")
    return refuse(scene.document, piece, lines=region)


@case_class("cut:whole")
def cut_whole(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    reply = f"```{scene.document.language}\n" + "\n".join(scene.target().lines) + "\n``"
    low = reply.index("\n") + 2
    return refuse(scene.document, cut_at(rng, reply, low, len(reply)))


@case_class("cut:whole-in-fence")
def cut_whole_in_fence(rng: random.Random) -> Case:
    """The text ends within brackets, and the fence was closed all the same."""
    scene = draw_scene(rng, CODE - {"c", "bash", "ruby"})
    text = "\n".join(scene.target().lines)
    piece = cut_at(rng, text, len(text) * 2 // 3, len(text))
    if all(piece.count(a) <= piece.count(b) for a, b in ("()", "[]", "{}")):
        raise Unsuited("no bracket is open")
    return refuse(scene.document, fenced(piece, scene.document.language, "~~~"))


@case_class("cut:whole-bare")
def cut_whole_bare(rng: random.Random) -> Case:
    scene = draw_scene(rng, CODE - {"c", "bash", "ruby"})
    text = "\n".join(scene.target().lines)
    piece = cut_at(rng, text, len(text) // 2, len(text))
    if all(piece.count(a) <= piece.count(b) for a, b in ("()", "[]", "{}")):
        raise Unsuited("no bracket is open")
    return refuse(scene.document, piece)


@case_class("cut:heredoc")
def cut_heredoc(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    inner = render("patch", scene)
    end = inner.index("*** End Patch") + 9
    return refuse(scene.document, f"apply_patch <<'EOF'\n{cut_at(rng, inner, 60, end)}\nEOF\n")


@case_class("cut:said")
def cut_said(rng: random.Random) -> Case:
    """The reply ends in a word that says that it was cut."""
    scene = draw_scene(rng)
    rows = section(scene.document.name, scene_hunks(scene))
    rows = rows[: rng.randrange(3, len(rows))]
    notes = ("[truncated]", "...", "[output cut off]", "(continued in the next message)")
    return refuse(scene.document, "\n".join(["*** Begin Patch", *rows, rng.choice(notes)]))


@case_class("cut:middle-lost")
def cut_middle_lost(rng: random.Random) -> Case:
    """The divider of a block and what is around it are missing; the end is there."""
    scene = draw_scene(rng, count=1)
    hunk = scene_hunks(scene, 2)[0]
    rows = ["<<<<<<< SEARCH", *hunk.old[:2], *hunk.new[1:], ">>>>>>> REPLACE"]
    return refuse(scene.document, "\n".join(rows) + "\n")


@case_class("cut:second-file")
def cut_second_file(rng: random.Random) -> Case:
    """One complete block, and then the start of one for another file."""
    scene = draw_scene(rng)
    rows = section(scene.document.name, scene_hunks(scene))
    reply = envelope([*rows, "*** Update File: other.txt", "@@", " a", "-b", "+c"])
    low = reply.index("*** Update File: other.txt") + 4
    return refuse(scene.document, cut_at(rng, reply, low, len(reply) - 8))


for form in PLACED:

    @case_class(f"cut-then-whole:{form}", form=form)
    def cut_then_whole(rng: random.Random, form: str) -> Case:
        """A first try that breaks off, then the whole edit: that one, or nothing."""
        scene = draw_scene(rng)
        reply = render(form, scene)
        piece = cut_at(rng, reply, len(reply) // 4, len(reply) * 3 // 4)
        whole = f"{piece}\n\nSorry, once more:\n\n{reply}"
        return about(scene.document, whole, Scene.target(scene).bytes(), refusal=True)
