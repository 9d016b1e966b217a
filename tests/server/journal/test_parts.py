"""Large Scenarios in the journal: only what is new of them is written."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.scenario.resource import API_VERSION, SCENARIO
from kubestage.server.journal import parts
from kubestage.server.journal.opening import open_directory
from kubestage.server.live import Live
from kubestage.testing import make_pod
from tests.scenario.building import create, scenario

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json
    from kubestage.store.store import Store


COUNT = 1_600


def large(name: str = "it", count: int = COUNT) -> Json:
    events = [{**create(make_pod(f"p{at}")), "id": f"e{at}"} for at in range(count)]
    return scenario(*events, name=name)


def _status(step: int, count: int) -> Json:
    told = [{"id": f"t{step}-{at}", "step": step, "operation": "Done"} for at in range(count)]
    return {"phase": "Running", "scenarioResult": {"simulatorVersion": "1",
                                                   "timeline": {str(step): told}}}  # fmt: skip


def test_any_object_comes_back_as_it_was() -> None:
    whole = {**large(), "status": _status(3, 700)}
    found = parts.split(whole)
    assert found is not None
    rest, pieces = found
    assert rest["spec"]["events"] == []
    texts = {name: json.dumps(items).encode() for name, items in pieces.items()}
    assert parts.join(dict(rest), texts.__getitem__) == whole
    assert list(parts.join(dict(rest), texts.__getitem__)) == list(whole)
    small = large(count=10)
    assert parts.split(small) is None
    assert parts.split(make_pod("p")) is None
    assert parts.join(small, texts.__getitem__) is small


def test_what_has_not_changed_is_not_written_again() -> None:
    written, address = parts.WrittenParts(), ("scenarios", "it")
    whole = large()

    def news(obj: Json) -> tuple[list[str], list[str]]:
        found = parts.split(obj)
        assert found is not None
        return written.news(address, found[1])

    changed, gone = news(whole)
    assert (len(changed), gone) == (7, [])
    assert news({**whole, "metadata": {"name": "other"}}) == ([], [])
    told = {**whole, "status": _status(0, 300)}
    assert news(told) == (["timeline/0/0", "timeline/0/1"], [])
    more = {**told, "spec": {"events": [*whole["spec"]["events"], {"id": "last"}]}}
    assert news(more) == (["events/6"], [])
    fewer = {**told, "spec": {"events": whole["spec"]["events"][:1400]}}
    assert news(fewer) == (["events/5"], ["events/6"])


def _story(tmp_path: pathlib.Path, *steps: Any) -> Json | None:
    """Do things on a stage that is kept, one commit each; what another process finds then."""

    async def story() -> None:
        stage, journal = open_directory(tmp_path).stage()
        live = Live(stage)
        journal.start(live)
        for step in steps:
            step(stage.store)
            await live.settled()
        journal.close()

    asyncio.run(story())
    return _read(tmp_path)


def _read(tmp_path: pathlib.Path) -> Json | None:
    opened = open_directory(tmp_path)
    stage, journal = opened.stage()
    found = stage.store.read(SCENARIO).get("it")
    journal.close()
    return found


def test_a_large_scenario_is_there_after_a_restart_with_all_that_became_of_it(
    tmp_path: pathlib.Path,
) -> None:
    seen: list[Json] = []

    def make(store: Store) -> None:
        store.create(large("other"))
        store.create(large())

    def go_on(store: Store) -> None:
        store.record_status(SCENARIO, "it", _status(0, 500))
        store.record_status(SCENARIO, "it", _status(1, 800))
        seen.append(store.get(SCENARIO, "it"))

    assert _story(tmp_path, make, go_on) == seen[0]
    # Another process goes on, and knows nothing of what is in the file.
    assert _story(tmp_path, go_on) == seen[1]
    with sqlite3.connect(next(tmp_path.glob("*.sqlite*"))) as connection:
        count = connection.execute("SELECT count(*) FROM parts WHERE key = 'it'").fetchone()[0]
    connection.close()
    assert count == 7 + 4


def test_parts_go_with_their_scenario_or_when_it_is_small(tmp_path: pathlib.Path) -> None:
    def shrink(store: Store) -> None:
        whole = store.get(SCENARIO, "it")
        fewer = {**whole["spec"], "events": whole["spec"]["events"][:3]}
        store.update({**whole, "spec": fewer})

    found = _story(tmp_path, lambda store: store.create(large()), shrink)
    assert found is not None
    assert len(found["spec"]["events"]) == 3
    found = _story(
        tmp_path,
        lambda store: store.create(large("second")),
        lambda store: store.delete(SCENARIO, "second"),
    )
    with sqlite3.connect(next(tmp_path.glob("*.sqlite*"))) as connection:
        assert connection.execute("SELECT count(*) FROM parts").fetchone()[0] == 0
    connection.close()


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM parts WHERE name = 'events/2'",
        "UPDATE parts SET text = x'5b5d' WHERE name = 'events/2'",
    ],
)
def test_a_part_that_is_missing_or_another_is_noticed(tmp_path: pathlib.Path, damage: str) -> None:
    _story(tmp_path, lambda store: store.create(large()))
    with sqlite3.connect(next(tmp_path.glob("*.sqlite*"))) as connection:
        connection.execute(damage)
    connection.close()
    with pytest.raises(InputError, match="is not what was written"):
        _read(tmp_path)


def test_a_journal_of_the_format_before_is_read_and_goes_on(tmp_path: pathlib.Path) -> None:
    found = _story(tmp_path, lambda store: store.create(large(count=5)))
    with sqlite3.connect(next(tmp_path.glob("*.sqlite*"))) as connection:
        connection.execute("DROP TABLE parts")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    assert _read(tmp_path) == found

    def grow(store: Store) -> None:
        store.delete(SCENARIO, "it")
        store.create(large())

    found = _story(tmp_path, grow)
    assert found is not None
    assert found["apiVersion"] == API_VERSION
    assert len(found["spec"]["events"]) == COUNT
