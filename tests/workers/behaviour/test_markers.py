"""The marker lists are the data that they should be, and match as usi.md section 2 says."""

from __future__ import annotations

import pytest

from simgap_workers.behaviour.blob import Blob
from simgap_workers.behaviour.markers import FLAGS, held_markers, marker_lists, phrase_pattern


def held(turn: str) -> set[str]:
    flags = held_markers(Blob([turn]))
    return {name for name, flag in zip(FLAGS, flags[:, 0].tolist(), strict=True) if flag}


def test_the_eleven_lists_hold_as_many_phrases_as_published() -> None:
    # Counted in the specification's markers.toml.
    assert {name: len(phrases) for name, phrases in marker_lists().items()} == COUNTS


def test_an_acknowledgement_never_ends_in_what_may_follow_it() -> None:
    assert [entry for entry in marker_lists()["acknowledgement"] if entry != entry.strip(" !.-,")] == []


def test_phrases_are_lower_case_with_straight_apostrophes() -> None:
    phrases = [phrase for phrases in marker_lists().values() for phrase in phrases]
    assert all(
        phrase == phrase.lower() and phrase.isascii() and len(phrase) == len(phrase.strip()) for phrase in phrases
    )
    assert all(phrase.count("[") == phrase.count("]") for phrase in phrases)


@pytest.mark.parametrize(
    ("phrase", "pattern"),
    [
        ("can['|]t [recall|find]", r"can(?:'|)t (?:recall|find)"),
        ("i['d|d| would] [like|prefer]", "i(?:'d|d| would) (?:like|prefer)"),
        ("is there [a |any |]way to", "is there (?:a |any |)way to"),
        ("[sorry|wait][,|] [what|how]", "(?:sorry|wait)(?:,|) (?:what|how)"),
        ("uh-huh", r"uh\-huh"),
    ],
)
def test_alternatives_become_groups_an_empty_one_included(phrase: str, pattern: str) -> None:
    assert phrase_pattern(phrase).replace(r"\ ", " ").replace(r"\'", "'").replace(r"\,", ",") == pattern


@pytest.mark.parametrize(
    ("turn", "lists"),
    [
        ("please", {"politeness", "acknowledgement"}),
        ("pleased", set()),
        ("éplease", set()),
        ("½please", set()),
        ("\u0301please!", {"politeness"}),
        ("excuse  me", set()),
        ("excuse\u00a0me", set()),
        ("don't know", {"uncertainty"}),
        ("dont know", {"uncertainty"}),
        ("don’t know", set()),
        ("what's the price", {"info_seeking"}),
        ("what’s the price", {"info_seeking"}),
        ("what\ns the price", set()),
        ("what\rs the price", {"info_seeking"}),
        ("is it ok", {"info_seeking"}),
        ("is it (ok)", set()),
        ("is it ", set()),
        ("is there a way to pay", {"info_seeking", "pivot"}),
        ("you said 30?", set()),
        ("you said 30?x", {"clarification"}),
        ("you told me " + "é" * 30 + "?x", {"clarification"}),
        ("you told me " + "é" * 31 + "?x", set()),
        ("do not ask me \u2028 again", {"pushback"}),
        ("do not ask me \n again", set()),
        ("", set()),
    ],
)
def test_a_turn_holds_these_lists(turn: str, lists: set[str]) -> None:
    assert held(turn) == lists


@pytest.mark.parametrize(
    ("turn", "acknowledged"),
    [
        ("Yes", True),
        (" \u3000ok!.. - ,\u2028", True),
        ("got it", True),
        ("got  it", False),
        ("yes yes", False),
        ("yes\u200b", False),
        ("!yes", False),
        ("uh-huh.", True),
        ("o\u212a", True),
        ("", False),
    ],
)
def test_an_acknowledgement_is_one_entry_and_a_tail(turn: str, acknowledged: bool) -> None:
    assert ("acknowledgement" in held(turn)) is acknowledged


COUNTS = {
    "politeness": 15,
    "emotion": 28,
    "accusation": 18,
    "uncertainty": 28,
    "certainty": 19,
    "pushback": 13,
    "clarification": 24,
    "info_seeking": 10,
    "pivot": 13,
    "identity_confusion": 19,
    "acknowledgement": 35,
}
