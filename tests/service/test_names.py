from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from simgap_workers.store.compiled import BaselineObjects
from simgap_workers.store.ids import new_id
from simgap_workers.store.objects import Objects


@pytest.fixture
def objects(tmp_path: Path) -> Objects:
    return Objects.open((tmp_path / "objects").as_uri())


def test_a_name_that_its_holder_gives_back_while_four_others_want_it_goes_to_one_of_them(objects: Objects) -> None:
    names = BaselineObjects(objects)

    def take_and_give_back(_: int) -> bool:
        mine = new_id("bl")
        holder = names.take_name("people", mine)
        if holder == mine:
            assert names.by_name("people") == mine
            names.free_name("people", mine)
        return holder == mine

    with ThreadPoolExecutor(4) as pool:
        took = list(pool.map(take_and_give_back, range(400)))
    assert any(took)
    assert names.by_name("people") is None


def test_everything_below_a_prefix_is_cleared_and_nothing_beside_it(objects: Objects) -> None:
    for key in ("a/1/x", "a/1/y/z", "a/11/x"):
        objects.create(key, b"")
    objects.clear("a/1")
    objects.clear("a/2")
    assert objects.keys("a") == ["a/11/x"]
    assert objects.folders("a") == ["11"]
