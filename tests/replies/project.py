"""A project of several files, and replies about it in every form."""

from __future__ import annotations

import random

from edits import Scene, draw_scene
from formats import envelope, fenced, git_diff, patch, scene_hunks, search_replace, section, udiff
from model import Case, Document, Entry, Tree, Unsuited

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
