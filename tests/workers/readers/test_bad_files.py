"""Files that cannot be used: each is a located, clear error, and none ends in a traceback."""

from __future__ import annotations

import json

import pytest

from simgap_workers.readers import FORMATS, InvalidTraces, recognise
from tests.workers.behaviour.backtracking import watched_patterns
from tests.workers.readers.small_files import CHAT, SMALL, complaint, document, entry, line, read_as, refused, result


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_recognised_from_its_content(name: str) -> None:
    assert recognise(SMALL[name]) == name
    assert recognise(b"\xef\xbb\xbf \n" + SMALL[name]) == name
    assert read_as(SMALL[name]).format == name


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_recognised_though_its_first_record_is_longer_than_the_head(name: str) -> None:
    long = SMALL[name].replace(b"W1234567", b"x" * 100_000)
    similar = {"openai": {"openai", "simgap"}, "tau-usi-human": {"tau-usi-human", "odyssim-eval"}}
    assert recognise(long[:65536]) in similar.get(name, {name})


def test_formats_say_whether_they_can_be_cut() -> None:
    assert [name for name, one in FORMATS.items() if one.splittable] == ["simgap", "openai"]


@pytest.mark.parametrize("data", [b"", b" \r\n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_said_to_be_empty(data: bytes) -> None:
    for name in (None, *FORMATS):
        assert refused(data, format=name) == [(1, "", "empty")]


@pytest.mark.parametrize(
    ("name", "data"), [("taubench", b"[]"), ("odyssim-eval", b"{}"), ("survey-comparable", b"{ }")]
)
def test_a_document_without_records_is_empty(name: str, data: bytes) -> None:
    assert refused(data, format=name) == [(1, "", "empty")]


@pytest.mark.parametrize(
    "data", [b"user: hi\nassistant: hello\n", b"\x1f\x8b\x08\0rest", b"{abc}", b"[{]", b"\xff\xfa"]
)
def test_what_is_not_json_is_said_to_be_not_json(data: bytes) -> None:
    assert refused(data)[0][2] == "not_json"


@pytest.mark.parametrize("data", [b'{"a": 1}', b"[1, 2]", b"[]", b"{}", b'[{"a": {"messages": []}}]', b"[[{"])
def test_an_unknown_format_lists_the_known_ones(data: bytes) -> None:
    assert refused(data) == [(1, "", "unknown_format")]
    assert all(name in complaint(data) for name in FORMATS)
    assert "--format" in complaint(data)


def test_a_format_that_does_not_exist_lists_those_that_do() -> None:
    assert refused(line(), format="json") == [(0, "", "unknown_format")]
    assert "taubench" in complaint(line(), format="json")


@pytest.mark.parametrize("option", [{"source": "robot"}, {"stop_turns": "cut"}, {"on_error": "ignore"}])
def test_an_option_that_is_none_of_the_possible_ones_is_refused(option: dict[str, str]) -> None:
    assert refused(line(), **option) == [(0, "", "bad_option")]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("other", FORMATS)
def test_a_file_of_another_format_than_named_is_located_or_read(name: str, other: str) -> None:
    try:
        errors = read_as(SMALL[other], format=name).errors
    except InvalidTraces as invalid:
        errors = invalid.errors
    assert all(error.code and error.message for error in errors)


@pytest.mark.parametrize("name", ["taubench", "odyssim-results", "odyssim-eval", "survey-comparable"])
def test_a_document_that_was_cut_off_says_so(name: str) -> None:
    cut = SMALL[name][:-20]
    assert refused(cut, format=name)[0][2] == "not_json"
    assert refused(cut, format=name)[0][0] >= cut.count(b"\n") - 8
    assert "cut off" in complaint(cut, format=name)
    assert refused(cut, format=name, on_error="skip")[0][2] == "not_json"


def test_a_line_that_was_cut_off_says_so() -> None:
    assert refused(line() + line(id="b")[:-30]) == [(2, "", "not_json")]
    assert "cut off" in complaint(line() + line(id="b")[:-30])


def test_more_text_after_the_json_is_an_error() -> None:
    assert refused(document([result(0, 0)]) + b"\n[]") == [(27, "", "not_json")]
    assert refused(line() + b'{"messages": []} {}', format="simgap") == [(2, "", "not_json")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_other_unicode_encodings_are_named_with_what_to_do(encoding: str) -> None:
    data = line().decode().encode(encoding)
    assert refused(data) == [(1, "", "not_utf8")]
    assert "iconv -f UTF-" in complaint(data)


def test_a_byte_that_is_not_utf8_is_located() -> None:
    data = line() + line(id="b", messages=[{"role": "user", "content": "caf?"}]).replace(b"?", b"\xe9")
    assert refused(data) == [(2, "", "not_utf8")]
    assert complaint(data) == (
        f"Byte {data.splitlines()[1].index(0xE9) + 1} of the record is not UTF-8. Convert the file with iconv -t UTF-8."
    )


def test_deep_nesting_is_an_error_and_no_crash() -> None:
    # Where the limit lies depends on the interpreter: Python 3.11 refuses 2,000 levels, 3.13 reads them.
    depth = 200_000
    deep = b"[" * depth + b"]" * depth
    data = b'{"id": "a", "metadata": ' + deep + b', "messages": []}'
    assert refused(data, format="simgap") == [(1, "", "too_deep")]
    keyed = b'{"a": ' + document(entry()) + b',\n "b": {"conversation": ' + deep + b"}}"
    assert refused(keyed, format="odyssim-eval")[0][1:] == ("/b", "too_deep")


def test_a_document_over_64_mib_names_the_limit() -> None:
    data = b"[" + b" " * (65 * 1024 * 1024) + b"]"
    assert refused(data, format="taubench") == [(0, "", "document_too_large")]
    assert "67108864 bytes (64 MiB)" in complaint(data, format="taubench")


def test_a_line_over_8_mib_names_the_limit_and_can_be_skipped() -> None:
    long = line(id="b", messages=[{"role": "user", "content": "x" * (8 * 1024 * 1024)}])
    assert refused(line() + long) == [(2, "", "line_too_long")]
    reading = read_as(line() + long, on_error="skip")
    assert [(out.reason, out.line) for out in reading.excluded] == [("unreadable", 2)]


def test_a_record_of_a_document_may_be_longer_than_a_line() -> None:
    long = entry(conversation=[{"role": "user", "content": "x" * (9 * 1024 * 1024)}])
    assert len(read_as(json.dumps({"a": long}).encode()).traces) == 1


def test_a_role_name_is_shown_short_and_without_control_characters() -> None:
    said = [*CHAT, {"role": "\x1b[31m" + "clerk" * 1000, "content": ""}]
    message = complaint(line(messages=said))
    assert "\x1b" not in message
    assert len(message) < 400


def test_no_error_shows_the_text_of_a_trace() -> None:
    secret = "my card is 4111"
    for said in ({"role": "user", "content": {secret: secret}}, {"role": "user", "content": [secret, 5]}, secret):
        assert secret not in complaint(line(messages=[said]))
    assert secret not in complaint(line(messages=[{"role": "user", "content": secret}])[:-9])


def test_a_file_of_nothing_but_unreadable_records_is_refused_even_with_skip() -> None:
    for name, data in (("simgap", b"1\n" * 200_000), ("taubench", b"[" + b"1," * 5_000_000 + b"1]")):
        assert refused(data, format=name, on_error="skip")[0][2] == "too_many_errors"


def test_a_key_a_hundred_thousand_times_takes_no_time_squared() -> None:
    data = b"{" + b'"a": 1,' * 100_000 + b'"a": {"conversation": [], "metadata": "' + b"x" * 8_000_000 + b'"}}'
    reading = read_as(data, format="odyssim-eval", on_error="skip")
    assert (len(reading.traces), len(reading.excluded)) == (1, 100_000)


def test_reading_calls_no_method_of_a_python_pattern() -> None:
    with watched_patterns() as called:
        for name, data in SMALL.items():
            read_as(data)
            read_as(data.replace(b"hurry", b"\\ud800"), format=name)
            with pytest.raises(InvalidTraces):
                read_as(data.replace(b"hurry", b"\\ud80"), format="simgap")
    assert called == []
