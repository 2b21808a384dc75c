"""Replies about several files below a root: all of it or nothing, and each edit in its file."""

from __future__ import annotations

import random
from dataclasses import replace

from edits import Scene, draw_scene
from formats import (
    body,
    envelope,
    fenced,
    git_diff,
    json_strings,
    scene_hunks,
    search_replace,
    section,
    udiff,
)
from model import Case, Unsuited, case_class
from project import FORMS, Content, after, before, case, draw_files, one, refused, stale, written

for form in FORMS:

    @case_class(f"folder:clean:{form}", form=form)
    def clean(rng: random.Random, form: str) -> Case:
        files = draw_files(rng)
        return case(before(files), written(form, files), after(files))

    @case_class(f"folder:prose:{form}", form=form)
    def prose(rng: random.Random, form: str) -> Case:
        """Words before, between and after."""
        files = draw_files(rng)
        if form == "patch":
            reply = f"First this:\n\n{written(form, files)}\nThat is all."
        else:
            pieces = [one(form, path, scene) for path, scene in files.items()]
            if form in ("udiff", "gitdiff"):
                pieces = [fenced(piece, "diff", "~~~~") for piece in pieces]
            reply = "First this:\n\n" + "\nThen this:\n\n".join(pieces) + "\nThat is all.\n"
        return case(before(files), reply, after(files))

    @case_class(f"folder:one-missing:{form}", form=form)
    def one_missing(rng: random.Random, form: str) -> Case:
        """One file is not there. A whole file may be made anew."""
        files = draw_files(rng)
        old = before(files)
        path = rng.choice(sorted(files))
        del old[path]
        reply = written(form, files)
        if form.startswith("whole"):
            scene = files[path]
            text = "\n".join(scene.target().lines)
            made = {**after(files), path: (text + "\n").encode()}
            return case(old, reply, made, {**made, path: text.encode()}, refusal=True)
        return refused(old, reply)

    @case_class(f"folder:cut:{form}", form=form)
    def cut(rng: random.Random, form: str) -> Case:
        """Cut within the last file's part: the parts before it are not written either."""
        files = draw_files(rng)
        reply = written(form, files).rstrip("\n")
        last = list(files)[-1]
        low = reply.rindex(last) + len(last) + 4
        high = len(reply) - 1
        if form in ("udiff", "gitdiff"):
            high = reply.rindex("\n") - 1
            low = reply.rindex("\n@@ ") + 2
        if low >= high:
            raise Unsuited("too short")
        return refused(before(files), reply[: rng.randrange(low, high)])

    @case_class(f"folder:cut-name:{form}", form=form)
    def cut_name(rng: random.Random, form: str) -> Case:
        """Cut within the name of the last file."""
        files = draw_files(rng)
        reply = written(form, files)
        last = list(files)[-1]
        at = reply.rindex(last)
        return refused(before(files), reply[: at + rng.randrange(1, len(last) + 1)])

    @case_class(f"folder:same-name:{form}", form=form)
    def same_name(rng: random.Random, form: str) -> Case:
        """Two folders have a file of the same name; the path says which one is meant."""
        scene = draw_scene(rng)
        name = scene.document.name
        paths = rng.sample((f"src/{name}", f"lib/{name}", f"src/inner/{name}", name), 3)
        old: Content = {path: scene.document.bytes() for path in paths}
        new = {**old, paths[0]: scene.target().bytes()}
        return case(old, one(form, paths[0], scene), new)

    @case_class(f"folder:name-alone:{form}", form=form)
    def name_alone(rng: random.Random, form: str) -> Case:
        """Only the name is given, and two folders have such a file."""
        scene = draw_scene(rng)
        name = scene.document.name
        old: Content = {path: scene.document.bytes() for path in (f"src/{name}", f"lib/{name}")}
        reply = one(form, name, scene)
        if form.startswith("whole"):
            text = "\n".join(scene.target().lines)
            # A whole file at a path that is free is a new file.
            made = [{**old, name: content.encode()} for content in (text, text + "\n")]
            return case(old, reply, *made, refusal=True)
        return refused(old, reply)

for form in FORMS[:5]:

    @case_class(f"folder:one-stale:{form}", form=form)
    def one_stale(rng: random.Random, form: str) -> Case:
        """One file is not as the model saw it: no file is written."""
        files = draw_files(rng)
        old = before(files)
        path = rng.choice(sorted(files))
        old[path] = stale(files[path]).bytes()
        return refused(old, written(form, files))


@case_class("folder:moved-lines")
def moved_lines(rng: random.Random) -> Case:
    """More than half of a file goes to another one, both as whole files."""
    scene = draw_scene(rng, {"markdown"})
    name = scene.document.name
    lines = scene.lines
    at = rng.randrange(len(lines) // 4, len(lines) // 2)
    if lines[at].strip() or not (lines[at - 1].strip() and lines[at + 1].strip()):
        raise Unsuited("not between paragraphs")
    if sum(line.startswith("```") for line in lines[:at]) % 2:
        raise Unsuited("within code")
    parts = {name: lines[:at], f"more/{name}": lines[at + 1 :]}
    texts = {path: "\n".join(part) + "\n" for path, part in parts.items()}
    document = replace(scene.document, ending="\n", final=True, mark=False)
    reply = "\n".join(f"{path}\n~~~~\n{text}~~~~\n" for path, text in texts.items())
    return case(
        {name: document.bytes()}, reply, {path: text.encode() for path, text in texts.items()}
    )


@case_class("folder:no-extension")
def no_extension(rng: random.Random) -> Case:
    """Paths without a dot above their blocks."""
    scene = draw_scene(rng, {"make", "bash"})
    name = rng.choice(("Makefile", "CHANGES", "Dockerfile", "bin/deploy", "LICENSE"))
    files = {name: scene}
    form = rng.choice(("blocks", "blocks-fenced", "whole-above", "whole-info"))
    return case(before(files), written(form, files), after(files), note=f"{form} {name}")


@case_class("folder:dressed-path")
def dressed_path(rng: random.Random) -> Case:
    """The path above a fence is a heading, bold, in back-ticks, or a comment."""
    files = draw_files(rng)
    dress = rng.choice(("### {}", "**{}**", "`{}`", "### `{}`", "{}:", "File: {}", "**`{}`**:"))
    form = rng.choice(("blocks-fenced", "whole-above"))
    reply = "\n".join(
        one(form, path, scene).replace(path, dress.format(path), 1) for path, scene in files.items()
    )
    return case(before(files), reply, after(files), note=f"{form} {dress}")


@case_class("folder:path-in-fence")
def path_in_fence(rng: random.Random) -> Case:
    """The first line of the fence is a comment with the path: taken as such, or refused."""
    files = draw_files(rng, plain=True)
    pieces = []
    for path, scene in files.items():
        start, end = scene.language.comment
        text = "\n".join([f"{start}{path}{end}", *scene.target().lines])
        pieces.append(fenced(text, scene.document.language, "~~~~"))
    return case(before(files), "\n".join(pieces), after(files), refusal=True)


@case_class("folder:indented-mark")
def indented_mark(rng: random.Random) -> Case:
    """A section's mark is indented or lacks its stars: all sections, or none."""
    files = draw_files(rng)
    path = rng.choice(sorted(files))
    mark = f"*** Update File: {path}"
    bad = rng.choice(
        (
            f"  {mark}",
            f"\t{mark}",
            f" {mark}",
            mark[4:],
            mark[1:],
            f"> {mark}",
            mark.replace("Update File", "Update"),
            mark.replace("*** ", "***"),
        )
    )
    return case(
        before(files), written("patch", files).replace(mark, bad), after(files), refusal=True
    )


@case_class("folder:json")
def in_json(rng: random.Random) -> Case:
    """Edits in JSON, each with its path."""
    import json

    files = draw_files(rng)
    edits = []
    for path, scene in files.items():
        for edit in json.loads(json_strings(scene_hunks(scene, 1)))["edits"]:
            edits.append({"path": path, **edit})
    return case(before(files), json.dumps({"edits": edits}), after(files), refusal=True)


@case_class("folder:twice")
def twice(rng: random.Random) -> Case:
    """Two sections for one file, with an edit each."""
    scene = draw_scene(rng, count=2)
    parts = scene_hunks(scene, 1)
    if len(parts) < 2:
        raise Unsuited("one hunk")
    path = "src/" + scene.document.name
    files = {path: scene}
    rows = [row for hunk in parts for row in section(path, [hunk])]
    reply = rng.choice((envelope(rows), "".join(udiff(path, [hunk]) for hunk in parts)))
    return case(before(files), reply, after(files), refusal=True)


@case_class("folder:twice-against")
def twice_against(rng: random.Random) -> Case:
    """Two sections for one file that change the same line in two ways."""
    scene = draw_scene(rng, count=1, kind="alter")
    change = scene.changes[0]
    other = Scene(scene.document, (replace(change, new=(change.old[0] + change.new[0],)),))
    path = "src/" + scene.document.name
    rows = section(path, scene_hunks(scene)) + section(path, scene_hunks(other))
    return refused(before({path: scene}), envelope(rows))


@case_class("folder:quoted-path")
def quoted_path(rng: random.Random) -> Case:
    """git quotes paths that are not ASCII, and writes their bytes in octal."""
    scene = draw_scene(rng)
    path = rng.choice(("src/größe.txt", 'src/a"b.txt', "src/tab\tname.txt", "src/日本.txt"))
    octal = "".join(
        f"\\{byte:03o}" if byte > 126 else {34: '\\"', 9: "\\t"}.get(byte, chr(byte))
        for byte in path.encode()
    )
    reply = git_diff("@PATH@", scene_hunks(scene)).replace("a/@PATH@", f'"a/{octal}"')
    reply = reply.replace("b/@PATH@", f'"b/{octal}"')
    return case(before({path: scene}), reply, after({path: scene}))


@case_class("folder:blanks-in-path")
def blanks_in_path(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    path = rng.choice(("src/two words.txt", "my folder/a b c.txt", "src/(paren) x.txt"))
    form = rng.choice(("patch", "udiff", "gitdiff"))
    reply = one(form, path, scene)
    if form == "gitdiff":
        reply = reply.replace(f"--- a/{path}", f"--- a/{path}\t").replace(
            f"+++ b/{path}", f"+++ b/{path}\t"
        )
    return case(before({path: scene}), reply, after({path: scene}))


@case_class("folder:crlf")
def crlf(rng: random.Random) -> Case:
    files = draw_files(rng)
    form = rng.choice(FORMS)
    return case(before(files), written(form, files).replace("\n", "\r\n"), after(files))


@case_class("folder:headless")
def headless(rng: random.Random) -> Case:
    """An edit that names no file."""
    files = draw_files(rng)
    scene = next(iter(files.values()))
    parts = scene_hunks(scene)
    rows = [row for hunk in parts for row in ("@@", *body(hunk))]
    reply = rng.choice(
        (search_replace(parts), "\n".join(rows) + "\n", envelope(rows), json_strings(parts))
    )
    return refused(before(files), reply)


@case_class("folder:headless-second")
def headless_second(rng: random.Random) -> Case:
    """The second block names no file; it may belong to the one above, or to no one."""
    files = draw_files(rng, count=2)
    (path, first), (_, second) = files.items()
    reply = f"{one('blocks', path, first)}\n{search_replace(scene_hunks(second))}"
    return refused(before(files), reply)


@case_class("folder:elided-whole")
def elided_whole(rng: random.Random) -> Case:
    """One of several whole files has a gap: filled in, or nothing is written.

    No change lies in the gap, for what stands there is what the file has.
    """
    files = draw_files(rng, plain=True)
    path = rng.choice(sorted(files))
    scene = files[path]
    target = scene.target().lines
    low = rng.randrange(2, len(target) // 2)
    high = low + len(target) // 3
    if not set(target[low:high]) <= set(scene.lines) or len(target) != len(scene.lines):
        raise Unsuited("a change in the gap")
    start, end = scene.language.comment
    rows = [*target[:low], f"{start}... existing code ...{end}", *target[high:]]
    short = one("whole-above", path, Scene(scene.document.with_lines(rows), ()))
    pieces = [
        short if name == path else one("whole-above", name, other) for name, other in files.items()
    ]
    return case(before(files), "\n".join(pieces), after(files), refusal=True)


@case_class("folder:talk")
def talk(rng: random.Random) -> Case:
    files = draw_files(rng)
    words = rng.choice(("Nothing to do.", "NO_EDITS", "", "*** Begin Patch\n*** End Patch\n", "{}"))
    old = before(files)
    return case(old, words, old, refusal=True)


@case_class("folder:shell-block")
def shell_block(rng: random.Random) -> Case:
    """A fence of commands beside the edits is no file."""
    files = draw_files(rng)
    form = rng.choice(FORMS)
    reply = f"{written(form, files)}\nThen run:\n\n~~~sh\nmake test\n~~~\n"
    if form in ("udiff", "gitdiff"):
        reply = f"{fenced(written(form, files), 'diff', '~~~~')}\nThen run:\n\n~~~sh\nmake\n~~~\n"
    return case(before(files), reply, after(files), refusal=True)
