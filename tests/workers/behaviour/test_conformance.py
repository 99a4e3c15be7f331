"""Every vector of the published scorer's behaviour (tests/conformance/behaviour.jsonl), at relative 1e-12."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simgap_workers.behaviour import METRICS, measure, profile_columns, user_turns
from simgap_workers.trace import Message

VECTORS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "conformance/behaviour.jsonl").read_text(encoding="utf-8").splitlines()
]


def turns_of(vector: dict[str, Any]) -> list[str]:
    return user_turns([Message(m["role"], m["content"]) for m in vector["messages"]], vector["source"])


def test_there_are_798_vectors_and_all_agree_at_1e_12() -> None:
    assert len(VECTORS) == 798
    rows = measure([turns_of(vector) for vector in VECTORS])[:, profile_columns("tau-usi-1")]
    for vector, row in zip(VECTORS, rows, strict=True):
        if vector["expected"] is None:
            assert np.isnan(row).all(), vector["id"]
        else:
            expected = [vector["expected"][metric] for metric in METRICS]
            assert row.tolist() == pytest.approx(expected, rel=1e-12, abs=0), vector["id"]


def test_a_trace_measured_alone_has_the_very_row_it_has_among_others() -> None:
    conversations = [turns_of(vector) for vector in VECTORS]
    together = measure(conversations)
    alone = np.concatenate([measure([conversation]) for conversation in conversations])
    np.testing.assert_array_equal(together, alone)
