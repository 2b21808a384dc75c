"""How a reply names the file, in a request about one file."""

from __future__ import annotations

import random

from edits import Scene, draw_scene
from expect import may, must, refuse
from formats import envelope, git_diff, patch, scene_hunks, search_replace, section, udiff
from model import Case, case_class

FORMS = ("patch", "udiff", "gitdiff", "blocks")
FOLDER = "src/home"


def with_path(form: str, scene: Scene, path: str) -> str:
    """A reply that names the file so."""
    parts = scene_hunks(scene)
    if form == "patch":
        return patch(path, parts)
    if form == "blocks":
        return f"{path}\n{search_replace(parts)}"
    reply = (git_diff if form == "gitdiff" else udiff)(scene.document.name, parts)
    return reply.replace(f"a/{scene.document.name}", path).replace(f"b/{scene.document.name}", path)


for form in FORMS:

    @case_class(f"path:spelled:{form}", form=form)
    def spelled(rng: random.Random, form: str) -> Case:
        """Other spellings of the same path: prefixes, absolute, dressed up, or the name alone."""
        scene = draw_scene(rng)
        name = scene.document.name
        full = f"{FOLDER}/{name}"
        spellings = [full, f"./{full}", f"/home/user/project/{full}", name, f"project/{full}"]
        spellings += [f"a/{full}", f"b/{full}"]
        if form in ("patch", "blocks"):
            spellings += [f"`{full}`", f"**{full}**", f'"{full}"']
        return must(scene, with_path(form, scene, rng.choice(spellings)), folder=FOLDER)

    @case_class(f"path:other-file:{form}", form=form)
    def other_file(rng: random.Random, form: str) -> Case:
        scene = draw_scene(rng)
        stem, _, suffix = scene.document.name.rpartition(".")
        other = f"{stem or 'Make'}_{rng.randrange(9)}.{suffix}"
        path = rng.choice((other, f"{FOLDER}/{other}", f"src/other/{other}"))
        return refuse(scene.document, with_path(form, scene, path), folder=FOLDER)

    @case_class(f"path:other-folder:{form}", form=form)
    def other_folder(rng: random.Random, form: str) -> Case:
        """The same name in another folder is another file."""
        scene = draw_scene(rng)
        name = scene.document.name
        folder = rng.choice(("tests/home", "src/work", "lib/src/house", "src", "src/home/inner"))
        return refuse(scene.document, with_path(form, scene, f"{folder}/{name}"), folder=FOLDER)


@case_class("path:backslashes")
def backslashes(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    path = f"{FOLDER}/{scene.document.name}".replace("/", "\\")
    return may(scene, with_path(rng.choice(FORMS), scene, path), folder=FOLDER)


@case_class("path:time")
def time(rng: random.Random) -> Case:
    """`diff -u` writes times after the paths."""
    scene = draw_scene(rng)
    name = f"{FOLDER}/{scene.document.name}"
    lines = udiff(name, scene_hunks(scene)).split("\n")
    lines[0] = f"--- {name}\t2026-01-0{rng.randrange(1, 9)} 10:00:00.000000000 +0100"
    lines[1] = f"+++ {name}\t2026-01-09 10:00:00.000000000 +0100"
    return must(scene, "\n".join(lines), folder=FOLDER)


@case_class("path:delete")
def delete(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    name = scene.document.name
    if rng.random() < 0.5:
        return refuse(scene.document, envelope([f"*** Delete File: {name}"]))
    count = len(scene.lines)
    rows = [f"--- a/{name}", "+++ /dev/null", f"@@ -1,{count} +0,0 @@"]
    return refuse(scene.document, "\n".join(rows + ["-" + line for line in scene.lines]) + "\n")


@case_class("path:add")
def add(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    name, lines = scene.document.name, scene.target().lines
    added = ["+" + line for line in lines]
    if rng.random() < 0.5:
        return refuse(scene.document, envelope([f"*** Add File: {name}", *added]))
    rows = ["--- /dev/null", f"+++ b/{name}", f"@@ -0,0 +1,{len(lines)} @@"]
    return refuse(scene.document, "\n".join(rows + added) + "\n")


@case_class("path:move")
def move(rng: random.Random) -> Case:
    scene = draw_scene(rng)
    name, parts = scene.document.name, scene_hunks(scene)
    if rng.random() < 0.5:
        rows = section(name, parts)
        rows.insert(1, f"*** Move to: new_{name}")
        return refuse(scene.document, envelope(rows))
    rows = [f"diff --git a/{name} b/new_{name}", "similarity index 90%", f"rename from {name}"]
    rows += [
        f"rename to new_{name}",
        udiff(name, parts).replace(f"+++ b/{name}", f"+++ b/new_{name}"),
    ]
    return refuse(scene.document, "\n".join(rows))


@case_class("path:second-file")
def second_file(rng: random.Random) -> Case:
    """A section for another file beside the one for this file."""
    scene = draw_scene(rng)
    rows = section(scene.document.name, scene_hunks(scene))
    other = ["*** Update File: elsewhere.txt", "@@", " one", "-two", "+three"]
    rows = rows + other if rng.random() < 0.5 else other + rows
    return refuse(scene.document, envelope(rows))


@case_class("path:twice")
def twice(rng: random.Random) -> Case:
    """Two sections for this file, with a hunk each."""
    scene = draw_scene(rng, count=2)
    rows: list[str] = []
    for hunk in scene_hunks(scene, 1):
        rows += section(scene.document.name, [hunk])
    return must(scene, envelope(rows))
