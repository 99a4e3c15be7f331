"""Repetition: does a trace's user say the same three words over and over?

Source: usi.md section 2, `repetition_rate` (more than 10 positions; arXiv:2603.11245 says more than 5). Most traces do
not, and numbers in place of words show it: words that are equal have equal numbers, so no repetition is missed; words
that differ may share one, so what looks repeated is counted again, word by word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain, islice

import numpy as np
import numpy.typing as npt

from simgap_workers.behaviour.blob import Blob, Positions

PUBLISHED, PAPER = 10, 5
"""A sequence is repeated where it stands at more positions than this."""

# Odd multipliers with well-mixed bits (xxHash's primes); all sums are modulo 2**64.
_FIRST, _SECOND, _THIRD = (np.uint64(p) for p in (11400714785074694791, 14029467366897019727, 1609587929392839161))
# The upper bits of a sequence's number are its trace: more than a block holds.
_TRACE_BITS = np.uint64(20)


def repeated_sequences(blob: Blob, words: Positions, first_turns: Positions) -> npt.NDArray[np.int64]:
    """At how many positions the most repeated 3-word sequence of each trace stands: exact from 6 to 10.

    Fewer than 6 may be 0, more than 10 may be any number above 10.
    words: of each turn. first_turns: the first turn of each trace, ascending from 0.
    """
    most = np.zeros(len(first_turns), dtype=np.int64)
    bounds = np.append(first_turns, len(words)).tolist()
    for trace in _suspects(blob, words, first_turns).tolist():
        most[trace] = _most_repeated(blob.lowered_turns(bounds[trace], bounds[trace + 1]))
    return most


def _suspects(blob: Blob, words: Positions, first_turns: Positions) -> Positions:
    """The traces in which some sequence may stand at more than PAPER positions."""
    sequences = np.maximum(words - 2, 0)
    enough = np.add.reduceat(sequences, first_turns) > PAPER
    if not enough.any():
        return np.flatnonzero(enough)
    trace_of_turn = np.repeat(np.arange(len(first_turns)), np.diff(first_turns, append=len(words)))
    sequences[~enough[trace_of_turn]] = 0
    # A turn's sequences begin at its first words: all but the last two.
    first_word = np.cumsum(words) - words
    before = np.cumsum(sequences) - sequences
    turn = np.repeat(np.arange(len(words)), sequences)
    begin = np.arange(len(turn)) + (first_word - before)[turn]
    trace = trace_of_turn[turn]
    numbers = _word_numbers(blob)
    keys = numbers[begin] * _FIRST + numbers[begin + 1] * _SECOND + numbers[begin + 2] * _THIRD
    keys >>= _TRACE_BITS
    keys |= trace.astype(np.uint64) << (np.uint64(64) - _TRACE_BITS)
    keys.sort()
    repeated = keys[PAPER:][keys[PAPER:] == keys[:-PAPER]]
    return np.unique(repeated >> (np.uint64(64) - _TRACE_BITS)).astype(np.int64)


def _word_numbers(blob: Blob) -> npt.NDArray[np.uint64]:
    """A number for each word of the blob, from its first, middle and last character and its length."""
    starts, ends = blob.words
    points = blob.points
    first, middle, last = points[starts], points[(starts + ends) >> 1], points[ends - 1]
    numbers = (ends - starts).astype(np.uint64) * _FIRST
    for characters in (first, middle, last):
        numbers = (numbers + characters) * _SECOND
    return numbers ^ (numbers >> np.uint64(29))


def _most_repeated(lows: Iterable[str]) -> int:
    """At how many positions the most repeated sequence stands; some number above PUBLISHED where that is more."""
    sequences = chain.from_iterable(zip(words, words[1:], words[2:], strict=False) for words in map(str.split, lows))
    counts: Counter[tuple[str, str, str]] = Counter()
    most, stretch = 0, 1024
    while most <= PUBLISHED and (some := list(islice(sequences, stretch))):
        counts.update(some)
        most = max(counts.values())
        stretch *= 2
    return most
