import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simgap_client.models import Warned
from simgap_workers.measuring import measure_reading
from simgap_workers.readers import InvalidTraces, ReadOptions, read
from simgap_workers.readers.pieces import pieces
from simgap_workers.shard import Shard, decode_shard, encode_shard, join_shards
from tests.workers.scoring.populations import ABSENT, traces

LINES = [
    b'{"task_id": "t_%d", "reward": 1, "model": "m", "messages": [{"role": "user", "content": "%s"}]}\n'
    % (number, b"yes please " * number)
    for number in range(12)
]


def _measured(data: bytes, size: int) -> Shard:
    options = ReadOptions(format="simgap", users_only=True)
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
    if max((len(line) for line in data.splitlines(keepends=True)), default=0) > size or b"\r" in data:
        return
    cut = list(pieces(chunks, size))
    assert b"".join(piece for _, piece in cut) == data
    assert all(len(piece) <= size for _, piece in cut)
    assert all(piece.endswith(b"\n") for _, piece in cut[:-1])
    before = b""
    for first_line, piece in cut:
        assert first_line == before.count(b"\n") + 1
        before += piece


def test_a_line_longer_than_a_piece_is_refused_by_its_number() -> None:
    with pytest.raises(InvalidTraces) as refused:
        list(pieces([b"short\n", b"x" * 50], 20))
    assert [(error.line, error.code) for error in refused.value.errors] == [(2, "line_too_long")]


def test_warnings_of_pieces_are_added_up_and_bounded() -> None:
    one = msgspec.structs.replace(traces(), warnings=[Warned("unknown_field", "model", 3)])
    joined = join_shards([one, one])
    assert joined.warnings == [Warned("unknown_field", "model", 6)]
    many = msgspec.structs.replace(traces(), warnings=[Warned("unknown_field", f"f{i}") for i in range(1000)])
    assert len(join_shards([many]).warnings) == 100
    assert join_shards([many]).warnings[-1].count == 901
