"""The columnar extraction against the plain one, on text made to be hard for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simgap_workers.behaviour import MEASURES, extraction, measure, user_turns
from simgap_workers.behaviour.blob import Blob
from simgap_workers.behaviour.identifiers import identifier_counts
from simgap_workers.trace import Message
from tests.workers import plain

PHRASES = sorted(
    {
        words
        for phrases in plain.PHRASES.values()
        for phrase in phrases
        for words in (
            phrase.replace("[", "").replace("]", "").replace("|", ""),
            "".join(part.split("|")[0] for part in phrase.replace("]", "[").split("[")),
            "".join(part.split("|")[-1] for part in phrase.replace("]", "[").split("[")),
        )
    }
)
OPEN = ["don't ask me ", "dont ask me ", " again", "you said ", "you told me ", "?", "is it ", "what's the ", "price"]
MARKUP = ["<|think|>", "<|/think|>", "<function=", "</function>", "<|tool|>", "<|/tool|>", "<", "<|"]
IDENTIFIERS = [
    "_",
    "a_",
    "_123",
    "1",
    "99999",
    "123456",
    "@",
    ".",
    "#",
    "gift_card_",
    "credit_card_",
    "paypal_",
    "a@b.c",
]
ODD = list("Σσςİıſ\u212a\u0307½²Ⅷ①٣९𝟗é漢Ⓐ\u203f\u0301\u200b\ufeff—–’'\t\n\r\0\x01\x1c\x1f\x85\xa0\u2028\u3000")
WORDS = [
    " ",
    "  ",
    "a",
    "ab",
    "yes",
    "ok",
    "Thank You",
    "STOP",
    "###STOP###",
    "abcdef",
    "one two three ",
    ", ",
    ".",
    "!",
]

pieces = st.one_of(
    st.sampled_from(PHRASES),
    st.sampled_from(PHRASES).map(str.upper),
    st.sampled_from(OPEN + MARKUP),
    st.sampled_from(IDENTIFIERS),
    st.sampled_from(ODD),
    st.sampled_from(WORDS),
    st.characters(),
)
turn = st.one_of(
    st.lists(pieces, max_size=12).map("".join),
    st.lists(st.sampled_from(PHRASES + OPEN), max_size=6).map(" ".join),
    st.builds(str.__mul__, st.lists(pieces, max_size=4).map("".join), st.integers(1, 13)),
)
conversations = st.lists(st.lists(turn, max_size=6), max_size=8)


def assert_row(row: Sequence[float], turns: Sequence[str]) -> None:
    expected = plain.metrics(turns)
    if expected is None:
        assert all(map(math.isnan, row))
        return
    assert dict(zip(MEASURES, row, strict=True)) == pytest.approx(expected, rel=1e-12, abs=0)


@settings(max_examples=400, deadline=None)
@given(conversations)
def test_columnar_measures_equal_the_plain_ones(chats: list[list[str]]) -> None:
    for row, turns in zip(measure(chats).tolist(), chats, strict=True):
        assert_row(row, turns)


@settings(max_examples=100, deadline=None)
@given(conversations, st.randoms(use_true_random=False), st.integers(1, 4), st.integers(1, 40))
def test_neither_order_nor_the_size_of_a_block_changes_a_row(
    chats: list[list[str]], random: Random, traces: int, characters: int
) -> None:
    rows = measure(chats)
    order = list(range(len(chats)))
    random.shuffle(order)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extraction, "BLOCK_TRACES", traces)
        patch.setattr(extraction, "BLOCK_CHARACTERS", characters)
        np.testing.assert_array_equal(measure([chats[place] for place in order]), rows[order])


@settings(max_examples=1500, deadline=None)
@given(
    st.one_of(
        st.text("a_1@.x#9", max_size=24),
        st.lists(st.sampled_from([*IDENTIFIERS, "x", "é", "٣", " ", "abcdefg"]), max_size=14).map("".join),
    )
)
def test_identifiers_are_those_that_a_backtracking_scan_finds(low: str) -> None:
    published, strict = identifier_counts(Blob([low]))
    assert published.sum() == len(plain.IDENTIFIER.findall(low))
    assert strict.sum() == len(plain.STRICT_IDENTIFIER.findall(low))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.one_of(
            turn,
            st.sampled_from(["\\tau x", "\\reward", "\\tau", " /stop\n", "/stop it", "<|canvas|>", "a<|highlight|>b"]),
            st.sampled_from(["<|survey|>", "<|Survey|>", "\u3000###STOP###\x1c", "bye ###STOP###", "###stop###"]),
        ),
        max_size=6,
    ),
    st.sampled_from(["human", "simulator"]),
)
def test_the_same_messages_are_meta(contents: list[str], source: str) -> None:
    roles = ["user", "user", "assistant", "user", "tool", "user"]
    messages = list(zip(roles, contents, strict=False))
    assert user_turns([Message(*message) for message in messages], source) == plain.user_turns(messages, source)
