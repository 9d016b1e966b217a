from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import BadRequest, NotFound, ResourceVersionTooLarge
from kubestage.objects.kinds import KindTable
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from tests.store.samples import (
    CONFIG_MAP,
    POD,
    REPLICA_SET,
    config_map,
    make_store,
    owned_by,
    pod,
    replica_set,
)

if TYPE_CHECKING:
    from kubestage.store.log import Change


def work(store: Store, rounds: int) -> None:
    """A little of everything that draws on chance or order."""
    for index in range(rounds):
        owner = store.create(replica_set(f"r{store.resource_version}"))
        for _ in range(3):
            template = pod(labels={"round": str(index)}, ownerReferences=owned_by(owner))
            created = store.create(template)
            store.bind(created["metadata"]["name"], "default", f"n{index % 2}")
        store.clock.now_ns += 10**9
        if index % 2:
            store.delete(REPLICA_SET, owner["metadata"]["name"])


def digest(store: Store) -> dict[str, Any]:
    contents = {each.kind.resource: dict(each.objects) for each in store.collections()}
    return {"version": store.resource_version, **contents}


class Counter:
    """A subscriber that pickles, as those of a stage do."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def hear(self, change: Change) -> None:
        self.heard.append(change.key)


def test_get_answers_with_the_stored_object() -> None:
    store = make_store()
    created = store.create(config_map("a"))
    assert store.get(CONFIG_MAP, "a", "default") is created
    assert store.get(store.kind(CONFIG_MAP), "a", resource_version="0") is created
    with pytest.raises(NotFound, match=r'configmaps "b" not found'):
        store.get(CONFIG_MAP, "b")
    with pytest.raises(ResourceVersionTooLarge):
        store.get(CONFIG_MAP, "a", resource_version="999")
    with pytest.raises(BadRequest):
        store.get(CONFIG_MAP, "a", resource_version="x")


def test_versions_of_all_kinds_come_from_one_counter() -> None:
    store = make_store()
    first = store.create(config_map("a"))["metadata"]["resourceVersion"]
    second = store.create(pod("a"))["metadata"]["resourceVersion"]
    assert int(second) == int(first) + 1


def test_the_counter_can_begin_anywhere() -> None:
    store = make_store(first_revision=1_700_000_000_000)
    assert int(store.create(config_map("a"))["metadata"]["resourceVersion"]) > 1_700_000_000_000


def test_stores_do_not_share_their_kinds() -> None:
    kinds = KindTable()
    assert Store(Clock(), Streams(1), kinds).kinds is kinds
    assert make_store().kinds is not make_store().kinds


def test_the_same_seed_gives_the_same_store() -> None:
    one, other = make_store(seed=3), make_store(seed=3)
    work(one, 6)
    work(other, 6)
    assert digest(one) == digest(other)
    different = make_store(seed=4)
    work(different, 6)
    assert digest(one) != digest(different)


def test_the_same_seed_gives_the_same_store_in_another_process() -> None:
    """Python salts the order of sets by process; nothing may depend on it."""
    program = (
        "import hashlib, msgspec\n"
        "from tests.store import test_store as t\n"
        "store = t.make_store(seed=3)\n"
        "t.work(store, 6)\n"
        "print(hashlib.sha256(msgspec.json.encode(t.digest(store))).hexdigest())\n"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": salt},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for salt in ("0", "77")
    }
    assert len(digests) == 1
    assert len(digests.pop().strip()) == 64


def test_a_pickled_copy_goes_on_as_the_original() -> None:
    store = make_store(seed=3)
    work(store, 4)
    watch = store.watch(POD, resource_version=store.resource_version)
    counter = Counter()
    store.subscribe(counter.hear)
    copied, copied_watch, copied_counter = pickle.loads(pickle.dumps((store, watch, counter)))
    for each in (store, copied):
        work(each, 4)
    assert digest(copied) == digest(store)
    assert copied_watch.poll() == watch.poll()
    assert copied_counter.heard == counter.heard


def test_a_copy_lives_its_own_life() -> None:
    store = make_store()
    store.create(config_map("a"))
    copied: Store = pickle.loads(pickle.dumps(store))
    copied.delete(CONFIG_MAP, "a")
    copied.create(config_map("b"))
    assert list(store.read(CONFIG_MAP)) == ["default/a"]


def test_a_copy_shares_within_itself_what_the_original_shares() -> None:
    store = make_store()
    store.create(pod("a"))
    store.create(pod("b"))
    copied: Store = pickle.loads(pickle.dumps(store))
    assert copied.get(POD, "a")["spec"] is copied.get(POD, "b")["spec"]
