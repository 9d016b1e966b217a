"""A Scenario has the same status on every server, the first or the fifth, and as in `run`."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.scenario import scenario_counts
from kubestage.scenario.resource import SCENARIO
from kubestage.server.journal import opening
from kubestage.server.pacing import Mode
from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod
from tests.cli.terminal import Terminal
from tests.scenario import building
from tests.scenario.building import POD, create, done, scenario
from tests.scenario.test_history import EVENTS
from tests.server.live_stage import NODES, PODS, SCENARIOS, Served, served
from tests.server.test_pacing import tell

if TYPE_CHECKING:
    import pytest

    from kubestage.aliases import Json


SEED = 3


def _stage(**more: Any) -> Stage:
    """As `kubestage serve` makes one, on an afternoon."""
    return Stage(
        SEED,
        start="2027-08-31T12:13:14.5Z",
        implicit_namespaces=False,
        seeded_by="kube-apiserver",
        first_revision=1_800_000_000_000,
        **more,
    )


async def _told(stage: Served, name: str, events: list[Json] = EVENTS) -> bytes:
    await stage.call("POST", SCENARIOS, scenario(*events, name=name))
    status = await stage.scenario(name)
    assert status["phase"] == "Succeeded", status.get("message")
    return msgspec.json.encode(status)


def test_the_first_and_the_fifth_on_a_server_are_what_run_prints(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("it.json").write_text(json.dumps(scenario(*EVENTS)))
    ran = Terminal(capsys, monkeypatch).run("run", "it.json", "-o", "json", "--seed", str(SEED))
    expected = json.loads(ran.out)["status"]

    async def story() -> None:
        async with served(stage=_stage()) as stage:
            for name in ("it", "it", "another", "it", "it"):
                await stage.call("POST", NODES, make_node("before"))
                await stage.call("POST", PODS, make_pod("before"))
                await stage.call("GET", "/apis/batch/v1/jobs")
                assert json.loads(await _told(stage, name)) == expected
                await stage.pacer.advance(3_700_000_000)
                await stage.call("DELETE", f"{SCENARIOS}/{name}")
                await stage.call("DELETE", f"{NODES}/n3")

    tell(story())


def test_a_scenario_after_a_restart_is_what_it_was_before(tmp_path: pathlib.Path) -> None:
    async def live(name: str) -> bytes:
        stage, journal = opening.open_directory(tmp_path / "data").stage(SEED)
        async with served(stage=stage) as live_stage:
            journal.start(live_stage.live)
            told = await _told(live_stage, name)
            await live_stage.live.settled()
            journal.close()
        return told

    found: list[bytes] = []

    async def story() -> None:
        found.extend([await live("one"), await live("two"), await live("three")])

    tell(story())
    assert found[1] == found[0]
    assert found[2] == found[0]


def test_time_and_versions_of_a_server_never_go_back() -> None:
    events = [create(make_node("n1")), create(make_pod("p")), done()]

    async def story() -> None:
        async with served(stage=_stage()) as stage:
            seen: list[tuple[str, int, int]] = []
            for name in ("one", "two", "three"):
                await _told(stage, name, events)
                pod, state = stage.stage.store.get(POD, "p"), stage.pacer.state()
                metadata = pod["metadata"]
                version = int(metadata["resourceVersion"])
                seen.append((metadata["creationTimestamp"], version, state["nowNs"]))
                await stage.pacer.advance(10_000_000_000)
            assert seen == sorted(seen)
            assert len(set(seen)) == len(seen)
            assert seen[0][0].startswith("2027-08-31T12:13:")

    tell(story())


def test_a_clock_that_runs_at_a_speed_goes_on_when_a_scenario_is_over() -> None:
    events = [create(make_node("n1")), create(make_pod("p")), done()]

    async def story() -> None:
        async with served(stage=_stage(), mode=Mode.SPEED, speed=1000.0) as stage:
            await _told(stage, "one", events)
            before = stage.pacer.state()["nowNs"]
            await stage.pacer.advance(1_000_000_000)
            await _told(stage, "two", events)
            assert stage.pacer.state()["nowNs"] > before
            assert not stage.pacer.failure

    tell(story())


def test_namespaces_are_made_as_a_scenario_needs_them() -> None:
    """A client of a server has to make them; a Scenario runs alike everywhere."""
    events = [create({**make_pod("p"), "metadata": {"name": "p", "namespace": "team"}}), done()]

    async def story() -> None:
        async with served(stage=_stage()) as stage:
            await _told(stage, "it", events)
            assert not stage.stage.store.implicit_namespaces

    tell(story())


def test_a_scenario_that_was_paused_goes_on_counting_after_a_restart(
    tmp_path: pathlib.Path,
) -> None:
    async def story() -> None:
        stage, journal = opening.open_directory(tmp_path / "data").stage(SEED)
        async with served(stage=stage) as first:
            journal.start(first.live)
            await first.call("POST", NODES, make_node("before"))
            await first.call("POST", SCENARIOS, scenario(create(make_node("n1"))))
            assert (await first.scenario())["phase"] == "Paused"
            await first.live.settled()
            journal.close()
        stage, journal = opening.open_directory(tmp_path / "data").stage(SEED)
        async with served(stage=stage) as second:
            journal.start(second.live)
            building.add(second.stage, create(make_pod("p"), 1), done(1))
            second.pacer.wake()
            assert (await second.scenario(phases=("Succeeded",)))["phase"] == "Succeeded"
            told = building.happenings(second.stage)
            versions = [
                int(each["create"]["result"]["metadata"]["resourceVersion"])
                for each in told
                if "create" in each
            ]
            assert versions == sorted(versions)
            assert versions[-1] < 1000
            assert (
                scenario_counts.BEGAN
                in second.stage.store.get(SCENARIO, "it")["metadata"]["annotations"]
            )
            await second.live.settled()
            journal.close()

    tell(story())
