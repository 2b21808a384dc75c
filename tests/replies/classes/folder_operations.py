"""Files that are added, deleted, moved and copied, beside edits of others."""

from __future__ import annotations

import random

from edits import Scene, draw_scene
from model import Case, Link, case_class
from project import (
    Content,
    added,
    after,
    before,
    case,
    deleted,
    draw_files,
    join,
    moved,
    one,
    refused,
    stale,
    written,
)

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
