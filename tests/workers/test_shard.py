import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simgap_client.models import Warned
from simgap_workers.measuring import measure_reading
from simgap_workers.readers import ReadOptions, read
from simgap_workers.readers.pieces import pieces
from simgap_workers.shard import Shard, decode_shard, encode_shard, join_shards
from tests.workers.scoring.populations import ABSENT, traces

LINES = [
    b'{"task_id": "t_%d", "reward": 1, "model": "m", "messages": [{"role": "user", "content": "%s"}]}\n'
    % (number, b"yes please " * number)
    for number in range(12)
]


def _measured(data: bytes, size: int) -> Shard:
    options = ReadOptions(format="simgap", users_only=True, in_pieces=True)
    return join_shards([measure_reading(read(piece, options, line)) for line, piece in pieces([data], size)])


@pytest.mark.parametrize("shard", [traces(), traces({"task": "a", "reward": 1.0}, {"task": "b", "metrics": ABSENT})])
def test_a_shard_decodes_to_what_was_encoded_nan_rows_and_all(shard: Shard) -> None:
    data = encode_shard(shard)
    again = decode_shard(data)
    assert encode_shard(again) == data
    assert np.array_equal(again.measures, shard.measures, equal_nan=True)
    assert again.measures.shape == (len(shard), 21)


def test_what_is_no_shard_is_refused_and_not_run() -> None:
    for data in (b"", b"\x81", b'{"id": []}', encode_shard(traces({"task": "a"}))[:-3]):
        with pytest.raises(msgspec.DecodeError):
            decode_shard(data)


@given(st.integers(400, 2000))
def test_the_size_of_pieces_changes_no_byte_of_the_joined_shard(size: int) -> None:
    data = b"".join(LINES)
    assert encode_shard(_measured(data, size)) == encode_shard(_measured(data, len(data) + 1))


@given(st.lists(st.binary(max_size=30), max_size=40), st.integers(1, 40))
def test_pieces_join_to_the_stream_and_end_where_lines_end(chunks: list[bytes], size: int) -> None:
    data = b"".join(chunks)
    cut = list(pieces(chunks, size))
    assert all(len(piece.removesuffix(b"\n")) <= size + 1 for _, piece in cut)
    assert all(piece.endswith(b"\n") or len(piece) == size + 1 for _, piece in cut[:-1])
    # Of a line that is too long, the first size + 1 bytes are given; everything else is given whole, in its place.
    lines = data.split(b"\n")
    given = [(first + i, line) for first, piece in cut for i, line in enumerate(piece.split(b"\n")) if line]
    expected = [(i, line if len(line) <= size else line[: size + 1]) for i, line in enumerate(lines, 1) if line]
    assert given == expected


def test_a_line_of_exactly_the_limit_is_no_longer_than_it() -> None:
    assert list(pieces([b"12345678\n", b"1\n"], 8)) == [(1, b"12345678\n"), (2, b"1\n")]


def test_warnings_of_pieces_are_added_up_and_bounded() -> None:
    one = msgspec.structs.replace(traces(), warnings=[Warned("unknown_field", "model", 3)])
    joined = join_shards([one, one])
    assert joined.warnings == [Warned("unknown_field", "model", 6)]
    many = msgspec.structs.replace(traces(), warnings=[Warned("unknown_field", f"f{i:03}") for i in range(1000)])
    assert len(join_shards([many]).warnings) == 21
    assert join_shards([many]).warnings[-1] == Warned("unknown_field", "more of this kind", 980)


def test_many_unknown_fields_are_named_alike_however_the_file_is_cut() -> None:
    line = b'{"task_id": "t_%d", "field_%d": 1, "messages": []}\n'
    data = b"".join(line % (number, number) for number in range(60))
    whole = _measured(data, len(data))
    assert encode_shard(_measured(data, 200)) == encode_shard(whole)
    assert sum(warned.count for warned in whole.warnings) == 60


def test_what_a_left_out_trace_holds_is_warned_of_alike_however_the_file_is_cut() -> None:
    out = b'{"task_id": "a", "keep": false, "messages": [{"role": "user", "content": "###STOP###"}]}\n'
    odd = b'{"task_id": "b", "field": 1, "messages": [{"role": "user", "content": "hi"}]}\n'
    assert encode_shard(_measured(out + odd, len(out))) == encode_shard(_measured(out + odd, 1000))


def test_an_option_that_says_nothing_is_warned_of_once_however_the_file_is_cut() -> None:
    options = ReadOptions(format="simgap", users_only=True, in_pieces=True, runs_from_id=True)
    cut = [read(piece, options, line) for line, piece in pieces([b"".join(LINES)], 500)]
    assert len(cut) > 2
    assert [w.count for w in join_shards([measure_reading(one) for one in cut]).warnings if w.code == "not_used"] == [1]
