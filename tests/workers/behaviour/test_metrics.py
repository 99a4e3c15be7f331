"""The names and the profiles, and single values that say what a metric means."""

from __future__ import annotations

import pytest

from simgap_workers.behaviour import DIMENSIONS, MEASURES, METRICS, measure, profile_columns


def measures(*turns: str) -> dict[str, float]:
    row: list[float] = measure([turns])[0].tolist()
    return dict(zip(MEASURES, row, strict=True))


def test_d1_has_seven_metrics_d2_four_d3_five_d4_three() -> None:
    counts = {dimension: list(DIMENSIONS.values()).count(dimension) for dimension in ("d1", "d2", "d3", "d4")}
    assert counts == {"d1": 7, "d2": 4, "d3": 5, "d4": 3}
    assert len(METRICS) == 19
    assert len(MEASURES) == 21


def test_the_paper_profile_differs_in_repetition_only() -> None:
    published, paper = profile_columns("tau-usi-1"), profile_columns("paper-1")
    assert published == list(range(19))
    assert [MEASURES[b] for a, b in zip(published, paper, strict=True) if a != b] == ["repetition_rate_paper"]


def test_an_unknown_profile_is_named_with_those_that_are_known() -> None:
    with pytest.raises(ValueError, match="'usi' is no metric profile; known are tau-usi-1, paper-1"):
        profile_columns("usi")


def test_a_question_already_answered_is_pushback_not_clarification() -> None:
    found = measures("you already asked me that, what do you mean?")
    assert found["pushback_rate"] == 1.0
    assert found["clarification_rate"] == 0.0


@pytest.mark.parametrize(("positions", "published", "paper"), [(5, 0, 0), (6, 0, 1), (10, 0, 1), (11, 1, 1)])
def test_a_sequence_is_repeated_at_more_than_ten_positions_or_five(positions: int, published: int, paper: int) -> None:
    one_turn = measures("one two three. " * 20, *["I want it"] * positions)
    assert one_turn["repetition_rate"] == 1.0
    found = measures(*[f"I WANT it {'x' * turn}" for turn in range(positions)])
    assert (found["repetition_rate"], found["repetition_rate_paper"]) == (published, paper)
    # Overlapping positions count; so do those in one turn.
    found = measures(" ".join(["no"] * (positions + 2)))
    assert (found["repetition_rate"], found["repetition_rate_paper"]) == (published, paper)


def test_sequences_do_not_reach_from_turn_to_turn_or_from_trace_to_trace() -> None:
    assert measures(*["a b"] * 50)["repetition_rate_paper"] == 0.0
    assert measure([["a b c"] * 5] * 7)[:, MEASURES.index("repetition_rate_paper")].tolist() == [0.0] * 7


def test_words_that_share_a_number_are_counted_again_by_name() -> None:
    # First, middle and last letter and the length are equal; the words are not.
    turns = [f"a{letter}bcd e{letter}fgh i{letter}jkl" for letter in "mnopqrstuvwx"]
    assert measures(*turns)["repetition_rate_paper"] == 0.0


def test_the_deviation_of_2_and_4_words_over_their_mean_is_a_third() -> None:
    found = measures("a b", "a b c d")
    assert found["verbosity_cv"] == pytest.approx(1 / 3, rel=1e-12)
    assert found["words_per_turn"] == 3.0
    assert found["opening_words"] == 2.0
    assert found["front_loading_rate"] == 1.0
    assert found["short_turn_rate"] == 0.5


def test_an_empty_turn_is_short_and_nothing_else() -> None:
    assert {metric for metric, value in measures("").items() if value} == {"short_turn_rate"}


@pytest.mark.parametrize(
    ("turn", "published", "strict"),
    [
        # usi.md section 3, "Examples".
        ("a_b_123cd@x.y", 2, 2),
        ("a_b_123abcdef", 1, 1),
        ("_123_x", 0, 0),
        ("sofia_rossi_8784", 1, 1),
        ("mygift_card_x", 1, 1),
        # An ordinary word of six letters, and of five.
        ("change", 1, 0),
        ("order", 0, 0),
        ("abcdef@x.y", 1, 1),
        ("#W2378156", 1, 1),
        ("x٣٣٣٣٣", 1, 1),
    ],
)
def test_identifiers_of_a_turn(turn: str, published: int, strict: int) -> None:
    found = measures(turn)
    assert found["identifier_density"] == published
    assert found["strict_identifier_density"] == strict


def test_one_confused_turn_makes_the_trace_confused_and_dashes_make_a_turn_formal() -> None:
    found = measures("how may I help", "hi", "a – b", "c — d", "e - f")
    assert found["identity_confusion_rate"] == 1.0
    assert found["formality_rate"] == 0.4
