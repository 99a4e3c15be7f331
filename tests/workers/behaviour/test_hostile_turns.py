"""Turns of 1 MB that are cubic or quadratic for a backtracking engine: what they must measure, worked out by hand."""

from __future__ import annotations

import pytest

from simgap_workers.behaviour import MEASURES, measure
from simgap_workers.behaviour.blob import Blob
from simgap_workers.behaviour.markers import FLAGS, held_markers

MEGABYTE = 1_000_000


def measures(turn: str) -> dict[str, float]:
    row: list[float] = measure([[turn]])[0].tolist()
    return dict(zip(MEASURES, row, strict=True))


@pytest.mark.parametrize(
    ("piece", "words", "identifiers", "strict"),
    [
        ("_", 1, 0, 0),
        ("a_", 1, 0, 0),
        ("é", 1, 0, 0),
        ("1", 1, 1, 1),
        ("@", 1, 0, 0),
        ("<|think|>", 1, 0, 0),
        # 500,000 letters: an address takes `a@b.a`, the `b.` after it begins none, so each four letters hold one.
        ("a@b.", 1, 125_000, 125_000),
        # One word character follows the first literal at once, and rule 4 takes the run to its end.
        ("gift_card_", 1, 1, 1),
    ],
)
def test_a_megabyte_of_one_piece_counts_what_it_holds(piece: str, words: int, identifiers: int, strict: int) -> None:
    found = measures(piece * (MEGABYTE // len(piece)))
    assert found["words_per_turn"] == words
    assert found["short_turn_rate"] == 1.0
    assert found["identifier_density"] == identifiers
    assert found["strict_identifier_density"] == strict
    assert found["repetition_rate"] == 0.0


def test_76923_times_do_not_ask_me_is_no_pushback_until_again_follows() -> None:
    asked = "don't ask me " * 76_923
    found = measures(asked)
    assert found["words_per_turn"] == 230_769
    assert found["pushback_rate"] == 0.0
    assert found["repetition_rate"] == 1.0
    assert found["identifier_density"] == 0.0
    assert measures(asked + "again")["pushback_rate"] == 1.0
    assert measures(asked + "\nagain")["pushback_rate"] == 0.0
    assert measures("don't ask me again")["pushback_rate"] == 0.0
    assert measures("don't ask me  again")["pushback_rate"] == 1.0


def test_111111_times_you_said_is_no_clarification_until_a_question_mark_and_a_letter_follow() -> None:
    said = "you said " * 111_111
    assert measures(said)["clarification_rate"] == 0.0
    assert measures(said + "?")["clarification_rate"] == 0.0
    assert measures(said + "?x")["clarification_rate"] == 1.0
    assert measures(said + "." * 30 + "?x")["clarification_rate"] == 1.0
    assert measures(said + "." * 31 + "?x")["clarification_rate"] == 0.0
    assert measures(said + "\n?x")["clarification_rate"] == 0.0


def test_111111_thoughts_that_open_and_one_that_closes_leave_no_word() -> None:
    assert measures("<|think|>" * 111_111 + "<|/think|>")["words_per_turn"] == 0


def test_55555_calls_without_an_end_are_one_call_to_the_end() -> None:
    assert measures("hello there " + "<function=" * 100_000)["words_per_turn"] == 2


def test_a_set_of_markers_does_not_run_out_of_memory_on_mixed_prefixes() -> None:
    # 97 is coprime to the number of pieces: neighbours differ all the way through.
    pieces = [
        "you said ",
        "you told me ",
        "don't ask me ",
        "what's the ",
        "is it ",
        "x",
        "wait, ",
        "i ",
        "?",
        "can ",
        " ",
    ]
    mixed = "".join(pieces[number * number * 97 // 7 % len(pieces)] for number in range(200_000))
    assert len(mixed) > MEGABYTE
    turns = [mixed, mixed + " please", mixed + " ridiculous", mixed + " again"]
    held = held_markers(Blob(turns))
    row = dict(zip(FLAGS, held.tolist(), strict=True))
    assert row["politeness"] == [False, True, False, False]
    assert row["emotion"] == [False, False, True, False]
    assert row["pushback"] == [False, False, False, True]
    assert row["pivot"] == [False, False, False, False]
