"""Edits in JSON: their keys, their line numbers, their damage."""

from __future__ import annotations

import json
import random
from dataclasses import replace

from edits import Scene, draw_scene
from expect import may, must, refuse
from formats import fenced, hunks, json_lines, json_strings, scene_hunks
from model import Case, Change, Unsuited, case_class

KEYS = (
    ("old_string", "new_string"),
    ("old_text", "new_text"),
    ("old_str", "new_str"),
    ("search", "replace"),
    ("old", "new"),
    ("oldText", "newText"),
    ("oldString", "newString"),
)


def dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


@case_class("json:keys")
def keys(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    old, new = rng.choice(KEYS)
    return must(scene, json_strings(scene_hunks(scene, 1), old, new))


@case_class("json:one-object")
def one_object(rng: random.Random) -> Case:
    scene = draw_scene(rng, count=1)
    hunk = scene_hunks(scene, 1)[0]
    old, new = rng.choice(KEYS)
    edit = {old: "\n".join(hunk.old), new: "\n".join(hunk.new)}
    path = rng.choice(("path", "file", "file_path", "filename"))
    if rng.random() < 0.5:
        edit = {path: scene.document.name, **edit}
    return must(scene, dump(rng.choice((edit, [edit]))))


@case_class("json:other-path")
def other_path(rng: random.Random) -> Case:
    scene = draw_scene(rng, count=1)
    hunk = scene_hunks(scene, 1)[0]
    path = rng.choice(("path", "file", "file_path"))
    edit = {path: "src/elsewhere.txt", "old_string": "\n".join(hunk.old)}
    edit["new_string"] = "\n".join(hunk.new)
    return refuse(scene.document, dump(rng.choice((edit, {"edits": [edit]}))))


@case_class("json:newline-at-ends")
def newline_at_ends(rng: random.Random) -> Case:
    """Both texts end in a newline."""
    scene = draw_scene(rng)
    edits = [
        {"old_text": "\n".join(h.old) + "\n", "new_text": "\n".join(h.new) + "\n"}
        for h in scene_hunks(scene, 1)
    ]
    return must(scene, dump({"edits": edits}))


@case_class("json:newline-at-one-end")
def newline_at_one_end(rng: random.Random) -> Case:
    """One of the texts ends in a newline.

    Where it is the new one, replacing text by text adds an empty line; where it is the old one, no
    two lines are joined. Old text that ends in an empty line is left out: with one newline less it
    says that this line goes.
    """
    scene = draw_scene(rng, kind="alter", count=1)
    hunk = scene_hunks(scene, 1)[0]
    first, second = rng.choice((("\n", ""), ("", "\n")))
    if first and not hunk.old[-1]:
        raise Unsuited("an empty line")
    edit = {"old_text": "\n".join(hunk.old) + first, "new_text": "\n".join(hunk.new) + second}
    case = may(scene, dump({"edits": [edit]}))
    if not second:
        return case
    end = hunk.start + len(hunk.old)
    literally = Scene(scene.document, (*scene.changes, Change(end, (), ("",))))
    return replace(case, texts=(*case.texts, literally.target().bytes()))


@case_class("json:part-of-line")
def part_of_line(rng: random.Random) -> Case:
    """The old text is a part of a line, as string replacement allows."""
    scene = draw_scene(rng, count=1, kind="alter")
    change = scene.changes[0]
    old, new = change.old[0].strip(), change.new[0].strip()
    head = 0
    while head < min(len(old), len(new)) - 1 and old[head] == new[head]:
        head += 1
    head = max(0, head - rng.randrange(0, 9))
    text = scene.document.text()
    if text.count(old[head:]) != 1:
        raise Unsuited("not one place")
    return may(scene, dump({"old_string": old[head:], "new_string": new[head:]}))


@case_class("json:part-of-line-often")
def part_of_line_often(rng: random.Random) -> Case:
    """The part comes more than once."""
    scene = draw_scene(rng, {"rust", "python", "go", "java"}, count=1, kind="alter")
    words = [w for w in scene.document.text().split() if w.isalnum() and len(w) > 3]
    word = rng.choice([w for w in words if scene.document.text().count(w) > 1])
    return refuse(scene.document, dump({"old_string": word, "new_string": word + "_again"}))


@case_class("json:no-old-text")
def no_old_text(rng: random.Random) -> Case:
    """Line numbers alone cannot be checked."""
    scene = draw_scene(rng, count=1, kind="alter")
    change = scene.changes[0]
    edit = {"start_line": change.start + 1, "end_line": change.end, "new_text": change.new[0]}
    return refuse(scene.document, dump({"edits": [edit]}))


@case_class("json:lines-insert")
def lines_insert(rng: random.Random) -> Case:
    """An insertion: the range ends before it starts, and there is no old text."""
    scene = draw_scene(rng, count=1, kind="insert")
    change = scene.changes[0]
    if change.old:
        raise Unsuited("a list's point is altered instead")
    start = change.start + 1
    edit = {"start_line": start, "end_line": start - 1, "old_text": ""}
    edit["new_text"] = "\n".join(change.new) + rng.choice(("", "\n"))
    return may(scene, dump({"edits": [edit]}))


@case_class("json:lines-insert-one")
def lines_insert_one(rng: random.Random) -> Case:
    """An insertion that names one line and no old text: above or below it is not known."""
    scene = draw_scene(rng, count=1, kind="insert")
    change = scene.changes[0]
    if change.old:
        raise Unsuited("a list's point is altered instead")
    edit = {"start_line": change.start + 1, "end_line": change.start + 1, "old_text": ""}
    edit["new_text"] = "\n".join(change.new)
    return refuse(scene.document, dump({"edits": [edit]}))


@case_class("json:lines-off")
def lines_off(rng: random.Random) -> Case:
    """Wrong numbers, and old text that comes once."""
    scene = draw_scene(rng)
    return may(scene, json_lines(scene_hunks(scene, 1), rng.choice((-2, -1, 1, 2, 30))))


@case_class("json:lines-shorter")
def lines_shorter(rng: random.Random) -> Case:
    """The range counts fewer or more lines than the old text has."""
    scene = draw_scene(rng, count=1)
    edits = json.loads(json_lines(scene_hunks(scene, 1)))
    edits["edits"][0]["end_line"] += rng.choice((-1, 1))
    return may(scene, dump(edits))


@case_class("json:trailing-comma")
def trailing_comma(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    reply = json_strings(scene_hunks(scene, 1)).rstrip()
    return may(scene, reply[: reply.rindex("]")].rstrip() + ",\n]}")


@case_class("json:comments")
def comments(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    reply = json_strings(scene_hunks(scene, 1))
    return may(scene, reply.replace("{", "{ // the edit\n", 1))


@case_class("json:raw-newlines")
def raw_newlines(rng: random.Random) -> Case:
    """Line ends within strings are not escaped."""
    scene = draw_scene(rng, count=1)
    hunk = scene_hunks(scene, 1)[0]
    old, new = ("\n".join(part) for part in (hunk.old, hunk.new))
    if any(sign in old + new for sign in '"\\\t'):
        raise Unsuited("needs escapes")
    return may(scene, f'{{"old_text": "{old}", "new_text": "{new}"}}')


@case_class("json:double-encoded")
def double_encoded(rng: random.Random) -> Case:
    """A string that holds the JSON."""
    scene = draw_scene(rng)
    return may(scene, json.dumps(json_strings(scene_hunks(scene, 1))))


@case_class("json:backslashes-doubled")
def backslashes_doubled(rng: random.Random) -> Case:
    """Escaped once too often: `\\n` is written out in the texts."""
    scene = draw_scene(rng, count=1, kind="alter")
    hunk = scene_hunks(scene, 1)[0]
    edit = {"old_text": "\\n".join(hunk.old), "new_text": "\\n".join(hunk.new)}
    return may(scene, dump({"edits": [edit]}))


@case_class("json:lines-of-objects")
def lines_of_objects(rng: random.Random) -> Case:
    scene = draw_scene(rng, count=2)
    edits = [
        json.dumps({"old_text": "\n".join(h.old), "new_text": "\n".join(h.new)})
        for h in scene_hunks(scene, 1)
    ]
    return may(scene, "\n".join(edits) + "\n")


@case_class("json:single-quotes")
def single_quotes(rng: random.Random) -> Case:
    """A Python dictionary."""
    scene = draw_scene(rng, count=1)
    hunk = scene_hunks(scene, 1)[0]
    return may(scene, repr({"old_text": "\n".join(hunk.old), "new_text": "\n".join(hunk.new)}))


@case_class("json:prose")
def prose(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    reply = fenced(json_strings(scene_hunks(scene, 1)), "json", "~~~")
    return must(scene, f"Here is the edit:\n\n{reply}\nIt is small.\n")


@case_class("json:replace-all")
def replace_all(rng: random.Random) -> Case:
    """Asked to replace all; the text comes once."""
    scene = draw_scene(rng, count=1, kind="alter")
    hunk = scene_hunks(scene, 1)[0]
    edit = {"old_string": "\n".join(hunk.old), "new_string": "\n".join(hunk.new)}
    return may(scene, dump({**edit, "replace_all": rng.choice((True, False))}))


@case_class("json:overlap")
def overlap(rng: random.Random) -> Case:
    """Two edits that share lines, of which one deletes what the other one keeps."""
    scene = draw_scene(rng, count=1, kind="alter")
    change = scene.changes[0]
    below = change.end
    if below >= len(scene.lines) or not scene.lines[below].strip():
        raise Unsuited("no line of code below")
    other = Change(change.start, scene.lines[change.start : below + 1], ())
    parts = hunks(scene.lines, [change], 1) + hunks(scene.lines, [other], 1)
    return refuse(scene.document, json_strings(parts))


@case_class("json:deletion")
def deletion(rng: random.Random) -> Case:
    """The new text is empty: the lines go, and no blank line stays."""
    scene = draw_scene(rng, count=1, kind="delete")
    change = scene.changes[0]
    if change.new:
        raise Unsuited("nothing goes")
    hunk = scene_hunks(scene, 0)[0]
    if any(mark == " " for mark, _ in hunk.rows):
        raise Unsuited("not one place")
    old = "\n".join(hunk.old) + rng.choice(("", "\n"))
    return may(scene, dump({"edits": [{"old_text": old, "new_text": ""}]}))


@case_class("json:null")
def null(rng: random.Random) -> Case:
    """Values of the wrong kind."""
    scene = draw_scene(rng, count=1, kind="alter")
    hunk = scene_hunks(scene, 1)[0]
    old, new = "\n".join(hunk.old), "\n".join(hunk.new)
    edit = rng.choice(
        (
            {"old_text": old, "new_text": None},
            {"old_text": None, "new_text": new},
            {"old_text": 7, "new_text": new},
            {"old_text": old},
            {"old_text": old, "new_text": {"text": new}},
            {"new_text": new},
        )
    )
    return refuse(scene.document, dump({"edits": [edit]}))


@case_class("json:lists-of-lines")
def lists_of_lines(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    edits = [{"old_text": h.old, "new_text": h.new} for h in scene_hunks(scene, 1)]
    return may(scene, dump({"edits": edits}))


@case_class("json:file-of-json")
def file_of_json(rng: random.Random) -> Case:
    """The file is JSON itself, with keys like those of edits; the answer is the whole of it."""
    port = rng.randrange(1000, 9999)
    old = {"edits": [{"old_text": "a", "new_text": "b"}], "path": "x", "port": 1, "name": "demo"}
    scene = draw_scene(rng, {"javascript"}, count=1, plain=True)
    before = json.dumps(old, indent=2).split("\n")
    at = next(i for i, line in enumerate(before) if "port" in line)
    document = replace(scene.document, name="settings.json", language="javascript")
    document = document.with_lines(before)
    later = Scene(document, (Change(at, (before[at],), (f'  "port": {port},',)),))
    text = "\n".join(later.target().lines)
    return may(later, fenced(text, "json"))
