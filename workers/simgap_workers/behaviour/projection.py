"""Lower-cased text as ASCII bytes: each code point outside ASCII becomes one byte of the same kind.

A decimal digit becomes `D`, another word character `Z`, white space U+001C, anything else U+0001. Lower-cased text
holds no capital of its own, so nothing is confused; markers and identifiers are made of ASCII, so nothing that they
need is lost; and RE2, whose word characters and boundaries are ASCII only, sees them where usi.md section 2 puts them.
"""

from __future__ import annotations

import unicodedata

import numpy as np
import numpy.typing as npt

CodePoints = npt.NDArray[np.uint32]

_UNSEEN = 0xFF
# Filled as code points are met: one byte for each of them all costs 1 MB once, asking unicodedata for all a second.
_PROJECTED = np.full(0x110000, _UNSEEN, dtype=np.uint8)


def _byte_of(char: str) -> int:
    category = unicodedata.category(char)
    if category == "Nd":
        return ord("D")
    if category[0] in "LN":
        return ord("Z")
    # White_Space and U+001C-U+001F are what `str.isspace` says.
    return 0x1C if char.isspace() else 0x01


def code_points(text: str) -> CodePoints:
    """The code points of a text, lone surrogates included; shape (len(text),)."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def project(points: CodePoints) -> bytes:
    """One ASCII byte for each code point of a lower-cased text."""
    projected = points.astype(np.uint8)
    outside = np.flatnonzero(points >= 0x80)
    found = _PROJECTED[points[outside]]
    if (found == _UNSEEN).any():
        new = np.unique(points[outside][found == _UNSEEN])
        _PROJECTED[new] = [_byte_of(chr(point)) for point in new.tolist()]
        found = _PROJECTED[points[outside]]
    projected[outside] = found
    return projected.tobytes()
