"""From messages to texts: meta messages, and mark-up that is cut out (usi.md section 1)."""

from __future__ import annotations

import pytest

from simgap_workers.behaviour import measure, user_turns
from simgap_workers.behaviour.markup import cut_markup
from simgap_workers.trace import Message


def said(*contents: str) -> list[Message]:
    return [Message("user", content) for content in contents]


def test_a_stop_alone_is_meta_for_a_simulator_and_a_stop_at_the_end_is_not() -> None:
    messages = said("###STOP###", " \n###STOP###\x1c", "Thanks! ###STOP###", "###stop###")
    assert user_turns(messages, "simulator") == ["Thanks! ###STOP###", "###stop###"]
    assert user_turns(messages, "human") == [message.content for message in messages]


def test_interface_messages_are_meta_for_people_only() -> None:
    messages = said(
        "\\tau start", "\\taut", "\\reward", "see <|canvas|>", "<|highlight|>", "<|survey|>x", " /stop ", "/stops"
    )
    assert user_turns(messages, "human") == ["\\taut", "/stops"]
    assert len(user_turns(messages, "simulator")) == 8


def test_meta_is_told_before_markup_is_cut() -> None:
    assert user_turns(said("<|think|>x<|/think|>###STOP###"), "simulator") == ["<|think|>x<|/think|>###STOP###"]


def test_only_messages_of_the_user_are_turns_and_an_empty_one_is() -> None:
    messages = [Message("system", "s"), Message("user", ""), Message("assistant", "a"), Message("tool", "t")]
    assert user_turns(messages, "simulator") == [""]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("a<|think|>b\nc<|/think|>d", "ad"),
        ("a<|think|>b", "a<|think|>b"),
        ("a<function=f>x</function>b", "ab"),
        ("a<function=f>x", "a"),
        ("a<|tool|>b<|/tool|>c<|tool|>d", "ac<|tool|>d"),
        ("<|think|><|tool|>a<|/think|>b<|/tool|>", "b<|/tool|>"),
        ("<|think|><function=a<|tool|>b<|/tool|></function>c", "<|think|>c"),
        ("<|tool|><function=a<|/tool|>b</function>", "b</function>"),
        ("<|think|>a<|think|>b<|/think|>c<|/think|>", "c<|/think|>"),
        # What is left may look like mark-up; it is not cut again.
        ("<|thi<|tool|>x<|/tool|>nk|>y<|/think|>", "<|think|>y<|/think|>"),
        ("<|THINK|>a<|/THINK|>", "<|THINK|>a<|/THINK|>"),
        ("<function=a<function=b</function>c", "c"),
        ("", ""),
    ],
)
def test_markup_is_cut_in_one_pass_from_the_left(content: str, text: str) -> None:
    assert cut_markup(content) == text


def test_no_conversations_are_no_rows_and_one_without_turns_is_a_row_of_nan() -> None:
    assert measure([]).shape == (0, 21)
    rows = measure([[], ["hello there"], []])
    assert rows.shape == (3, 21)
    assert (rows != rows).all(axis=1).tolist() == [True, False, True]
