"""Replies about several files below a root: all of it or nothing, and nothing beyond the root."""

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
    patch,
    scene_hunks,
    search_replace,
    section,
    udiff,
)
from model import Case, Document, Entry, Link, Pipe, Tree, Unsuited, case_class

ROOT = "project"
FOLDERS = ("src", "lib/core", "tests", "")
FORMS = ("patch", "udiff", "gitdiff", "blocks", "blocks-fenced", "whole-above", "whole-info")
Files = dict[str, Scene]
Content = dict[str, Entry]


def draw_files(rng: random.Random, count: int = 0, plain: bool = False) -> Files:
    """Scenes by their paths below the root; no two share a name."""
    files: Files = {}
    names: set[str] = set()
    for _ in range(20):
        scene = draw_scene(rng, plain=plain)
        if scene.document.name in names:
            continue
        names.add(scene.document.name)
        path = f"{rng.choice(FOLDERS)}/{scene.document.name}".lstrip("/")
        files[path] = scene
        if len(files) == (count or rng.choice((2, 2, 3))):
            return files
    raise Unsuited("too few files")


def before(files: Files) -> Content:
    return {path: scene.document.bytes() for path, scene in files.items()}


def after(files: Files) -> Content:
    return {path: scene.target().bytes() for path, scene in files.items()}


def below(content: Tree) -> Content:
    """The content of the project, beside a folder that is not to be touched."""
    tree: Content = {f"{ROOT}/{path}": entry for path, entry in content.items()}
    tree["outside/kept.txt"] = b"one\ntwo\nthree\n"
    return tree


def case(old: Tree, reply: str, *new: Tree, refusal: bool = False, note: str = "") -> Case:
    arguments = ("--root", ROOT, "--write")
    trees = tuple(below(tree) for tree in new)
    return Case(
        below(old), arguments, reply.encode(), trees=trees, folder=True, refusal=refusal, note=note
    )


def refused(old: Tree, reply: str, note: str = "") -> Case:
    return case(old, reply, refusal=True, note=note)


def one(form: str, path: str, scene: Scene) -> str:
    """A reply for one of the files."""
    parts = scene_hunks(scene)
    language = scene.document.language
    if form == "patch":
        return patch(path, parts)
    if form == "udiff":
        return udiff(path, parts)
    if form == "gitdiff":
        return git_diff(path, parts)
    if form == "blocks":
        return f"{path}\n{search_replace(parts)}"
    if form == "blocks-fenced":
        return f"{path}\n{fenced(search_replace(parts), language, '~~~')}"
    text = "\n".join(scene.target().lines)
    fence = "~~~~" if "```" in text else "```"
    if form == "whole-above":
        return f"{path}\n{fenced(text, language, fence)}"
    return fenced(text, f"{language}:{path}", fence)


def written(form: str, files: Files) -> str:
    """A reply for all the files."""
    if form == "patch":
        rows = [row for path, scene in files.items() for row in section(path, scene_hunks(scene))]
        return envelope(rows)
    between = "" if form in ("udiff", "gitdiff") else "\n"
    return between.join(one(form, path, scene) for path, scene in files.items())


def stale(scene: Scene) -> Document:
    """The document with the lines changed that the edit is about."""
    lines = list(scene.lines)
    for change in scene.changes:
        low = change.start if change.old else max(0, change.start - 1)
        lines[low] = lines[low] + " and_changed_since"
    return scene.document.with_lines(lines)


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

    @case_class(f"folder:escape:{form}", form=form)
    def escape(rng: random.Random, form: str) -> Case:
        """A path beyond the root, or into what git keeps."""
        files = draw_files(rng)
        old = before(files)
        scene = draw_scene(rng)
        path = rng.choice(
            (
                "../outside/kept.txt",
                "src/../../outside/kept.txt",
                "/etc/kept.txt",
                ".git/config",
                ".git/hooks/pre-commit",
                "./.git/config",
                ".GIT/config",
                "src/../.git/config",
                "out/kept.txt",
                "hooks/pre-commit",
                "cfg",
            )
        )
        old[".git/config"] = scene.document.bytes()
        old[".git/hooks/pre-commit"] = scene.document.bytes()
        old["hooks"] = Link(".git/hooks")
        old["cfg"] = Link(".git/config")
        old["out"] = Link("../outside")
        both = {path: scene, **files} if rng.random() < 0.5 else {**files, path: scene}
        made = refused(old, written(form, both), note=path)
        tree = dict(made.tree)
        tree["outside/kept.txt"] = scene.document.bytes()
        return replace(made, tree=tree)

    @case_class(f"folder:two-names:{form}", form=form)
    def two_names(rng: random.Random, form: str) -> Case:
        """A file and a link to it, each with an edit: neither is lost."""
        scene = draw_scene(rng, count=2)
        first, second = (Scene(scene.document, (change,)) for change in scene.changes)
        path, link = "src/" + scene.document.name, "linked-" + scene.document.name
        old: Content = {path: scene.document.bytes(), link: Link(path)}
        both = [(path, first), (link, second)]
        rng.shuffle(both)
        new = {**old, path: scene.target().bytes()}
        return case(old, written(form, dict(both)), new, refusal=True)

    @case_class(f"folder:two-spellings:{form}", form=form)
    def two_spellings(rng: random.Random, form: str) -> Case:
        """One file under two spellings of its path, each with an edit."""
        scene = draw_scene(rng, count=2)
        first, second = (Scene(scene.document, (change,)) for change in scene.changes)
        path = "src/" + scene.document.name
        other = rng.choice((f"./{path}", f"src/./{scene.document.name}", f"lib/../{path}"))
        old: Content = {path: scene.document.bytes(), "lib/other.txt": b"other\n"}
        new = {**old, path: scene.target().bytes()}
        return case(old, written(form, {path: first, other: second}), new, refusal=True)

    @case_class(f"folder:through-link:{form}", form=form)
    def through_link(rng: random.Random, form: str) -> Case:
        """A link to a file of the project: the file is written, and the link stays."""
        scene = draw_scene(rng)
        path, link = "src/" + scene.document.name, scene.document.name
        old: Content = {path: scene.document.bytes(), link: Link(path)}
        new = {**old, path: scene.target().bytes()}
        return case(old, one(form, link, scene), new, refusal=True)

    @case_class(f"folder:odd-target:{form}", form=form)
    def odd_target(rng: random.Random, form: str) -> Case:
        """What is there is no file: a folder, a pipe, a link that leads nowhere.

        That it cannot be read may be called a failure instead of a refusal.
        """
        files = draw_files(rng)
        old = before(files)
        scene = draw_scene(rng)
        name = scene.document.name
        kind = rng.choice(("folder", "pipe", "nowhere", "below-file"))
        path = f"odd/{name}"
        if kind == "folder":
            old[f"{path}/within.txt"] = b"within\n"
        elif kind == "pipe":
            old[path] = Pipe()
        elif kind == "nowhere":
            old[path] = Link("../../outside/not-there")
        else:
            old["odd"] = b"a file\n"
        both = {path: scene, **files} if rng.random() < 0.5 else {**files, path: scene}
        return replace(refused(old, written(form, both), note=kind), failure=True)


for form in FORMS[:5]:

    @case_class(f"folder:one-stale:{form}", form=form)
    def one_stale(rng: random.Random, form: str) -> Case:
        """One file is not as the model saw it: no file is written."""
        files = draw_files(rng)
        old = before(files)
        path = rng.choice(sorted(files))
        old[path] = stale(files[path]).bytes()
        return refused(old, written(form, files))


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


def added(rng: random.Random, scene: Scene, form: str, path: str) -> str:
    """A reply that adds a file."""
    lines = scene.lines
    if form == "patch":
        return envelope([f"*** Add File: {path}", *("+" + line for line in lines)])
    head = [f"diff --git a/{path} b/{path}", "new file mode 100644", "index 0000000..3b18e51"]
    rows = ["--- /dev/null", f"+++ b/{path}", f"@@ -0,0 +1,{len(lines)} @@"]
    return (
        "\n".join([*(head if form == "gitdiff" else []), *rows, *("+" + l for l in lines)]) + "\n"
    )


def deleted(scene: Scene, form: str, path: str) -> str:
    """A reply that deletes a file."""
    lines = scene.lines
    if form == "patch":
        return envelope([f"*** Delete File: {path}"])
    head = [f"diff --git a/{path} b/{path}", "deleted file mode 100644", "index 3b18e51..0000000"]
    rows = [f"--- a/{path}", "+++ /dev/null", f"@@ -1,{len(lines)} +0,0 @@"]
    return (
        "\n".join([*(head if form == "gitdiff" else []), *rows, *("-" + l for l in lines)]) + "\n"
    )


def join(form: str, *replies: str) -> str:
    """Several replies as one."""
    if form != "patch":
        return "".join(replies)
    rows = [row for reply in replies for row in reply.rstrip("\n").split("\n")[1:-1]]
    return envelope(rows)


for form in ("patch", "udiff", "gitdiff"):

    @case_class(f"folder:add:{form}", form=form)
    def add(rng: random.Random, form: str) -> Case:
        files = draw_files(rng)
        fresh = draw_scene(rng, plain=True)
        path = f"new/deep/{fresh.document.name}"
        replies = [written(form, files), added(rng, fresh, form, path)]
        rng.shuffle(replies)
        new = {**after(files), path: fresh.document.bytes()}
        return case(before(files), join(form, *replies), new)

    @case_class(f"folder:add-existing:{form}", form=form)
    def add_existing(rng: random.Random, form: str) -> Case:
        files = draw_files(rng)
        fresh = draw_scene(rng, plain=True)
        path = f"src/there_{fresh.document.name}"
        old = {**before(files), path: b"what was there\n"}
        return refused(old, join(form, written(form, files), added(rng, fresh, form, path)))

    @case_class(f"folder:delete:{form}", form=form)
    def delete(rng: random.Random, form: str) -> Case:
        files = draw_files(rng)
        gone = draw_scene(rng, plain=True)
        path = f"old/{gone.document.name}"
        old = {**before(files), path: gone.document.bytes()}
        return case(old, join(form, deleted(gone, form, path), written(form, files)), after(files))

    @case_class(f"folder:delete-missing:{form}", form=form)
    def delete_missing(rng: random.Random, form: str) -> Case:
        files = draw_files(rng)
        gone = draw_scene(rng, plain=True)
        reply = join(form, written(form, files), deleted(gone, form, f"old/{gone.document.name}"))
        return refused(before(files), reply)

    @case_class(f"folder:delete-and-edit:{form}", form=form)
    def delete_and_edit(rng: random.Random, form: str) -> Case:
        """One file is deleted and edited: what is meant is not known."""
        files = draw_files(rng, plain=True)
        path = rng.choice(sorted(files))
        replies = [written(form, files), deleted(files[path], form, path)]
        rng.shuffle(replies)
        return refused(before(files), join(form, *replies))

    @case_class(f"folder:delete-then-add:{form}", form=form)
    def delete_then_add(rng: random.Random, form: str) -> Case:
        """Deleted and added: replaced as a whole, or refused."""
        scene = draw_scene(rng, plain=True)
        path = f"src/{scene.document.name}"
        after_it = Scene(scene.target(), ())
        reply = join(form, deleted(scene, form, path), added(rng, after_it, form, path))
        return case(before({path: scene}), reply, after({path: scene}), refusal=True)

    @case_class(f"folder:delete-link:{form}", form=form)
    def delete_link(rng: random.Random, form: str) -> Case:
        """A link is deleted: the link goes, or nothing does; never the file that it leads to."""
        scene = draw_scene(rng, plain=True)
        path = f"src/{scene.document.name}"
        old: Content = {path: scene.document.bytes(), "linked": Link(path)}
        new: Content = {path: scene.document.bytes()}
        return case(old, deleted(scene, form, "linked"), new, refusal=True)

    @case_class(f"folder:delete-stale:{form}", form=form)
    def delete_stale(rng: random.Random, form: str) -> Case:
        """A diff deletes lines that the file does not have; a patch shows none."""
        scene = draw_scene(rng, plain=True)
        path = f"src/{scene.document.name}"
        old = {path: stale(scene).bytes()}
        reply = deleted(scene, form, path)
        return case(old, reply, {}) if form == "patch" else refused(old, reply)


def moved(form: str, path: str, to: str, scene: Scene) -> str:
    parts = scene_hunks(scene)
    if form == "patch":
        rows = section(path, parts)
        rows.insert(1, f"*** Move to: {to}")
        return envelope(rows)
    head = [f"diff --git a/{path} b/{to}", "similarity index 87%", f"rename from {path}"]
    head += [f"rename to {to}", "index 3b18e51..a1b2c3d 100644", f"--- a/{path}", f"+++ b/{to}"]
    rows = udiff(path, parts).split("\n")[2:]
    return "\n".join([*head, *rows])


for form in ("patch", "gitdiff"):

    @case_class(f"folder:move:{form}", form=form)
    def move(rng: random.Random, form: str) -> Case:
        files = draw_files(rng)
        path = rng.choice(sorted(files))
        to = rng.choice((f"moved/deep/{files[path].document.name}", path + ".new"))
        others = {name: scene for name, scene in files.items() if name != path}
        replies = [moved(form, path, to, files[path]), written(form, others)]
        new = after(files)
        new[to] = new.pop(path)
        return case(before(files), join(form, *replies), new)

    @case_class(f"folder:move-onto:{form}", form=form)
    def move_onto(rng: random.Random, form: str) -> Case:
        """The new path is taken: by a file, by another edit, or by another move."""
        files = draw_files(rng, count=2)
        first, second = sorted(files)
        kind = rng.choice(("file", "edited", "moved"))
        old = before(files)
        if kind == "file":
            old["taken.txt"] = b"taken\n"
            reply = moved(form, first, "taken.txt", files[first])
        elif kind == "edited":
            replies = [moved(form, first, second, files[first]), one(form, second, files[second])]
            reply = join(form, *replies)
        else:
            replies = [moved(form, path, "taken.txt", files[path]) for path in (first, second)]
            reply = join(form, *replies)
        return refused(old, reply, note=kind)

    @case_class(f"folder:move-escape:{form}", form=form)
    def move_escape(rng: random.Random, form: str) -> Case:
        files = draw_files(rng, count=2)
        path = rng.choice(sorted(files))
        to = rng.choice(
            (
                "../outside/x.txt",
                ".git/hooks/post-commit",
                "hooks/post-commit",
                "out/x",
                "/tmp/x.txt",
                "src/../../outside/y",
                ".Git/config",
            )
        )
        old = before(files)
        old[".git/hooks/pre-push"] = b"#!/bin/sh\n"
        old["hooks"] = Link(".git/hooks")
        old["out"] = Link("../outside")
        return refused(old, moved(form, path, to, files[path]), note=to)


@case_class("folder:rename-only")
def rename_only(rng: random.Random) -> Case:
    """git's rename without a change of content."""
    files = draw_files(rng)
    path = rng.choice(sorted(files))
    to = f"renamed/{files[path].document.name}"
    rows = [f"diff --git a/{path} b/{to}", "similarity index 100%", f"rename from {path}"]
    old = before(files)
    new = {**old, to: old[path]}
    del new[path]
    return case(old, "\n".join([*rows, f"rename to {to}"]) + "\n", new, refusal=True)


@case_class("folder:mode-only")
def mode_only(rng: random.Random) -> Case:
    """git's change of mode has no text: it is refused, or the texts stay."""
    files = draw_files(rng)
    path = rng.choice(sorted(files))
    old = before(files)
    reply = f"diff --git a/{path} b/{path}\nold mode 100644\nnew mode 100755\n"
    return case(old, reply, old, refusal=True)


@case_class("folder:binary")
def binary(rng: random.Random) -> Case:
    """A binary file's part beside texts: nothing is written."""
    files = draw_files(rng)
    old: Content = {**before(files), "logo.png": b"\x89PNG\r\n\x1a\n\x00\x00"}
    part = rng.choice(
        (
            "index 3b18e51..a1b2c3d 100644\nBinary files a/logo.png and b/logo.png differ\n",
            "index 3b18e51..a1b2c3d 100644\nGIT binary patch\nliteral 4\nLcmZQzWMT#Y01f~L\n\n"
            "literal 10\nRcmeAS@N?(olHy\n\n",
        )
    )
    pieces = [f"diff --git a/logo.png b/logo.png\n{part}", written("gitdiff", files)]
    rng.shuffle(pieces)
    return refused(old, "".join(pieces))


@case_class("folder:copy")
def copy(rng: random.Random) -> Case:
    """git's copy: the new file is made, or nothing is."""
    files = draw_files(rng)
    path = rng.choice(sorted(files))
    to = f"copied/{files[path].document.name}"
    rows = [f"diff --git a/{path} b/{to}", "similarity index 100%", f"copy from {path}"]
    old = before(files)
    new = {**old, to: old[path]}
    return case(old, "\n".join([*rows, f"copy to {to}"]) + "\n", new, refusal=True)


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
    """One of several whole files has a gap: filled in, or nothing is written."""
    files = draw_files(rng, plain=True)
    path = rng.choice(sorted(files))
    scene = files[path]
    target = scene.target().lines
    low = rng.randrange(2, len(target) // 2)
    high = low + len(target) // 3
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
