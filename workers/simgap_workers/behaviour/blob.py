"""Many turns as one text with columns over it: where each turn, each word and each run of word characters stands.

Every turn stands between line feeds, so that nothing that is looked for reaches from one into the next. Positions are
code points, and bytes of the projection alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from simgap_workers.behaviour.projection import code_points, project

Positions = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

_SPACE, _WORD, _DIGIT, _UNPLAIN = 1, 2, 4, 8
# Line feeds that let a look at the next few characters stay inside the blob.
_PADDING = "\n" * 5
_EN_DASH, _EM_DASH = 0x2013, 0x2014


def _kind(byte: int) -> int:
    char = chr(byte)
    if char.isspace():
        return _SPACE
    if char in "0123456789":
        return _WORD | _DIGIT
    if char == "D":
        return _WORD | _DIGIT | _UNPLAIN
    if char in "_Z":
        return _WORD | _UNPLAIN
    return _WORD if "a" <= char <= "z" else 0


_KINDS = bytes(_kind(byte) if byte < 0x80 else 0 for byte in range(0x100))


class Blob:
    """The lower-cased turns of a block.

    text: the turns between line feeds. starts, ends: where each turn stands in it, shape (turns,).
    points: the characters as numbers (code points, or ASCII bytes where the text has no others).
    projected, characters: the text as ASCII bytes (projection.py), as bytes and as an array.
    """

    def __init__(self, turns: Sequence[str]) -> None:
        """Join and lower-case the turns, mark-up already cut."""
        # Each turn by itself: a final sigma depends on what stands around it.
        lows = list(map(str.lower, turns))
        self.text = "\n" + "\n".join(lows) + _PADDING
        lengths = np.fromiter(map(len, lows), np.int64, len(lows))
        self.ends = np.cumsum(lengths + 1)
        self.starts = self.ends - lengths
        self.points: npt.NDArray[np.uint32] | Bytes
        if self.text.isascii():
            self.projected = self.text.encode("ascii")
            self.points = np.frombuffer(self.projected, np.uint8)
        else:
            self.points = code_points(self.text)
            self.projected = project(self.points)
        self.characters: Bytes = np.frombuffer(self.projected, np.uint8)
        self._kinds: Bytes = np.frombuffer(self.projected.translate(_KINDS), np.uint8)

    def lowered_turns(self, first: int, last: int) -> list[str]:
        """The lower-cased texts of turns first to last, the last not among them."""
        spans = zip(self.starts[first:last].tolist(), self.ends[first:last].tolist(), strict=True)
        return [self.text[start:end] for start, end in spans]

    def projected_turns(self) -> list[bytes]:
        """The projection of each turn in order."""
        pieces = self.projected[1 : -len(_PADDING)].split(b"\n")
        if len(pieces) == len(self.starts):
            return pieces
        spans = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        return [self.projected[start:end] for start, end in spans]

    @cached_property
    def dashed(self) -> npt.NDArray[np.bool_]:
        """Which turns have an em dash or an en dash, shape (turns,)."""
        flags = np.zeros(len(self.starts), dtype=np.bool_)
        if self.points.dtype != np.uint8:
            dashes = np.flatnonzero((self.points == _EN_DASH) | (self.points == _EM_DASH))
            flags[np.searchsorted(self.ends, dashes)] = True
        return flags

    @cached_property
    def words(self) -> tuple[Positions, Positions]:
        """Starts and ends of the words (what white space splits)."""
        return self._stretches(_SPACE)

    @cached_property
    def runs(self) -> tuple[Positions, Positions]:
        """Starts and ends of the longest runs of word characters."""
        return self._stretches(_WORD)

    @cached_property
    def is_digit(self) -> npt.NDArray[np.bool_]:
        """Which characters are decimal digits, of any script."""
        return (self._kinds & _DIGIT).astype(np.bool_)

    @cached_property
    def is_word(self) -> npt.NDArray[np.bool_]:
        """Which characters are word characters."""
        return (self._kinds & _WORD).astype(np.bool_)

    @cached_property
    def unplain(self) -> Positions:
        """Positions of the word characters other than a-z and 0-9."""
        return np.flatnonzero((self._kinds & _UNPLAIN) != 0)

    def _stretches(self, kind: int) -> tuple[Positions, Positions]:
        """Starts and ends of what lies between two changes of a kind; the blob begins and ends outside of it."""
        kinds = self._kinds & kind
        edges = np.flatnonzero(kinds[1:] != kinds[:-1]) + 1
        return edges[::2], edges[1::2]
