#!/usr/bin/env python3
"""Generates replies with known defects, and counts what `tandem apply` makes of them.

Each class has a defect that models' replies have, or something that looks like one. A case is a
file (or a folder), a reply, and what may come of it: one text, a refusal, or either. A case is
`right`, `missed` (refused though it has to be applied) or `wrong` (any other text, a crash, or a
hang). Wrong cases fail; missed ones do when they exceed 0.2 % of those that must be applied.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import classes
from model import REGISTER, Case, CaseClass, Unsuited
from runner import Outcome, run

ROOT = Path(__file__).resolve().parents[2]
TRIES = 400
MISSED_SHARE = 0.002


@dataclass(frozen=True)
class Numbered:
    """A case with the name under which it can be made again."""

    group: str
    number: int
    case: Case


def make(group: CaseClass, seed: int, number: int) -> Case:
    """The case of a class, seed and number; always the same one."""
    for attempt in range(TRIES):
        rng = random.Random(f"{seed}/{group.name}/{number}/{attempt}")
        try:
            return group.build(rng)
        except Unsuited:
            continue
    raise RuntimeError(f"{group.name}: no scene suits it")


def cases(groups: list[CaseClass], total: int, seed: int) -> Iterator[Numbered]:
    """So many cases, spread evenly over the classes."""
    for index in range(total):
        group = groups[index % len(groups)]
        number = index // len(groups)
        yield Numbered(group.name, number, make(group, seed, number))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--cases", type=int, metavar="N", help="how many in all (default 8000)")
    parser.add_argument("--short", action="store_true", help="1200 cases")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--class", dest="group", metavar="NAME", help="only this class, or NAME*")
    parser.add_argument("--number", type=int, metavar="N", help="only this case of the class")
    parser.add_argument("--binary", type=Path, metavar="PATH")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, metavar="N")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where failing cases are written")
    parser.add_argument("--list", action="store_true", help="name the classes")
    parser.add_argument("--table", action="store_true", help="count each class, not only failures")
    return parser.parse_args()


def chosen(pattern: str | None) -> list[CaseClass]:
    groups = [REGISTER.classes[name] for name in sorted(REGISTER.classes)]
    if pattern and pattern.endswith("*"):
        groups = [group for group in groups if group.name.startswith(pattern[:-1])]
    elif pattern:
        groups = [group for group in groups if group.name == pattern]
    return groups


def default_binary() -> Path:
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = [target / profile / "tandem" for profile in ("debug", "release")]
    there = [path for path in built if path.exists()]
    return max(there, key=lambda path: path.stat().st_mtime, default=built[0])


def keep(folder: Path, numbered: Numbered, outcome: Outcome) -> None:
    """Writes a case, so that it can be looked at."""
    place = folder / numbered.group.replace("/", "_").replace(":", "_") / str(numbered.number)
    place.mkdir(parents=True, exist_ok=True)
    case = numbered.case
    (place / "reply").write_bytes(case.reply)
    (place / "came").write_bytes(outcome.text)
    about = f"{outcome.kind}: {outcome.reason}\ntandem apply {' '.join(case.arguments)}\n"
    (place / "about").write_text(f"{about}{case.note}\n{outcome.message}", encoding="utf-8")
    for index, text in enumerate(case.texts):
        (place / f"wanted{index}").write_bytes(text)
    for index, tree in enumerate([case.tree, *case.trees]):
        for name, entry in tree.items():
            path = place / ("before" if index == 0 else f"after{index - 1}") / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(entry if isinstance(entry, bytes) else str(entry).encode())


def main() -> int:
    options = arguments()
    groups = chosen(options.group)
    if options.list or not groups:
        print("\n".join(sorted(REGISTER.classes)))
        return 0 if groups else 2
    binary = (options.binary or default_binary()).resolve()
    if not binary.exists():
        print(f"{binary} is not there; build it first (cargo build)", file=sys.stderr)
        print("0 passed, 1 failed")
        return 1
    total = options.cases or (1200 if options.short else 8000)
    if options.number is not None:
        case = make(groups[0], options.seed, options.number)
        work = [Numbered(groups[0].name, options.number, case)]
    else:
        work = list(cases(groups, max(total, len(groups)), options.seed))

    counts: dict[str, Counter[str]] = {group.name: Counter() for group in groups}
    failures: list[str] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for numbered, outcome in zip(work, pool.map(lambda one: run(binary, one.case), work)):
            counts[numbered.group][outcome.kind] += 1
            if outcome.kind != "right":
                why = outcome.reason or outcome.message.strip().split("\n")[0]
                failures.append(f"{outcome.kind:6} {numbered.group} {numbered.number}: {why}")
                if options.keep:
                    keep(options.keep, numbered, outcome)
    return report(counts, failures, sum(one.case.must_apply for one in work), options.table)


def report(
    counts: dict[str, Counter[str]], failures: list[str], must_apply: int, table: bool
) -> int:
    print("\n".join(failures))
    print(f"{'class':40} right missed wrong")
    for name, count in counts.items():
        if table or count["missed"] or count["wrong"]:
            print(f"{name:40} {count['right']:5} {count['missed']:6} {count['wrong']:5}")
    total = sum(counts.values(), Counter[str]())
    too_many = total["missed"] > MISSED_SHARE * must_apply
    print(f"{len(counts)} classes, {must_apply} cases that must be applied")
    print(f"missed: {total['missed']}{' (too many)' if too_many else ''}")
    failed = total["wrong"] + (total["missed"] if too_many else 0)
    print(f"{total['right'] + total['missed'] + total['wrong'] - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    assert classes.LOADED
    sys.exit(main())
