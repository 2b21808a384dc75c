"""Cases about one file, by what may come of them."""

from __future__ import annotations

from edits import Scene
from model import Case, Document


def about(
    document: Document,
    reply: str | bytes,
    *texts: bytes,
    refusal: bool = False,
    lines: tuple[int, int] | None = None,
    folder: str = "",
    note: str = "",
) -> Case:
    """A case about a document; `lines` counts from 0, the end left out."""
    path = f"{folder}/{document.name}" if folder else document.name
    arguments = ("--file", path)
    if lines:
        arguments += ("--range", f"{lines[0] + 1}-{lines[1]}")
    raw = reply if isinstance(reply, bytes) else reply.encode()
    return Case({path: document.bytes()}, arguments, raw, texts, refusal=refusal, note=note)


def must(scene: Scene, reply: str | bytes, **options: object) -> Case:
    """The edit has to be made."""
    return about(scene.document, reply, scene.target().bytes(), **options)  # type: ignore[arg-type]


def may(scene: Scene, reply: str | bytes, **options: object) -> Case:
    """The edit may be made, or refused."""
    return about(
        scene.document, reply, scene.target().bytes(), refusal=True, **options  # type: ignore
    )


def refuse(document: Document, reply: str | bytes, **options: object) -> Case:
    """Nothing may come of it."""
    return about(document, reply, refusal=True, **options)  # type: ignore[arg-type]


def idle(document: Document, reply: str | bytes, **options: object) -> Case:
    """The text stays, whether that is called a refusal or not."""
    return about(document, reply, document.bytes(), refusal=True, **options)  # type: ignore
