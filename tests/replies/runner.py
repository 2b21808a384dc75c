"""Runs a case against the program, and judges the result."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from model import Case, Entry, Link, Pipe, Tree

FAILED = 1
REFUSED = 3
PATIENCE_SECONDS = 20


@dataclass(frozen=True)
class Outcome:
    """What came: `right`, `missed` or `wrong`, and why."""

    kind: str
    status: int
    text: bytes
    message: str
    reason: str = ""


def lay_out(root: Path, tree: Tree) -> None:
    for name, entry in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(entry, Link):
            path.symlink_to(entry.to)
        elif isinstance(entry, Pipe):
            os.mkfifo(path)
        else:
            path.write_bytes(entry)


def read_back(root: Path) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files]:
            path = Path(folder, name)
            key = path.relative_to(root).as_posix()
            if path.is_symlink():
                found[key] = Link(os.readlink(path))
            elif path.is_fifo():
                found[key] = Pipe()
            elif path.is_file():
                found[key] = path.read_bytes()
    return found


def run(binary: Path, case: Case) -> Outcome:
    """Runs one case in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="replies-") as holder:
        root = Path(holder, "work")
        root.mkdir()
        lay_out(root, case.tree)
        try:
            done = subprocess.run(
                [binary, "apply", *case.arguments],
                input=case.reply,
                capture_output=True,
                cwd=root,
                timeout=PATIENCE_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Outcome("wrong", -1, b"", "", "it hangs")
        message = done.stderr.decode(errors="replace")
        if case.folder:
            return _judge_folder(case, root, done.returncode, message)
        return _judge_text(case, done.returncode, done.stdout, message)


def _judge_text(case: Case, status: int, text: bytes, message: str) -> Outcome:
    def outcome(kind: str, reason: str = "") -> Outcome:
        return Outcome(kind, status, text, message, reason)

    if status == REFUSED:
        return outcome("right" if case.refusal else "missed")
    if status != 0:
        return outcome("wrong", f"exit status {status}")
    if text in case.texts:
        return outcome("right")
    if text in case.tree.values():
        # Nothing was written, so no file is wrong; but an edit that must be made was not.
        if case.must_apply:
            return outcome("missed", "said to be there already")
        return outcome("wrong", "said to be there already")
    return outcome("wrong", "another text")


def _judge_folder(case: Case, root: Path, status: int, message: str) -> Outcome:
    after = read_back(root)
    before = dict(case.tree)
    shown = "".join(_difference(before, after)).encode()

    def outcome(kind: str, reason: str = "") -> Outcome:
        return Outcome(kind, status, shown, message, reason)

    if status == REFUSED:
        if after != before:
            return outcome("wrong", "refused, yet something was written")
        return outcome("right" if case.refusal else "missed")
    if status == FAILED and case.failure and after == before:
        return outcome("right")
    if status != 0:
        return outcome("wrong", f"exit status {status}")
    if any(after == dict(tree) for tree in case.trees):
        return outcome("right")
    if after == before:
        return outcome("missed" if case.must_apply else "wrong", "said to be there already")
    return outcome("wrong", "another result")


def _difference(before: dict[str, Entry], after: dict[str, Entry]) -> list[str]:
    result = []
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            result.append(f"--- {name}\n{_shown(after.get(name))}\n")
    return result


def _shown(entry: Entry | None) -> str:
    if isinstance(entry, bytes):
        return entry.decode(errors="replace")
    return "(gone)" if entry is None else str(entry)
