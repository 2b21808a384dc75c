"""Signs that look alike, that are not seen, or that were written in another way."""

from __future__ import annotations

import html
import random
import re
import unicodedata

from edits import Scene, draw_scene
from expect import about, may, must, refuse
from formats import block, render_hunks, scene_hunks
from languages import indent_of
from model import Case, Change, Unsuited, case_class

FORMS = ("udiff", "patch", "blocks", "json_strings")
CURLY = str.maketrans({'"': "”", "'": "’", "-": "–"})


def with_old(rng: random.Random, scene: Scene, form: str, change: object, marks: str) -> str:
    """A reply whose lines of these marks went through a function; one has to differ."""
    parts = scene_hunks(scene)
    found = False
    for index, hunk in enumerate(parts):
        rows = []
        for mark, line in hunk.rows:
            new = change(line) if mark in marks else line  # type: ignore[operator]
            found = found or new != line
            rows.append((mark, new))
        parts[index] = hunk.with_rows(rows)
    if not found:
        raise Unsuited("nothing to write otherwise")
    return render_hunks(form, scene.document.name, parts)


def curly(line: str) -> str:
    return re.sub(r'"([^"]*)"', "“\\1”", line).replace("'", "’")


def straight(line: str) -> str:
    for sign, plain in (("“", '"'), ("”", '"'), ("–", "-"), ("\u00a0", " ")):
        line = line.replace(sign, plain)
    return line


for form in FORMS:

    @case_class(f"curly-context:{form}", form=form)
    def curly_context(rng: random.Random, form: str) -> Case:
        """Typographic quotes in lines that stay: the file's bytes stay."""
        scene = draw_scene(rng)
        return must(scene, with_old(rng, scene, form, curly, " "))

    @case_class(f"curly-old:{form}", form=form)
    def curly_old(rng: random.Random, form: str) -> Case:
        scene = draw_scene(rng, kind=rng.choice(("alter", "delete")))
        return must(scene, with_old(rng, scene, form, curly, " -"))

    @case_class(f"curly-all:{form}", form=form)
    def curly_all(rng: random.Random, form: str) -> Case:
        """New code with typographic quotes is wrong code: restored, or refused.

        In prose, and in comments, they may be meant.
        """
        scene = draw_scene(rng, {"rust", "python", "go", "typescript", "javascript", "java", "c"})
        return may(scene, with_old(rng, scene, form, curly, "+" if form == "patch" else " -+"))

    @case_class(f"straight-context:{form}", form=form)
    def straight_context(rng: random.Random, form: str) -> Case:
        """The file has typographic signs, the reply plain ones."""
        scene = draw_scene(rng, {"rust", "python", "markdown"}, count=1)
        lines = list(scene.lines)
        at = scene.changes[0].start
        if scene.document.language == "markdown":
            raise Unsuited("no comment within")
        start, end = scene.language.comment
        lines.insert(at, f"{indent_of(lines[at])}{start}the “old”\u00a0way – kept{end}")
        old = scene.changes[0]
        later = Scene(scene.document.with_lines(lines), (Change(at + 1, old.old, old.new),))
        return must(later, with_old(rng, later, form, straight, " "))

    @case_class(f"decomposed:{form}", form=form)
    def decomposed(rng: random.Random, form: str) -> Case:
        """Letters with marks in another normal form, in the reply or in the file."""
        scene = draw_scene(rng, {"rust", "python", "go", "ruby", "javascript"}, count=1)
        old = scene.changes[0]
        lines = list(scene.lines)
        start, end = scene.language.comment
        words = f"{indent_of(lines[old.start])}{start}Größe für naïve Übergänge{end}"
        in_file, in_reply = rng.choice((("NFC", "NFD"), ("NFD", "NFC")))
        lines.insert(old.start, unicodedata.normalize(in_file, words))
        later = Scene(scene.document.with_lines(lines), (Change(old.start + 1, old.old, old.new),))
        return must(
            later, with_old(rng, later, form, lambda l: unicodedata.normalize(in_reply, l), " ")
        )

    @case_class(f"unseen-context:{form}", form=form)
    def unseen_context(rng: random.Random, form: str) -> Case:
        """Signs of no width in lines that stay."""
        scene = draw_scene(rng)
        sign = rng.choice("\u200b\u200c\u200d\u2060\ufeff")

        def strewn(line: str) -> str:
            at = len(indent_of(line)) + rng.randrange(3)
            return line[:at] + sign + line[at:] if line.strip() else line

        return must(scene, with_old(rng, scene, form, strewn, " "))

    @case_class(f"unseen-new:{form}", form=form)
    def unseen_new(rng: random.Random, form: str) -> Case:
        """Signs of no width in new code: left out, or refused."""
        scene = draw_scene(rng, kind=rng.choice(("alter", "insert", "both")))
        sign = rng.choice("\u200b\u2060\ufeff\u00ad")

        def strewn(line: str) -> str:
            at = len(indent_of(line)) + rng.randrange(3)
            return line[:at] + sign + line[at:]

        return may(scene, with_old(rng, scene, form, strewn, "+"))

    @case_class(f"direction-new:{form}", form=form)
    def direction_new(rng: random.Random, form: str) -> Case:
        """Controls of the writing direction in new lines: code that reads as other code."""
        scene = draw_scene(rng, kind=rng.choice(("alter", "insert")))
        first, last = rng.choice((("\u202e", "\u202c"), ("\u2066", "\u2069"), ("\u2067", "\u2069")))
        start, end = scene.language.comment

        def hidden(line: str) -> str:
            return f"{line} {start}{first} admin {last}{end}"

        return refuse(scene.document, with_old(rng, scene, form, hidden, "+"))

    @case_class(f"control-new:{form}", form=form)
    def control_new(rng: random.Random, form: str) -> Case:
        """Terminal controls in new lines."""
        scene = draw_scene(rng, kind=rng.choice(("alter", "insert")))
        sign = rng.choice(("\x1b[2J", "\x1b]0;x\x07", "\x08\x08", "\x00", "\x7f"))
        start, end = scene.language.comment
        return refuse(
            scene.document,
            with_old(rng, scene, form, lambda line: f"{line} {start}{sign}{end}", "+"),
        )

    @case_class(f"escaped:{form}", form=form)
    def escaped(rng: random.Random, form: str) -> Case:
        """The whole reply was escaped for HTML."""
        scene = draw_scene(rng, suits=lambda doc: "&amp;" not in doc.text(), plain=True)
        reply = with_old(rng, scene, form, lambda l: html.escape(l, quote=False), " -+")
        parts = scene_hunks(scene)
        old = [line for hunk in parts for line in hunk.old]
        changed = [html.escape(line, quote=False) != line for line in old]
        # Every hunk needs an escaped old line, since new text alone is no sign.
        each = all(
            any(html.escape(line, quote=False) != line for line in hunk.old) for hunk in parts
        )
        return must(scene, reply) if each and any(changed) else may(scene, reply)

    @case_class(f"entities-kept:{form}", form=form)
    def entities_kept(rng: random.Random, form: str) -> Case:
        """Entities in new text are code: they are written as they are."""
        scene = draw_scene(rng, {"javascript", "python", "go", "java"}, count=1, kind="insert")
        old = scene.changes[0]
        indent = indent_of(old.new[0])
        text = f'{indent}entities("&lt;b&gt; &amp;amp; &quot;")'
        text += ";" if scene.document.language in ("javascript", "java") else ""
        later = Scene(scene.document, (Change(old.start, (), (text,)),))
        return must(later, render_hunks(form, scene.document.name, scene_hunks(later)))

    @case_class(f"look-alike-deleted:{form}", form=form)
    def look_alike_deleted(rng: random.Random, form: str) -> Case:
        """A letter of another script, a full-width digit, or another case, in a line that goes."""
        scene = draw_scene(rng, count=1, kind=rng.choice(("alter", "delete")))
        kind = rng.choice(("script", "width", "case"))
        cyrillic = str.maketrans("aeopcx", "аеорсх")
        wide = {ord("0") + n: 0xFF10 + n for n in range(10)}

        def otherwise(line: str) -> str:
            if kind == "script":
                return line.translate(cyrillic)
            return line.translate(wide) if kind == "width" else line.swapcase()

        return refuse(scene.document, with_old(rng, scene, form, otherwise, "-"))


@case_class("written-out")
def written_out(rng: random.Random) -> Case:
    """Line ends written as two signs, all of it on one line."""
    scene = draw_scene(rng, count=1, kind="alter")
    hunk = scene_hunks(scene, 1)[0]
    return may(scene, block(["\\n".join(hunk.old)], ["\\n".join(hunk.new)]))


@case_class("written-out:region")
def written_out_region(rng: random.Random) -> Case:
    """The code for a range on one line: unescaped, or refused; never written so."""
    scene = draw_scene(rng, count=1, kind="alter")
    change = scene.changes[0]
    low, high = change.start - 1, change.end + 1
    new = scene.target().lines[low : high + len(change.new) - len(change.old)]
    text = "\\n".join(new)
    return may(scene, rng.choice((text, f"```\n{text}\n```\n")), lines=(low, high))


@case_class("written-out:kept")
def written_out_kept(rng: random.Random) -> Case:
    """`\\n` and `\\t` in strings are code."""
    scene = draw_scene(rng, {"javascript", "python", "go", "java", "rust"}, count=1, kind="insert")
    old = scene.changes[0]
    semicolon = ";" if scene.document.language in ("javascript", "java", "rust") else ""
    text = f'{indent_of(old.new[0])}shown("one\\n\\ttwo\\\\n"){semicolon}'
    later = Scene(scene.document, (Change(old.start, (), (text,)),))
    form = rng.choice(FORMS)
    return must(later, render_hunks(form, scene.document.name, scene_hunks(later)))


@case_class("bytes:not-utf8-reply")
def not_utf8_reply(rng: random.Random) -> Case:
    """A reply that is not text."""
    scene = draw_scene(rng)
    reply = render_hunks(rng.choice(FORMS), scene.document.name, scene_hunks(scene)).encode()
    at = rng.randrange(len(reply))
    target = scene.target().bytes()
    return about(scene.document, reply[:at] + b"\xff\xfe" + reply[at:], target, refusal=True)
