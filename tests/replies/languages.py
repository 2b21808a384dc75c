"""The sources, and the little that is known of their languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from model import Document

SOURCES = Path(__file__).parent / "sources"


@dataclass(frozen=True)
class Language:
    name: str
    comment: tuple[str, str]
    statement: str
    header: str
    # Whether a broken syntax has to be noticed.
    checked: bool = True


BRACES = r"^\s*(?!(?:if|for|while|switch|catch|else|return|try)\b|\})(?:[\w<>\[\], .]+ )?"

LANGUAGES = {
    ".rs": Language("rust", ("// ", ""), 'trace("{word} {number}");', r"\bfn (\w+)"),
    ".py": Language("python", ("# ", ""), 'audit("{word}", {number})', r"^\s*def (\w+)"),
    ".ts": Language(
        "typescript",
        ("// ", ""),
        'audit("{word}", {number});',
        BRACES + r"(?!constructor)(\w+)(?:<\w+>)?\(.*\{$",
    ),
    ".js": Language(
        "javascript",
        ("// ", ""),
        'audit("{word}", {number});',
        BRACES + r"(?!constructor)(\w+)\(.*\) \{$",
    ),
    ".go": Language("go", ("// ", ""), 'trace("{word}", {number})', r"^func .*?(\w+)\(\w* "),
    ".java": Language(
        "java",
        ("// ", ""),
        'audit("{word}", {number});',
        r"^    (?!Parser)[\w<>, ]+ (\w+)\([^)]*\) \{$",
    ),
    ".c": Language(
        "c", ("/* ", " */"), "trace_point({number});", r"^\w.*?(\w+)\(.*\)(?: \{)?$", checked=False
    ),
    ".rb": Language("ruby", ("# ", ""), "audit(:{word}, {number})", r"^\s*def (\w+)"),
    ".sh": Language("bash", ("# ", ""), 'log info "{word} {number}"', r"^(\w+)\(\) \{$"),
    ".css": Language("css", ("/* ", " */"), "margin-left: {number}px;", r"^\.(\w+).*\{$"),
    ".yaml": Language("yaml", ("# ", ""), "# {word} {number}", r"^  (\w+):$", checked=False),
    ".md": Language("markdown", ("<!-- ", " -->"), "See {word} {number}.", r"^## (\w+)", False),
    "": Language("make", ("# ", ""), "@echo {word} {number}", r"^(\w+):", checked=False),
}
BRACED = {"rust", "typescript", "javascript", "java", "c", "css"}
CODE = {"rust", "python", "typescript", "javascript", "go", "java", "c", "ruby", "bash"}
BY_NAME = {language.name: language for language in LANGUAGES.values()}

NO_STATEMENT = re.compile(
    r"(return|throw|raise|break|continue|pass|use|import|from|else|elif|elsif|except|try|finally|"
    r"with|for|if|fi|done|while|def|class|end|rescue|ensure|private|public|case|defer|goto|then|"
    r'do|module|require|attr_reader|true|false|type|var|"""|>>>|#|//|/\*|\*|\}|\)|\])(\W|$)'
)


@cache
def sources() -> tuple[Document, ...]:
    """All sources, in the order of their names."""
    found = []
    for path in sorted(SOURCES.iterdir()):
        language = LANGUAGES[path.suffix]
        lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
        found.append(Document(path.name, language.name, tuple(lines)))
    return tuple(found)


def indent_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


@dataclass(frozen=True)
class Block:
    """A function or what is like one: lines from `start` up to `end`, which is not in it."""

    name: str
    start: int
    end: int


def _end_of_block(lines: Sequence[str], start: int) -> int:
    """The line after the block that starts here."""
    depth = len(indent_of(lines[start]))
    end = start + 1
    while end < len(lines):
        line = lines[end]
        if line.strip() and len(indent_of(line)) <= depth:
            if re.match(r"\s*(rescue|ensure)\b|\{$", line):
                end += 1
                continue
            if re.match(r"\s*(\}|end\b|fi\b|done\b|\))", line):
                end += 1
            break
        end += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end


@cache
def blocks(language: str, lines: tuple[str, ...]) -> tuple[Block, ...]:
    """The functions of a text, those within others too."""
    header = re.compile(BY_NAME[language].header)
    found = []
    for start, line in enumerate(lines):
        name = header.search(line)
        if name and not line.lstrip().startswith(("//", "#include", "*", "#define")):
            if language == "markdown":
                end = start + 1
                while end < len(lines) and not lines[end].startswith("## "):
                    end += 1
                while not lines[end - 1].strip():
                    end -= 1
            else:
                end = _end_of_block(lines, start)
            if end - start >= 3:
                found.append(Block(name.group(1), start, end))
    return tuple(found)


def _balanced(text: str) -> bool:
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}")) and (
        text.count('"') % 2 == 0 and text.count("'") % 2 == 0 and text.count("`") % 2 == 0
    )


def _is_statement(language: str, lines: Sequence[str], at: int) -> bool:
    text = lines[at].strip()
    if not text or not _balanced(text):
        return False
    before = next((line.strip() for line in reversed(lines[:at]) if line.strip()), "")
    if language == "markdown":
        return text[0].isalpha() and len(text) > 30
    if language == "yaml":
        return bool(re.match(r"(- )?\w+: \w", text))
    if language == "make":
        return lines[at].startswith("\t") and not before.endswith("\\")
    if NO_STATEMENT.match(text) or before.endswith((",", "(", "\\", "[", "=", "|")):
        return False
    if language in BRACED:
        return text.endswith(";") and before[-1:] in ("", ";", "{", "}")
    return not text.endswith((":", ",", "{", "|", "do", "(", "then", "["))


@cache
def statements(language: str, lines: tuple[str, ...]) -> tuple[int, ...]:
    """Lines that hold one whole statement within a function."""
    inside = {
        at
        for block in blocks(language, lines)
        for at in range(block.start + 1, block.end)
        if language in ("markdown", "yaml", "make")
        or len(indent_of(lines[at])) > len(indent_of(lines[block.start]))
    }
    return tuple(at for at in sorted(inside) if _is_statement(language, lines, at))
