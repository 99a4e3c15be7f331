"""Each code point keeps its kind when it becomes one ASCII byte."""

from __future__ import annotations

import re
import sys

import numpy as np

from simgap_workers.behaviour.blob import Blob
from simgap_workers.behaviour.projection import code_points, project

EVERY = "".join(map(chr, range(sys.maxunicode + 1)))


def places(pattern: str, text: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([match.start() for match in re.finditer(pattern, text)])


def test_ascii_is_projected_to_itself() -> None:
    assert project(code_points(EVERY[:0x80])) == EVERY[:0x80].encode()


def test_all_1114112_code_points_keep_their_kind() -> None:
    # Python's own classes: \w is L*, N* and the underscore; \d is Nd; \s is White_Space and U+001C-U+001F.
    projected = project(code_points(EVERY)).decode("ascii")
    assert len(projected) == 1_114_112
    for unicode_class, ascii_class in ((r"\w", r"[0-9A-Za-z_]"), (r"\d", r"[0-9D]"), (r"\s", r"[\t-\r\x1c-\x20]")):
        given, kept = places(unicode_class, EVERY), places(ascii_class, projected)
        # The capital D of the alphabet itself is the one that lower-cased text never holds.
        np.testing.assert_array_equal(given, kept[kept != ord("D")] if unicode_class == r"\d" else kept)


def test_what_splits_a_text_is_what_counts_as_white_space() -> None:
    spaces = [char for char in EVERY if f"a{char}b".split() != [f"a{char}b"]]
    assert len(spaces) == 29
    assert all(len(Blob([f"a{char}b"]).words[0]) == 2 for char in spaces)
    assert len(Blob(["a\u200bb\ufeffc\u180ed"]).words[0]) == 1


def test_no_lower_cased_text_holds_a_capital_of_the_projection() -> None:
    lowered = "".join(char.lower() for char in EVERY)
    assert not set(lowered) & set("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def test_turns_keep_their_places_where_lower_case_changes_lengths() -> None:
    blob = Blob(["İİ a", "ΑΣ", "Σ", "", "x\ny", "\ud800"])
    assert blob.lowered_turns(0, 6) == ["i̇i̇ a", "ας", "σ", "", "x\ny", "\ud800"]
    assert blob.projected_turns() == [b"i\x01i\x01 a", b"ZZ", b"Z", b"", b"x\ny", b"\x01"]
