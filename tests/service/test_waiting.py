from __future__ import annotations

import asyncio

import pytest

from simgap_service.waiting import preferred_seconds, settled_within


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, 0),
        ("", 0),
        ("wait=30", 30),
        ("Wait = 30", 30),
        ('respond-async, wait="5"', 5),
        ("wait=50", 50),
        ("wait=51", 50),
        ("wait=" + "9" * 5000, 50),
        ("wait=-1", 0),
        ("wait=1.5", 0),
        ("wait=²", 0),
        ("wait", 0),
        ("wait=3; x=y", 3),
    ],
)
def test_a_preference_is_read_as_rfc_7240_says_and_never_longer_than_50_s(header: str | None, seconds: int) -> None:
    assert preferred_seconds(header) == seconds


def test_what_is_settled_at_the_third_look_is_looked_at_three_times() -> None:
    looks: list[int] = []

    def settled() -> bool:
        looks.append(1)
        return len(looks) == 3

    assert asyncio.run(settled_within(10, settled))
    assert len(looks) == 3


def test_what_never_settles_is_given_up() -> None:
    assert not asyncio.run(settled_within(0.05, lambda: False))
