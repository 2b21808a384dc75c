"""All classes; a module registers its own when it is loaded."""

from classes import (
    blanks,
    cutting,
    elision,
    folder,
    guards,
    jsons,
    letters,
    marks,
    pairs,
    paths,
    placing,
    region,
    stale,
    whole,
    wrapping,
)

LOADED = (
    blanks,
    cutting,
    elision,
    folder,
    guards,
    jsons,
    letters,
    marks,
    pairs,
    paths,
    placing,
    region,
    stale,
    whole,
    wrapping,
)
