"""The modules of the past alone: moments as text, and changes applied in both directions."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Cluster

BEGIN = "2026-01-01T00:00:00.000000001Z"
NODE = {"zone": "", "pool": "", "labels": {}, "isReady": True, "isCordoned": False}
ALLOCATABLE = {"cpu": 4, "memory": 1, "pods": 9}
# Moves a Past to each offset in turn, and reports what its model has then.
STATES = """(past, moves) => moves.map((ms) => {
  past.moveTo(ms);
  const { model } = past;
  const pairs = ([node, there]) => [...there.keys()].map((key) => [key, node]);
  const placed = [...model.placed].flatMap(pairs);
  return {
    nodes: [...model.nodes.keys()].sort(),
    pods: [...model.pods.values()].map((pod) => [pod.key, pod.node, pod.phase]).sort(),
    placed: placed.sort(), unplaced: [...model.unplaced.keys()].sort(),
  };
})"""


@pytest.fixture
def run(page: Page, cluster: Cluster) -> Any:
    """Evaluates an expression with a module as `it` and an argument as `found`."""
    page.goto(f"{cluster.address}/ui/css/page.css")

    def call(path: str, code: str, argument: Any) -> Any:
        return page.evaluate(
            f"async (found) => {{ const it = await import('/ui/js/{path}'); return {code}; }}",
            argument,
        )

    return call


def test_a_moment_keeps_its_nanoseconds(run: Any) -> None:
    moments = [BEGIN, "2026-01-01T00:00:00Z", "2026-02-28T23:59:59.25Z", "1999-12-31T12:00:00.1Z"]
    code = "found.map((text) => it.textOf(it.nanoseconds(text)))"
    assert run("time/instants.js", code, moments) == moments


def test_durations(run: Any) -> None:
    texts = ["90m", "1h30m", "1.5h", "250ms", "1d", "", "soon", "5", "5x"]
    code = (
        "found.map((text) => [it.durationMs(text)].map((ms) => (Number.isNaN(ms) ? null : ms))[0])"
    )
    minute = 60_000
    expected = [90 * minute, 90 * minute, 90 * minute, 250, 1440 * minute, None, None, None, None]
    assert run("time/instants.js", code, texts) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+90m", "2026-01-02T04:35:00.5Z"),
        ("-5s", "2026-01-02T03:04:55.5Z"),
        ("04:05", "2026-01-02T04:05:00Z"),
        ("4:05:06", "2026-01-02T04:05:06Z"),
        ("2026-01-03", "2026-01-03T00:00:00Z"),
        ("2026-01-03 04:05", "2026-01-03T04:05:00Z"),
        ("2026-01-03T04:05:06.75Z", "2026-01-03T04:05:06.75Z"),
        ("25:00", ""),
        ("+soon", ""),
        ("", ""),
    ],
)
def test_what_people_mean(run: Any, text: str, expected: str) -> None:
    code = "it.meant(found, '2026-01-02T03:05:00.5Z')"
    assert run("time/instants.js", code, text) == expected


def answer(seed: int, count: int) -> dict[str, Any]:
    """An answer of the server with changes of a few pods and nodes, some at the same moment."""
    choose = random.Random(seed)
    nodes = {f"n{number}" for number in range(3)}
    pods = {f"default/p{number}" for number in range(3)}
    changes: list[list[Any]] = []
    ms = 0.0
    for _ in range(count):
        ms += choose.choice([0, 0, 1.5, 1000])
        if choose.random() < 0.2:
            name = f"n{choose.randrange(5)}"
            is_gone = name in nodes and choose.random() < 0.5
            (nodes.discard if is_gone else nodes.add)(name)
            row = {"allocatable": {"cpu": choose.randrange(1, 9), "memory": 1, "pods": 9}}
            changes.append([ms, "n", name] if is_gone else [ms, "n", name, {**NODE, **row}])
            continue
        key = f"default/p{choose.randrange(6)}"
        is_gone = key in pods and choose.random() < 0.3
        (pods.discard if is_gone else pods.add)(key)
        node = choose.choice(["", "n0", "n1", "n4"])
        phase = choose.choice(["Pending", "Running", "Succeeded", "Terminating"])
        changes.append([ms, "p", key] if is_gone else [ms, "p", key, 0, node, phase])
    first = [{"name": f"n{at}", **NODE, "allocatable": ALLOCATABLE} for at in range(3)]
    template = {"namespace": "default", "owner": "", "priority": 0, "profile": "", "labels": {}}
    return {
        "begin": BEGIN, "end": "2026-01-01T01:00:00Z", "sequence": count, "isWhole": True,
        "templates": [{**template, "requests": {"cpu": 1, "memory": 1}}],
        "nodes": first,
        "pods": [[f"default/p{number}", 0, "n0", "Running"] for number in range(3)],
        "changes": changes,
    }  # fmt: skip


def expected_at(found: dict[str, Any], ms: float) -> dict[str, Any]:
    nodes = {node["name"] for node in found["nodes"]}
    pods = {row[0]: row[2:] for row in found["pods"]}
    for change in found["changes"]:
        if change[0] > ms:
            break
        _, what, key, *rest = change
        if what == "n":
            (nodes.add if rest else nodes.discard)(key)
        elif rest:
            pods[key] = rest[1:]
        else:
            pods.pop(key, None)
    there = {key: row[0] for key, row in pods.items() if row[1] not in ("Succeeded", "Failed")}
    return {
        "nodes": sorted(nodes),
        "pods": sorted([key, *row] for key, row in pods.items()),
        "placed": sorted([key, node] for key, node in there.items() if node),
        "unplaced": sorted(key for key, node in there.items() if not node),
    }


def test_every_way_to_a_moment_gives_the_same_state(run: Any) -> None:
    for seed in range(5):
        found = answer(seed, 120)
        end = found["changes"][-1][0]
        choose = random.Random(seed)
        moves = [choose.uniform(-1, end + 1) for _ in range(60)]
        moves += [change[0] for change in found["changes"][::9]]
        code = f"""await (async () => {{
          const past = new it.Past();
          await past.take(found[0]);
          return ({STATES})(past, found[1]);
        }})()"""
        states = run("time/past.js", code, [found, moves])
        for ms, state in zip(moves, states, strict=True):
            assert state == expected_at(found, ms)


def test_what_comes_later_goes_on_from_what_was_read(run: Any) -> None:
    found = answer(7, 100)
    first = {**found, "changes": found["changes"][:60], "sequence": 60}
    # The server has forgotten its first second meanwhile: offsets count from another beginning.
    later = [[change[0] - 1000, *change[1:]] for change in found["changes"][60:]]
    rest = {
        "begin": "2026-01-01T00:00:01.000000001Z", "end": found["end"], "sequence": 100,
        "isWhole": False, "templates": [], "changes": later,
    }  # fmt: skip
    end = found["changes"][-1][0]
    moves = [end, 0, found["changes"][59][0], found["changes"][80][0], -1, end]
    code = f"""await (async () => {{
      const past = new it.Past();
      await past.take(found[0]);
      past.moveTo(found[2][0]);
      await past.take(found[1]);
      return ({STATES})(past, found[2]);
    }})()"""
    states = run("time/past.js", code, [first, rest, moves])
    for ms, state in zip(moves, states, strict=True):
        assert state == expected_at(found, ms)


@pytest.mark.parametrize("shown", [None, 2500])
def test_what_the_server_has_forgotten_is_forgotten(run: Any, shown: int | None) -> None:
    found = answer(7, 3000)
    times = [change[0] for change in found["changes"]]
    begin, ms = times[2000], None if shown is None else times[shown]
    moves = [times[2900], begin, times[2400], times[-1]]
    code = f"""await (async () => {{
      const [answer, begin, ms, moves] = found;
      const past = new it.Past();
      await past.take(answer);
      if (ms !== null) past.moveTo(ms);
      past.forget(0, ms);
      const before = past.steps.length;
      past.forget(begin, ms);
      const {{ length }} = past.steps;
      return [before, length, past.times.length, ({STATES})(past, moves)];
    }})()"""
    before, length, count, states = run("time/past.js", code, [found, begin, ms, moves])
    assert before == 3000
    assert length == count == sum(each >= begin for each in times)
    assert states == [expected_at(found, each) for each in moves]
