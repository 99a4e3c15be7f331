"""A shard: the measures of many traces as columns, which is all that scoring ever sees of them.

Text ends here. A shard is stored as MessagePack: plain lists, and the measures as little-endian float64.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from simgap_client.models import Warned
from simgap_workers.trace import Excluded

Matrix = npt.NDArray[np.float64]


class Shard(Struct):
    """Columns of equal length, one place a trace, in the order of the file.

    measures: (traces, len(behaviour.MEASURES)); a row of NaN is a trace without a user turn.
    turns: user turns that were measured. batch: 0 where none is named.
    """

    id: list[str] = field(default_factory=list)
    task_id: list[str] = field(default_factory=list)
    run: list[int] = field(default_factory=list)
    batch: list[int] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    reward: list[float | None] = field(default_factory=list)
    survey: list[dict[str, str] | None] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    measures: Matrix = field(default_factory=lambda: np.empty((0, 0)))
    excluded: list[Excluded] = field(default_factory=list)
    warnings: list[Warned] = field(default_factory=list)
    expected: int | None = None
    format: str = ""
    source: str = "simulator"
    stop_turns: str = "keep"

    def __len__(self) -> int:
        """Traces in the shard; excluded records are not among them."""
        return len(self.id)

    def outcomes(self) -> dict[str, list[bool]]:
        """Per task, whether the agent succeeded, over all traces that have a reward."""
        results: dict[str, list[bool]] = {}
        for task, reward in zip(self.task_id, self.reward, strict=True):
            if reward is not None:
                results.setdefault(task, []).append(reward > 0)
        return results

    def take(self, order: Sequence[int]) -> Shard:
        """The traces at these places, in this order, with everything that is said of the whole set."""
        taken = msgspec.structs.replace(self, measures=self.measures[list(order)])
        for column in _TRACE_COLUMNS:
            values = getattr(self, column)
            setattr(taken, column, [values[i] for i in order])
        return taken


def encode_shard(shard: Shard) -> bytes:
    """The shard as MessagePack; equal shards give equal bytes."""
    return _ENCODER.encode(shard)


def decode_shard(data: bytes) -> Shard:
    """The shard that `encode_shard` wrote; msgspec.DecodeError where the bytes are something else."""
    return _DECODER.decode(data)


def join_shards(shards: Sequence[Shard]) -> Shard:
    """The shards of one trace set as one, in the order given.

    Format, source and stop turns are the set's and stand in each; `expected` is the sum of what the pieces expect.
    """
    joined = Shard(format=shards[0].format, source=shards[0].source, stop_turns=shards[0].stop_turns)
    for column in (*_TRACE_COLUMNS, "excluded"):
        getattr(joined, column).extend(value for shard in shards for value in getattr(shard, column))
    joined.warnings = _join_warnings(warned for shard in shards for warned in shard.warnings)
    filled = [shard.measures for shard in shards if len(shard)]
    joined.measures = np.concatenate(filled) if filled else shards[0].measures
    expected = [shard.expected for shard in shards if shard.expected is not None]
    joined.expected = sum(expected) if expected else None
    return joined


def _join_warnings(warnings: Iterable[Warned]) -> list[Warned]:
    """Each warning once, with the counts of all pieces; of one code at most 20, by name, and the rest together."""
    counts: dict[str, dict[str, int]] = {}
    for warned in warnings:
        messages = counts.setdefault(warned.code, {})
        messages[warned.message] = messages.get(warned.message, 0) + warned.count
    joined = []
    for code, messages in counts.items():
        named = sorted(messages.items()) if len(messages) > _NAMED else list(messages.items())
        joined += [Warned(code, message, count) for message, count in named[:_NAMED]]
        if rest := named[_NAMED:]:
            joined.append(Warned(code, "more of this kind", sum(count for _, count in rest)))
    return joined


_NAMED = 20
_TRACE_COLUMNS = ("id", "task_id", "run", "batch", "line", "reward", "survey", "turns")


def shard_to_wire(value: Any) -> Any:
    """The part of a shard that msgspec does not know: a matrix as [rows, columns, little-endian float64]."""
    if isinstance(value, np.ndarray):
        return [*value.shape, np.ascontiguousarray(value, dtype="<f8").tobytes()]
    raise NotImplementedError(f"{type(value).__name__} is no part of a shard")


def shard_from_wire(_kind: type, value: Any) -> Any:
    """The matrix that `shard_to_wire` wrote."""
    rows, width, data = value
    return np.frombuffer(data, dtype="<f8").reshape(rows, width).astype(np.float64)


_ENCODER = msgspec.msgpack.Encoder(enc_hook=shard_to_wire)
_DECODER = msgspec.msgpack.Decoder(Shard, dec_hook=shard_from_wire)
