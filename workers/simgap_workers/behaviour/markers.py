"""The marker lists as one RE2 set: which of them a turn holds, in one linear scan.

Source: usi.md section 2, markers.toml. The lists and their open patterns match projected text (projection.py).
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt
import re2

from simgap_workers.behaviour.blob import Blob

Flags = npt.NDArray[np.bool_]

LISTS: tuple[str, ...] = (
    "politeness",
    "emotion",
    "accusation",
    "uncertainty",
    "certainty",
    "pushback",
    "clarification",
    "info_seeking",
    "pivot",
    "identity_confusion",
)
ACKNOWLEDGEMENT = "acknowledgement"
FLAGS: tuple[str, ...] = (*LISTS, ACKNOWLEDGEMENT)

# What no phrase list can say. A word boundary follows each, so that `is there ` wants a word character next, and so
# does the question mark of `you said ... ?` (published behaviour).
_OPEN: dict[str, tuple[str, ...]] = {
    "pushback": (r"(?:don't|dont|do not) ask me [^\n]* again",),
    "clarification": (r"you (?:said|mentioned|told me|wrote|indicated) [^\n]{0,30}\?",),
    "info_seeking": (r"is (?:there|it|that) ", r"what[^\n]s the (?:status|price|cost|total|balance)"),
}

_SPACE = r"[\t-\r\x1c-\x20]"
_PHRASE_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz ',-[|]")

# A set that runs out of memory reports no match and no error. This is a limit, not what is taken.
_MEMORY_BYTES = 1 << 28


def marker_lists() -> dict[str, list[str]]:
    """The phrases of each list of markers.toml; raises ValueError where one could not be matched as it stands."""
    text = files("simgap_workers.behaviour").joinpath("markers.toml").read_text(encoding="utf-8")
    lists: dict[str, list[str]] = tomllib.loads(text)
    if set(lists) != set(FLAGS):
        raise ValueError(f"markers.toml must hold exactly the lists {', '.join(FLAGS)}")
    for name, phrases in lists.items():
        for phrase in phrases:
            if not phrase or not _PHRASE_CHARACTERS.issuperset(phrase):
                raise ValueError(f"markers.toml, {name}: {phrase!r} holds something that phrases are not made of")
    return lists


def phrase_pattern(phrase: str) -> str:
    """The pattern of a phrase: `[a|b]` is one of the alternatives (maybe an empty one), all else is literal."""
    literal, *groups = phrase.split("[")
    pattern = [re2.escape(literal)]
    for group in groups:
        alternatives, _, literal = group.partition("]")
        pattern.append("(?:" + "|".join(re2.escape(each) for each in alternatives.split("|")) + ")")
        pattern.append(re2.escape(literal))
    return "".join(pattern)


@cache
def _marker_set() -> Any:
    """One RE2 set, a pattern for each of FLAGS, in that order."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _MEMORY_BYTES
    options.never_capture = True
    markers = re2.Set.SearchSet(options)
    lists = marker_lists()
    for name in LISTS:
        alternatives = [*map(phrase_pattern, lists[name]), *_OPEN.get(name, ())]
        markers.Add(rf"\b(?:{'|'.join(alternatives)})\b")
    entries = "|".join(map(phrase_pattern, lists[ACKNOWLEDGEMENT]))
    markers.Add(rf"\A{_SPACE}*(?:{entries})(?:{_SPACE}|[!.\-,])*\z")
    markers.Compile()
    return markers


def held_markers(blob: Blob) -> Flags:
    """Which list each turn of a blob holds: shape (len(FLAGS), turns).

    The row of `acknowledgement` says whether the turn is an acknowledgement and nothing else.
    """
    # Most turns are short: the wrapper around the native set would take a third of the time, and a list kept for each
    # turn would keep the garbage collector busy.
    markers = _marker_set()
    match = getattr(markers, "_set", markers).Match
    sizes: list[int] = []
    rows: list[int] = []
    for lists in map(match, blob.projected_turns()):
        sizes.append(len(lists))
        rows += lists
    flags = np.zeros((len(FLAGS), len(sizes)), dtype=np.bool_)
    flags[np.array(rows, np.intp), np.repeat(np.arange(len(sizes)), sizes)] = True
    return flags
