from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from simgap_workers.store.compiled import BaselineObjects
from simgap_workers.store.ids import checked, is_id, keyed_id, new_id
from simgap_workers.store.objects import Objects, StoreError
from simgap_workers.store.pending import Pending
from simgap_workers.store.trace_sets import TraceSetObjects


@pytest.fixture
def objects(tmp_path: Path) -> Objects:
    return Objects.open((tmp_path / "a folder é").as_uri())


def test_of_32_creates_of_one_key_one_wins_and_its_bytes_stay(objects: Objects) -> None:
    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(lambda number: objects.create("a/b", b"%d" % number, durable=True), range(32)))
    assert won.count(True) == 1
    assert objects.get("a/b") == b"%d" % won.index(True)


def test_what_is_not_there_is_none_and_can_be_deleted(objects: Objects) -> None:
    assert objects.get("a/b") is None
    assert not objects.exists("a/b")
    objects.delete("a/b")
    assert objects.keys("a") == []
    assert objects.folders("a") == []


def test_keys_and_folders_are_listed_in_order_below_whole_segments(objects: Objects) -> None:
    for key in ("a/2/x", "a/1/x", "a/1/y", "ab/3/x"):
        objects.create(key, b"")
    assert objects.keys("a") == ["a/1/x", "a/1/y", "a/2/x"]
    assert objects.folders("a") == ["1", "2"]


def test_a_store_in_which_the_second_create_wins_is_refused(objects: Objects) -> None:
    objects.check()

    class Forgetful(Objects):
        def create(self, key: str, data: bytes, *, durable: bool = False) -> bool:
            self.delete(key)
            return super().create(key, data, durable=durable)

    with pytest.raises(StoreError, match="twice"):
        Forgetful(objects._store).check()


def test_ids_are_32_hexadecimal_digits_after_their_kind() -> None:
    made = new_id("ts")
    assert is_id(made)
    assert is_id(made, "ts")
    assert not is_id(made, "rp", "bl")
    assert keyed_id("rp", b"secret", "a", "b") == keyed_id("rp", b"secret", "a", "b")
    assert keyed_id("rp", b"secret", "a", "b") != keyed_id("rp", b"secret", "ab", "")
    assert keyed_id("rp", b"secret", "a", "b") != keyed_id("rp", b"other", "a", "b")


@pytest.mark.parametrize(
    "text", ["", "ts_", "ts_../../x", "xx_" + "0" * 32, "ts_" + "0" * 33, "ts_" + "A" * 32, "demo"]
)
def test_nothing_else_becomes_part_of_a_key(objects: Objects, text: str) -> None:
    assert not is_id(text)
    with pytest.raises(ValueError, match="not an id"):
        checked(text)
    with pytest.raises(ValueError, match="not an id"):
        TraceSetObjects(objects).raw(text, 0, 0)


def test_a_marker_stands_from_open_to_close(objects: Objects) -> None:
    pending, thing, who = Pending(objects), new_id("ts"), new_id("rp")
    pending.open(thing)
    pending.wait(thing, who)
    assert (pending.all(), pending.has(thing), pending.waiting(thing)) == ([thing], True, [who])
    pending.served(thing, who)
    pending.close(thing)
    assert (pending.all(), pending.has(thing), pending.waiting(thing)) == ([], False, [])


def test_attempts_are_counted_and_each_begins_once(objects: Objects) -> None:
    pending, thing = Pending(objects), new_id("ts")
    assert [pending.again(thing, 1), pending.again(thing, 1), pending.again(thing, 2)] == [True, False, True]
    assert pending.attempts(thing) == 2


def test_a_name_has_one_holder_and_only_the_holder_gives_it_back(objects: Objects) -> None:
    baselines, first, second = BaselineObjects(objects), new_id("bl"), new_id("bl")
    assert baselines.take_name("people/../é", first) == first
    assert baselines.take_name("people/../é", second) == first
    baselines.free_name("people/../é", second)
    assert baselines.by_name("people/../é") == first
    baselines.free_name("people/../é", first)
    assert baselines.take_name("people/../é", second) == second
