"""Paths that lead elsewhere: beyond the root, through links, to what is no file."""

from __future__ import annotations

import random
from dataclasses import replace

from edits import Scene, draw_scene
from model import Case, Link, Pipe, case_class
from project import FORMS, Content, before, case, draw_files, one, refused, written

for form in FORMS:

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
