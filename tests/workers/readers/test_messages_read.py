"""Roles, contents and stop turns (formats.md, "What every reader does before a metric sees the text")."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workers.readers.small_files import (
    CHAT,
    SMALL,
    complaint,
    document,
    line,
    read_as,
    refused,
    result,
    texts,
    warned,
)


def say(*contents: Any, role: str = "user") -> list[dict[str, Any]]:
    return [{"role": role, "content": content} for content in contents]


@pytest.mark.parametrize(
    ("written", "role"),
    [
        ("user", "user"),
        ("Human", "user"),
        ("CUSTOMER", "user"),
        ("agent", "assistant"),
        ("gpt", "assistant"),
        ("SYSTEM", "system"),
        ("developer", "system"),
        ("function", "tool"),
        ("Observation", "tool"),
    ],
)
def test_a_role_in_any_case_is_one_of_four(written: str, role: str) -> None:
    assert texts(read_as(line(messages=say("hi", role=written)))) == [[(role, "hi")]]


def test_an_unknown_role_is_located_and_the_advice_names_it() -> None:
    data = line() + line(id="b", messages=[*CHAT, {"role": "clerk", "content": "hm"}])
    assert refused(data) == [(2, "/messages/3/role", "unknown_role")]
    assert complaint(data) == (
        '"clerk" is no known role (user, assistant, system, tool, or a name listed by `simgap formats`). '
        "Map it with --role clerk=assistant, or drop such messages with --role clerk=-."
    )


def test_the_callers_roles_go_first_and_a_dash_drops() -> None:
    data = line(messages=[*say("one", role="Clerk"), *say("two", role="bot"), *say("three")])
    assert texts(read_as(data, roles={"clerk": "agent", "bot": "user", "user": "-"})) == [
        [("assistant", "one"), ("user", "two")]
    ]


def test_a_role_cannot_be_mapped_to_an_unknown_one() -> None:
    assert refused(line(), roles={"clerk": "waiter"}) == [(0, "", "bad_role_map")]


def test_null_content_with_tool_calls_is_no_turn_and_without_an_empty_one() -> None:
    said = [
        {"role": "user", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "user", "content": None, "function_call": {"name": "f"}},
        {"role": "user", "content": None, "tool_calls": []},
        {"role": "user", "content": None},
    ]
    assert texts(read_as(line(messages=said))) == [[("user", ""), ("user", "")]]


def test_no_text_ever_becomes_the_word_none() -> None:
    for name, data in SMALL.items():
        read_texts = texts(read_as(data.replace(b'"I want my money back"', b"null"), format=name))
        assert "None" not in str([content for trace in read_texts for _, content in trace])


def test_text_parts_are_joined_by_a_line_feed_and_the_others_counted() -> None:
    parts = [
        {"type": "text", "text": "a"},
        {"type": "thinking", "thinking": "never scored"},
        {"type": "image_url", "image_url": {"url": "x"}},
        {"type": "image_url", "image_url": {"url": "y"}},
        {"type": "input_text", "text": "b"},
        "c",
    ]
    reading = read_as(line(messages=say(parts)))
    assert texts(reading) == [[("user", "a\nb\nc")]]
    what = "parts of messages that are not text"
    assert warned(reading, "other_part") == f'2 {what}: "image_url"; 1 {what}: "thinking"'


def test_parts_that_are_only_results_of_tools_are_no_turn_and_no_parts_an_empty_one() -> None:
    parts = [{"type": "tool_result", "content": "42"}]
    assert texts(read_as(line(messages=say(parts, [])))) == [[("user", "")]]


def test_reasoning_beside_the_content_is_not_read() -> None:
    said = [{"role": "assistant", "content": "yes", "reasoning_content": "they will not notice"}]
    assert texts(read_as(line(messages=said))) == [[("assistant", "yes")]]


@pytest.mark.parametrize(
    ("content", "pointer", "code"),
    [
        (5, "/messages/0/content", "wrong_type"),
        ({"text": "a"}, "/messages/0/content", "wrong_type"),
        ([7], "/messages/0/content/0", "bad_content"),
        ([{"type": "text", "text": None}], "/messages/0/content/0/text", "bad_content"),
        ([{"type": 1}], "/messages/0/content/0/type", "bad_content"),
    ],
)
def test_content_of_another_type_is_located(content: Any, pointer: str, code: str) -> None:
    assert refused(line(messages=say(content))) == [(1, pointer, code)]


def test_a_user_message_without_any_content_is_an_error() -> None:
    assert refused(line(messages=[{"role": "user", "text": "hi"}])) == [(1, "/messages/0", "missing_content")]


ENDED = [*say("refund me", "thanks ###STOP###"), *say("bye", role="assistant"), *say("oh, and")]


def test_taubench_drops_the_stop_turn_and_all_after_it_by_default() -> None:
    reading = read_as(document([result(3, 0, *ENDED)]))
    assert (reading.stop_turns, [t for t in texts(reading)[0] if t[0] != "system"]) == ("drop", [("user", "refund me")])
    assert warned(reading, "stop_turns").startswith("1 user messages hold a stop token (stop_turns=drop)")
    assert warned(reading, "stop_turns").endswith(
        "; 2 user messages from a stop token on, its own included, are not scored"
    )


def test_other_formats_keep_stop_turns_by_default() -> None:
    reading = read_as(line(messages=ENDED))
    assert (reading.stop_turns, texts(reading)[0][1]) == ("keep", ("user", "thanks ###STOP###"))
    assert "stop_turns=keep" in warned(reading, "stop_turns")


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("thanks ###STOP###", [("user", "thanks ")]),
        ("###TRANSFER### a ###OUT-OF-SCOPE### b", [("user", " a  b")]),
        ("#### ###STOP####", [("user", "#### #")]),
        (" ###STOP### ", []),
        ("### STOP ###", [("user", "### STOP ###")]),
        (" ", [("user", " ")]),
    ],
)
def test_trim_cuts_the_tokens_and_a_message_of_nothing_else_is_no_turn(said: str, left: list[tuple[str, str]]) -> None:
    assert texts(read_as(line(messages=say(said)), stop_turns="trim")) == [left]


def test_only_the_users_messages_end_a_conversation() -> None:
    said = [*say("say ###STOP### when done", role="system"), *say("hi")]
    assert len(texts(read_as(line(messages=said), stop_turns="drop"))[0]) == 2


def test_a_stop_token_written_with_escapes_is_one() -> None:
    data = line(messages=say("bye ###STOP###")).replace(b"###STOP", b"\\u0023\\u0023#STOP")
    assert texts(read_as(data, stop_turns="drop")) == [[]]


def test_trimming_a_megabyte_of_number_signs_changes_nothing() -> None:
    signs = "#" * 1_000_000
    assert texts(read_as(line(messages=say(signs)), stop_turns="trim")) == [[("user", signs)]]


def test_lone_surrogates_become_replacement_characters_and_are_counted() -> None:
    data = b'{"id": "t\\udc00", "messages": [{"role": "user", "content": "a\\ud800b \\ud83d\\ude00 \\udfff"}]}'
    reading = read_as(data)
    assert texts(reading) == [[("user", "a\ufffdb \U0001f600 \ufffd")]]
    assert reading.traces[0].id == "t\ufffd"
    assert warned(reading, "lone_surrogates") == "3 lone surrogates became U+FFFD"


def test_nul_is_removed_and_counted() -> None:
    data = b'{"id": "t\\u0000", "messages": [{"role": "user", "content": "a\\u0000b\\u0000 \\\\u0000"}]}'
    reading = read_as(data)
    assert (reading.traces[0].id, texts(reading)) == ("t", [[("user", "ab \\u0000")]])
    assert warned(reading, "nul_removed") == "3 NUL characters were removed"


def test_not_another_character_is_changed() -> None:
    odd = "\u200b \ufeff\u2028\r\n\t İ \x1c ﬁ e\u0301 \x7f"
    assert texts(read_as(line(messages=say(odd)))) == [[("user", odd)]]
