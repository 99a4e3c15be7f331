"""From the user turns of traces to their measures, in columns: all turns of a block are one text (blob.py).

Source: arXiv:2603.11245, Table 6; usi.md sections 1-3. Time is linear in the text, and no pattern of Python's `re` ever
sees it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from simgap_workers.behaviour.blob import Blob, Positions
from simgap_workers.behaviour.identifiers import identifier_counts
from simgap_workers.behaviour.markers import FLAGS, held_markers
from simgap_workers.behaviour.markup import cut_markup, has_markup
from simgap_workers.behaviour.metrics import MEASURES, REPETITION_PAPER, STRICT_IDENTIFIERS
from simgap_workers.behaviour.repetition import PAPER, PUBLISHED, repeated_sequences

Column = npt.NDArray[np.float64]

# A block costs about half a millisecond whatever it holds, and some 50 bytes a character.
BLOCK_TRACES = 1000
BLOCK_CHARACTERS = 1 << 20

_SHORT_WORDS = 3


def measure(conversations: Sequence[Sequence[str]]) -> npt.NDArray[np.float64]:
    """The measures of each conversation, from the raw contents of its user turns (`user_turns`).

    Returns shape (conversations, len(MEASURES)); a row of NaN for a conversation without turns. Rates are fractions.
    """
    rows = np.full((len(conversations), len(MEASURES)), np.nan)
    turns = np.fromiter(map(len, conversations), np.int64, len(conversations))
    contents = list(chain.from_iterable(conversations))
    measured = np.flatnonzero(turns)
    turns = turns[measured]
    last_turns = np.cumsum(turns)
    first = 0
    for last in _block_ends(contents, last_turns):
        start = last_turns[first] - turns[first]
        rows[measured[first:last]] = _measure_block(contents[start : last_turns[last - 1]], turns[first:last])
        first = last
    return rows


def _block_ends(contents: Sequence[str], last_turns: Positions) -> Iterator[int]:
    """Where to cut traces into blocks of bounded count and, save for one trace alone, bounded length."""
    if not contents:
        return
    lengths = np.cumsum(np.fromiter(map(len, contents), np.int64, len(contents)))[last_turns - 1]
    first, before = 0, 0
    while first < len(lengths):
        fitting = int(np.searchsorted(lengths, before + BLOCK_CHARACTERS, side="right"))
        first = min(max(fitting, first + 1), first + BLOCK_TRACES, len(lengths))
        before = int(lengths[first - 1])
        yield first


def _measure_block(contents: list[str], turns: Positions) -> npt.NDArray[np.float64]:
    """The measures of traces of so many turns each, none without; shape (traces, len(MEASURES))."""
    if has_markup("\n".join(contents)):
        contents = [cut_markup(content) if "<" in content else content for content in contents]
    blob = Blob(contents)
    first_turns = np.cumsum(turns) - turns
    columns = {
        **_word_columns(blob, turns, first_turns),
        **_marker_columns(blob, turns, first_turns),
        **_identifier_columns(blob, turns, first_turns),
    }
    return np.stack([columns[name] for name in MEASURES], axis=1)


def _word_columns(blob: Blob, turns: Positions, first_turns: Positions) -> dict[str, Column]:
    """What is counted in words (split at white space)."""
    word_starts, _ = blob.words
    words = np.diff(np.searchsorted(word_starts, blob.starts), append=len(word_starts))
    total = np.add.reduceat(words, first_turns)
    mean = total / turns
    trace_of_turn = np.repeat(np.arange(len(turns)), turns)
    # bincount adds from left to right; numpy's own sums are pairwise.
    squares = np.bincount(trace_of_turn, weights=np.square(words - mean[trace_of_turn]), minlength=len(turns))
    opening = words[first_turns]
    second = np.where(turns > 1, np.append(words, 0)[first_turns + 1], 0)
    repeated = repeated_sequences(blob, words, first_turns)
    return {
        "short_turn_rate": np.add.reduceat(words <= _SHORT_WORDS, first_turns, dtype=np.int64) / turns,
        "verbosity_cv": np.sqrt(squares / turns) / np.where(mean > 0, mean, 1),
        "repetition_rate": (repeated > PUBLISHED).astype(np.float64),
        REPETITION_PAPER: (repeated > PAPER).astype(np.float64),
        "front_loading_rate": (opening + second) / np.maximum(total, 1),
        "words_per_turn": mean,
        "opening_words": opening.astype(np.float64),
    }


def _marker_columns(blob: Blob, turns: Positions, first_turns: Positions) -> dict[str, Column]:
    """What a turn holds or does not hold: shares of turns."""
    held = dict(zip(FLAGS, held_markers(blob), strict=True))
    held["formality"] = blob.dashed
    held["info_seeking"] &= ~(held["pushback"] | held["clarification"])
    held["clarification"] &= ~held["pushback"]
    counts = np.add.reduceat(np.stack(list(held.values())), first_turns, axis=1, dtype=np.int64)
    rates = dict(zip((f"{name}_rate" for name in held), counts / turns, strict=True))
    rates["identity_confusion_rate"] = np.ceil(rates["identity_confusion_rate"])
    return rates


def _identifier_columns(blob: Blob, turns: Positions, first_turns: Positions) -> dict[str, Column]:
    """Identifiers per turn, as published and strictly."""
    run_starts, _ = blob.runs
    first_runs = np.searchsorted(run_starts, blob.starts[first_turns])
    bounds = np.append(first_runs, len(run_starts))
    densities = []
    for counts in identifier_counts(blob):
        before = np.append(0, np.cumsum(counts))[bounds]
        densities.append(np.diff(before) / turns)
    published, strict = densities
    return {"identifier_density": published, STRICT_IDENTIFIERS: strict}
