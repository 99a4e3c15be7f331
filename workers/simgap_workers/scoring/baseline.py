"""Whom a simulator is held against: batches of people, or figures as published. Compiled once, then cached.

Source: usi.md sections 6, 10 and 15.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
import numpy as np
from msgspec import Struct

from simgap_workers.scoring.difficulty import check_difficulty
from simgap_workers.shard import Shard, join_shards, shard_from_wire, shard_to_wire


class Published(Struct, frozen=True):
    """People as a paper prints them: the mean row (19 metrics), the agent's success rate, the task ids.

    rounding: half a unit of the last printed digit, metric by metric.
    """

    row: list[float]
    rounding: list[float]
    success_rate: float
    tasks: list[str]


class Baseline(Struct):
    """People to compare with. Exactly one of `people` and `published` is there.

    people: one trace for each (task, batch), sorted by (task, batch, id); batches from 1.
    difficulty: the baseline's own map, or `published` for τ-bench's, or None.
    """

    name: str
    digest: str
    people: Shard | None = None
    published: Published | None = None
    difficulty: dict[str, float] | Literal["published"] | None = None

    def tasks(self) -> list[str]:
        """Distinct task ids, sorted by code point."""
        if self.people is not None:
            return sorted(set(self.people.task_id))
        return list(self.published.tasks) if self.published is not None else []

    def batches(self) -> list[int]:
        """Numbers of the batches of people; none for published figures."""
        return sorted(set(self.people.batch)) if self.people is not None else []


class BaselineError(Exception):
    """These trace sets make no baseline; the message says why and what to do."""


def compile_baseline(
    name: str, sets: Sequence[Shard], difficulty: Mapping[str, float] | Literal["published"] | None = None
) -> Baseline:
    """One baseline from people's trace sets.

    A batch is what the traces name, or, where they name none, the set (first set, batch 1).
    The digest is over what is measured, so neither order, nor names of files, nor texts change it.

    Raises BaselineError where there is no trace, a (task, batch) comes twice, or batches cannot be told apart.
    """
    people = join_shards(_with_batches(sets))
    if not len(people):
        raise BaselineError("no trace of people is left: every record was excluded, or the sets are empty.")
    order = sorted(range(len(people)), key=lambda i: (people.task_id[i], people.batch[i], people.id[i]))
    people = people.take(order)
    for first, second in zip(range(len(people)), range(1, len(people)), strict=False):
        if (people.task_id[first], people.batch[first]) == (people.task_id[second], people.batch[second]):
            raise BaselineError(
                f'task "{people.task_id[first]}" is there twice in batch {people.batch[first]} '
                f"(lines {people.line[first]} and {people.line[second]}). Give each trace its `batch`, "
                "or upload each batch as a set of its own."
            )
    kept = check_difficulty(difficulty) if isinstance(difficulty, Mapping) else difficulty
    return Baseline(name, _digest(people, kept), people=people, difficulty=kept)


def encode_baseline(baseline: Baseline) -> bytes:
    """The baseline as MessagePack; equal baselines give equal bytes."""
    return msgspec.msgpack.encode(baseline, enc_hook=shard_to_wire)


def decode_baseline(data: bytes) -> Baseline:
    """What `encode_baseline` wrote; msgspec.DecodeError where the bytes are something else."""
    return msgspec.msgpack.decode(data, type=Baseline, dec_hook=shard_from_wire)


def _with_batches(sets: Sequence[Shard]) -> list[Shard]:
    """The sets with a batch for each trace: as the traces name it, else the set's place."""
    named = [{batch for batch in shard.batch if batch} for shard in sets]
    if not any(named):
        return [msgspec.structs.replace(shard, batch=[place] * len(shard)) for place, shard in enumerate(sets, start=1)]
    for place, shard in enumerate(sets, start=1):
        if 0 in shard.batch:
            line = shard.line[shard.batch.index(0)]
            raise BaselineError(
                f"some traces name a batch and others do not (set {place}, line {line}). Give every trace its `batch`."
            )
        if shared := named[place - 1] & set().union(*named[: place - 1]):
            raise BaselineError(
                f"batch {min(shared)} of set {place} is in an earlier set too. Number the batches of all sets apart, "
                "or leave `batch` out, so that each set is a batch."
            )
    return list(sets)


def _digest(people: Shard, difficulty: Mapping[str, float] | str | None) -> str:
    digest = hashlib.sha256()
    records = [
        [
            people.task_id[i],
            people.batch[i],
            None if np.isnan(people.measures[i, 0]) else people.measures[i].tolist(),
            people.reward[i],
            None if people.survey[i] is None else sorted((people.survey[i] or {}).items()),
        ]
        for i in range(len(people))
    ]
    digest.update(msgspec.json.encode(records))
    digest.update(msgspec.json.encode(sorted(difficulty.items()) if isinstance(difficulty, Mapping) else difficulty))
    return digest.hexdigest()
