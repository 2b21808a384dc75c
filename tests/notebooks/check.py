#!/usr/bin/env python3
"""What a model is shown of real notebooks: in each code cell, the code of the others in their order, and the language.

    check.py TANDEM FOLDER...

Opens every notebook below the folders as VS Code does, and requests ghost text at the end of each code cell. What is
expected follows from the notebook's JSON and from IPython's documentation of its magics: the model's window is a part of
the cells that share the cell's names, joined in their order by blank lines, and the language is the cell's own.

The last line is `N passed, N failed`, in notebooks; the exit status is 1 if any failed.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "third-party"))
from editor import Editor  # noqa: E402

# How VS Code names the languages of kernels that it has under another name.
VS_CODE = {"c#": "csharp", "f#": "fsharp", "q#": "qsharp", "c++": "cpp", "c++11": "cpp", "c++14": "cpp", "c++17": "cpp"}
# Cell magics of IPython, and of its usual extensions, that run the cell in its own language; others pass it to a program.
OWN = {"capture", "debug", "lprun", "memit", "mprun", "prun", "snakeviz", "time", "timeit"}
# The languages of some of the others; what a magic writes into a file has the language of that.
MAGICS = {"sh": "bash", "HTML": "html", "js": "javascript", "python2": "python", "python3": "python"}
ENDINGS = {".py": "python", ".sh": "bash", ".json": "json", ".md": "markdown", ".html": "html", ".js": "javascript"}
# VS Code's names that the prompt has otherwise.
SHELL = {"shellscript": "bash", "javascriptreact": "javascript", "typescriptreact": "tsx"}
SENT = re.compile(r"^Language: (.*)\n(?:.*\n)*?<\|code(?:-\d+)?\|>\n((?:.*\n?)*)\Z", re.M)
CURSOR = re.compile(r"<\|cursor(?:-\d+)?\|>")
# What the model is shown at least of the cells before, if there is as much.
LEAST = 1_000


class Cell:
    """A cell as VS Code has it."""

    def __init__(self, raw, kernel, at, uri):
        source = raw["source"]
        self.text = source if isinstance(source, str) else "".join(source)
        self.is_code = raw["cell_type"] == "code"
        own = raw.get("metadata", {}).get("vscode", {}).get("languageId")
        self.language = own or (kernel if self.is_code else "markdown")
        self.uri = f"{uri}#W{at}"
        magic = self.text.lstrip().splitlines()[:1]
        magic = magic[0].rstrip() if self.language == "python" and magic and magic[0].startswith("%%") else ""
        self.magic = magic.removeprefix("%%").split()
        self.is_foreign = bool(self.magic) and self.magic[0] not in OWN

    def named(self):
        """The name of its language in a prompt."""
        if not self.is_foreign:
            return SHELL.get(self.language, self.language)
        name, last = self.magic[0], self.magic[-1]
        if name in ("file", "writefile"):
            return ENDINGS.get(pathlib.PurePath(last).suffix, "")
        name = last if name == "script" else name
        return MAGICS.get(name, name)

    def shares_names_with(self, other):
        return self.is_code and not self.is_foreign and not other.is_foreign and self.language == other.language


def kernel_of(notebook):
    metadata = notebook.get("metadata", {})
    for name, key in (("language_info", "name"), ("kernelspec", "language")):
        if metadata.get(name, {}).get(key):
            language = metadata[name][key].lower()
            return VS_CODE.get(language, language)
    return "python"


def joined(cells):
    """The text of cells, in which a blank line follows each."""
    texts = [cell.text for cell in cells if cell.text]
    return "".join(text + ("\n" if text.endswith("\n") else "\n\n") for text in texts)


def check(editor, record, path):
    """Requests ghost text in each code cell; returns their number by language."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    if notebook.get("nbformat") != 4:
        return None
    kernel, uri = kernel_of(notebook), path.as_uri()
    of_cell = uri.replace("file://", "vscode-notebook-cell://")
    cells = [Cell(raw, kernel, at, of_cell) for at, raw in enumerate(notebook["cells"])]
    listed = [{"kind": 2 if cell.is_code else 1, "document": cell.uri} for cell in cells]
    texts = [
        {"uri": cell.uri, "languageId": cell.language, "version": 1, "text": cell.text} for cell in cells
    ]
    opened = {"uri": uri, "notebookType": "jupyter-notebook", "version": 1, "cells": listed}
    editor.notify("notebookDocument/didOpen", {"notebookDocument": opened, "cellTextDocuments": texts})
    asked = collections.Counter()
    for at, cell in enumerate(cells):
        if not cell.is_code:
            continue
        lines = cell.text.split("\n")
        end = {"line": len(lines) - 1, "character": len(lines[-1].encode("utf-16-le")) // 2}
        request = {"textDocument": {"uri": cell.uri}, "position": end, "context": {"triggerKind": 1}}
        before = len(record.read_bytes()) if record.exists() else 0
        editor.request("textDocument/inlineCompletion", request)
        frames = record.read_bytes()[before:].decode().splitlines()
        assert frames, f"cell {at}: no model was asked"
        sent = json.loads(frames[0])["input"][0]["content"][0]["text"]
        found = SENT.search(sent)
        assert found, f"cell {at}: {sent!r}"
        language, window = found.groups()
        assert language == cell.named(), f"cell {at} of language {cell.named()!r} is called {language!r}"
        shown, rest = CURSOR.split(window)
        above = joined(it for it in cells[:at] if it.shares_names_with(cell)) + cell.text
        below = joined(it for it in cells[at + 1 :] if it.shares_names_with(cell))
        # Cells without a text have no part, so that blank lines between them do not matter.
        assert above.strip().endswith(shown.strip()), f"cell {at}: above it is\n{shown}\nand not the end of\n{above}"
        assert below.strip().startswith(rest.strip()), f"cell {at}: below it is\n{rest}\nand not the start of\n{below}"
        assert len(shown.strip()) >= min(len(above.strip()), LEAST), f"cell {at}: of\n{above}\nonly\n{shown}"
        asked[cell.named() or cell.language] += 1
    editor.notify(
        "notebookDocument/didClose",
        {"notebookDocument": {"uri": uri}, "cellTextDocuments": [{"uri": cell.uri} for cell in cells]},
    )
    return asked


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tandem, folders = sys.argv[1], [pathlib.Path(folder).resolve() for folder in sys.argv[2:]]
    passed = failed = 0
    asked = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        script, record = folder / "script.jsonl", folder / "frames.jsonl"
        script.write_text('{"reply": "NO_EDITS"}\n')
        simulator = subprocess.Popen(
            [tandem, "simulate", "--script", script, "--record", record], stdout=subprocess.PIPE, text=True
        )
        url = simulator.stdout.readline().removeprefix("listening on ").strip()
        config = (
            f'privacy.redact = false\n[providers.it]\nbase_url = "{url}"\n'
            '[fast]\ncandidates = [{ provider = "it", model = "any" }]\n'
        )
        editor = Editor(tandem, folder, config=config)
        try:
            for path in sorted(path for folder in folders for path in folder.rglob("*.ipynb")):
                try:
                    cells = check(editor, record, path)
                    if cells is not None:
                        passed += 1
                        asked += cells
                except AssertionError as wrong:
                    failed += 1
                    print(f"FAIL {path}: {wrong}", flush=True)
        finally:
            editor.close()
            simulator.terminate()
            simulator.wait()
    print(f"{asked.total()} cells: " + ", ".join(f"{count} {language}" for language, count in asked.most_common()))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
