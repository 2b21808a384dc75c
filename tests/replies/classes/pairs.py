"""Two defects at once, each of which alone is forgiven."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations

from edits import Scene, draw_scene
from expect import must
from formats import Hunk, envelope, fenced, render_hunks, scene_hunks, search_replace, udiff
from languages import indent_of
from model import Case, Change, Unsuited, case_class

Draft = tuple[Scene, list[Hunk], str]
Defect = Callable[[random.Random, Draft], Draft]
SPACED = {"rust", "python", "typescript", "javascript", "java", "ruby", "bash"}


def outdented(rng: random.Random, draft: Draft) -> Draft:
    scene, parts, form = draft
    result = []
    for hunk in parts:
        least = min(len(indent_of(line)) for _, line in hunk.rows if line.strip())
        result.append(hunk.with_rows((mark, line[least:]) for mark, line in hunk.rows))
    if result == parts:
        raise Unsuited("nothing to lose")
    return scene, result, form


def blanks_behind(rng: random.Random, draft: Draft) -> Draft:
    """The file's unchanged lines end in blanks."""
    scene, parts, form = draft
    changed = {at for c in scene.changes for at in range(c.start, c.end)}
    lines = [l if at in changed or not l else l + "  " for at, l in enumerate(scene.lines)]
    return Scene(scene.document.with_lines(lines), scene.changes), parts, form


def lines_above(rng: random.Random, draft: Draft) -> Draft:
    """Comments were put at the top of the file since."""
    scene, parts, form = draft
    start, end = scene.language.comment
    new = tuple(f"{start}new above {index}{end}" for index in range(rng.randrange(1, 9)))
    moved = tuple(Change(c.start + len(new), c.old, c.new) for c in scene.changes)
    return Scene(scene.document.with_lines((*new, *scene.lines)), moved), parts, form


def typographic(rng: random.Random, draft: Draft) -> Draft:
    scene, parts, form = draft
    curly = str.maketrans({'"': "”", "'": "’"})
    result = [
        hunk.with_rows((m, l.translate(curly) if m == " " else l) for m, l in hunk.rows)
        for hunk in parts
    ]
    return scene, result, form


def reordered(rng: random.Random, draft: Draft) -> Draft:
    scene, parts, form = draft
    if len(parts) < 2:
        raise Unsuited("one hunk")
    return scene, parts[::-1], form


def repeated(rng: random.Random, draft: Draft) -> Draft:
    scene, parts, form = draft
    return scene, [*parts, parts[0]], form


def unseen(rng: random.Random, draft: Draft) -> Draft:
    scene, parts, form = draft
    result = [
        hunk.with_rows((m, l + "\u200b" if m == " " and l else l) for m, l in hunk.rows)
        for hunk in parts
    ]
    return scene, result, form


HUNKS: dict[str, Defect] = {
    "outdented": outdented,
    "blanks": blanks_behind,
    "shifted": lines_above,
    "curly": typographic,
    "order": reordered,
    "repeated": repeated,
    "unseen": unseen,
}


def prose(rng: random.Random, text: str) -> str:
    return f"Here it is:\n\n{fenced(text, '', '~~~~')}\nThat is all.\n"


def crlf(rng: random.Random, text: str) -> str:
    return text.replace("\n", "\r\n")


def draft_first(rng: random.Random, text: str) -> str:
    return f"<think>\nFirst I look at ```x``` and <<<<<<< it.\n</think>\n\n{text}"


def marked(rng: random.Random, text: str) -> str:
    return "\ufeff" + text


def fence_open(rng: random.Random, text: str) -> str:
    if text.startswith("---"):
        raise Unsuited("a diff has no end of its own")
    return "~~~~\n" + text


TEXTS: dict[str, Callable[[random.Random, str], str]] = {
    "prose": prose,
    "crlf": crlf,
    "draft": draft_first,
    "mark": marked,
    "open": fence_open,
}


def wrong_numbers(rng: random.Random, scene: Scene, parts: list[Hunk], form: str) -> str:
    """The formats with their smaller faults."""
    if form == "blocks":
        return search_replace(parts)
    if form == "udiff":
        return udiff(
            scene.document.name, parts, [f"@@ -{rng.randrange(99)},1 +1,1 @@"] * len(parts)
        )
    if form == "json_strings":
        return render_hunks(form, scene.document.name, parts)
    rows = [f"*** Update File: ./src/../{scene.document.name}".replace("src/../", "")]
    for hunk in parts:
        rows += ["@@", *(mark + line for mark, line in hunk.rows)]
    return envelope(rows)


FORMS = ("udiff", "patch", "blocks", "json_strings")

for first, second in combinations(HUNKS, 2):

    @case_class(f"pair:{first}+{second}", names=(first, second))
    def two_of_hunks(rng: random.Random, names: tuple[str, str]) -> Case:
        draft: Draft = _scene(rng, names)
        for name in names:
            draft = HUNKS[name](rng, draft)
        return must(draft[0], wrong_numbers(rng, *draft))


for first in HUNKS:
    for second in TEXTS:

        @case_class(f"pair:{first}+{second}", inner=first, outer=second)
        def hunk_and_text(rng: random.Random, inner: str, outer: str) -> Case:
            scene, parts, form = HUNKS[inner](rng, _scene(rng, (inner,)))
            if form == "json_strings" and outer == "crlf":
                raise Unsuited("no line ends of its own")
            return must(scene, TEXTS[outer](rng, wrong_numbers(rng, scene, parts, form)))


def _scene(rng: random.Random, names: tuple[str, ...]) -> Draft:
    spaced = {"outdented", "blanks"} & set(names)
    scene = draw_scene(rng, SPACED if spaced else None, count=2)
    return scene, scene_hunks(scene, 2), rng.choice(FORMS)
