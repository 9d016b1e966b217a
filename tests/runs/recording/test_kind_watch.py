"""One kind that is followed: what events and lists of an API become in the recording."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.remote.server_time import ServerTime
from kubestage.runs.recording.acceptance import Acceptance, Write, newest_write
from kubestage.runs.recording.kind_watch import KindWatch
from kubestage.sources import canonical_kinds, segments
from kubestage.sources.change_log import ChangeLog, LogIdentity
from kubestage.sources.cleaning import Kept
from kubestage.sources.imported import format_ns
from tests.remote.asking import wait
from tests.remote.scripted_api import answer, items, refusal, scripted, stream
from tests.sources import samples

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json
    from kubestage.remote.cluster import RemoteCluster

    Follow = Callable[[RemoteCluster], "Followed"]

PODS = "/api/v1/pods"
WATCH = f"{PODS}?watch"
POD = canonical_kinds.find("v1", "Pod")
LONG_AGO = "2026-01-01T00:00:00Z"


def _pod(name: str = "web-1", version: str = "6", **metadata: Any) -> Json:
    obj = samples.pod(name)
    obj["metadata"] |= {"resourceVersion": version, **metadata}
    return obj


def _managed(*writes: tuple[str, str]) -> list[Json]:
    return [
        {"manager": manager, "operation": "Update", "time": time, "fieldsV1": {}}
        for manager, time in writes
    ]


def _event(type_: str, obj: Json) -> Json:
    return {"type": type_, "object": obj}


class Followed:
    """A watch of pods, whose list has been recorded as the state."""

    def __init__(self, cluster: RemoteCluster, place: pathlib.Path) -> None:
        assert POD is not None
        self.cluster = cluster
        self.log = ChangeLog(place / "recording", LogIdentity())
        self._place = place
        self._time = ServerTime(cluster)
        self.accepting = Acceptance(Kept(), None)
        self.watch = KindWatch(POD, cluster, self.log, self.accepting, self._time)

    def begin(self, *, long_ago: bool = False) -> None:
        self.cluster.loop.complete(self.watch.list_first())
        self.log.start(self._time.now_ns)
        if long_ago:
            self.log.start_ns = 0
            self.log.last_ns.clear()
        self.cluster.loop.spawn(self.watch.run())

    def lines(self, count: int) -> list[Json]:
        """The first lines after the state, once there are so many."""
        wait(self.cluster, lambda: len(self._lines()) >= count)
        return self._lines()

    def _lines(self) -> list[Json]:
        self.log.flush(0)
        found = []
        for path in segments.find(self._place / "recording", "changes"):
            with path.open("rb") as packed:
                found += [json.loads(line) for line in segments.opened(packed)]
        return [each for each in found if each.get("verb", "state") != "state"]


@pytest.fixture
def follow(tmp_path: pathlib.Path) -> Iterator[Follow]:
    """Makes watches, whose files are closed at the end."""
    made: list[Followed] = []

    def make(cluster: RemoteCluster) -> Followed:
        made.append(Followed(cluster, tmp_path / str(len(made))))
        return made[-1]

    yield make
    for each in made:
        each.log.close()


@pytest.mark.parametrize("lost", [refusal(410, "Expired"), refusal(400, "BadRequest")])
def test_a_version_that_is_gone_becomes_a_gap_and_differences(follow: Follow, lost: Any) -> None:
    with scripted() as (api, cluster):
        api.on(PODS, items("5", _pod("same", "1"), _pod("gone", "2"), _pod("changed", "3")),
               items("9", _pod("same", "1"), _pod("changed", "7"), _pod("new", "8")))  # fmt: skip
        api.on(WATCH, lost, stream())
        followed = follow(cluster)
        followed.begin()
        lines = followed.lines(5)
        assert [(each["verb"], each.get("name")) for each in lines] == [
            ("gap", None), ("patch", "changed"), ("create", "new"), ("delete", "gone"),
            ("mark", None),
        ]  # fmt: skip
        assert lines[-1]["version"] == "9"
        wait(cluster, lambda: len(api.asked(WATCH)) == 2)
        assert api.asked(WATCH)[1].query["resourceVersion"] == "9"
        assert followed.watch.lists == 2


def test_a_watch_is_resumed_at_the_recorded_version(follow: Follow) -> None:
    with scripted() as (api, cluster):
        api.on(WATCH, stream())
        followed = follow(cluster)
        followed.log.versions["v1/Pod"] = "77"
        assert POD is not None
        time = ServerTime(cluster)
        watch = KindWatch(POD, cluster, followed.log, followed.accepting, time)
        followed.log.start(time.now_ns)
        cluster.loop.spawn(watch.run())
        wait(cluster, lambda: bool(api.asked(WATCH)))
        assert api.asked(WATCH)[0].query["resourceVersion"] == "77"
        assert api.asked(PODS) == []


def test_bookmarks_are_marked(follow: Follow) -> None:
    with scripted() as (api, cluster):
        api.on(PODS, items("5"))
        mark = {"metadata": {"resourceVersion": "50"}}
        api.on(WATCH, stream(_event("BOOKMARK", mark), _event("ADDED", _pod(version="51"))))
        followed = follow(cluster)
        followed.begin()
        followed.lines(1)
        assert followed.log.versions == {"v1/Pod": "51"}
        followed.watch.mark()
        # An event says the same.
        assert [each["verb"] for each in followed.lines(1)] == ["create"]
        followed.watch._on_line(json.dumps(_event("BOOKMARK", {"metadata": {
            "resourceVersion": "60"}})).encode(), 0)  # fmt: skip
        followed.watch.mark()
        assert followed.lines(2)[-1]["version"] == "60"


def test_the_author_of_a_change_is_recorded_if_it_is_known(follow: Follow) -> None:
    first, second = "2026-03-01T10:00:00Z", "2026-03-01T10:00:07Z"
    events = [
        _event("ADDED", _pod(version="6", managedFields=_managed(("kubectl", first)))),
        # Nothing was written since: a deletion is in no managedFields.
        _event("MODIFIED", _pod(version="7", managedFields=_managed(("kubectl", first)))),
        # Two at one time.
        _event("MODIFIED", _pod(version="8", managedFields=_managed(
            ("kubectl", second), ("kubelet", second)))),
        _event("MODIFIED", _pod(version="9", managedFields=_managed(
            ("kubectl", first), ("kubelet", "2026-03-01T10:00:09Z")))),
    ]  # fmt: skip
    with scripted() as (api, cluster):
        api.on(PODS, items("5"))
        api.on(WATCH, stream(*events))
        followed = follow(cluster)
        followed.begin()
        lines = followed.lines(4)
        assert [each.get("manager") for each in lines] == ["kubectl", None, None, "kubelet"]
        assert "managedFields" not in json.dumps(lines)


def test_a_change_that_comes_late_has_its_own_time(follow: Follow) -> None:
    events = [
        _event("ADDED", _pod(version="6", managedFields=_managed(("a", LONG_AGO)))),
        _event("MODIFIED", _pod(version="7", managedFields=_managed(("b", "not a time")))),
        # Never before the change that precedes it.
        _event("ADDED", _pod("late", "8", managedFields=_managed(("c", LONG_AGO)))),
    ]
    with scripted() as (api, cluster):
        api.on(PODS, items("5"))
        api.on(WATCH, stream(*events))
        followed = follow(cluster)
        followed.begin(long_ago=True)
        lines = followed.lines(3)
        now = format_ns(cluster.moments.unix_ns)
        assert lines[0]["at"] == LONG_AGO
        assert lines[1]["at"][:10] == now[:10] or lines[1]["at"] > LONG_AGO
        assert lines[2]["at"] == lines[1]["at"]


def test_a_kind_that_is_refused_is_left_alone(follow: Follow) -> None:
    for refused in (refusal(403, "Forbidden"), refusal(404, "NotFound")):
        with scripted() as (api, cluster):
            api.on(PODS, refused)
            followed = follow(cluster)
            followed.begin()
            assert followed.watch.refusal is not None
            wait(cluster, lambda api=api: len(api.asked(PODS)) == 2)  # type: ignore[misc]
            cluster.loop.complete(_soon())
            assert len(api.asked(PODS)) == 2


def test_a_list_that_fails_is_tried_again(follow: Follow) -> None:
    with scripted() as (api, cluster):
        api.on(PODS, refusal(500, "InternalError"), answer("no json"), items("5", _pod()))
        api.on(WATCH, stream())
        followed = follow(cluster)
        followed.begin()
        assert len(followed.log.states) == 1
        assert followed.watch.problem == ""


def test_what_is_left_out_is_counted_once(follow: Follow) -> None:
    broken = _pod("broken")
    broken["spec"] = {"containers": "none"}
    with scripted() as (api, cluster):
        api.on(PODS, items("5", broken))
        again = {**broken, "metadata": {**broken["metadata"], "resourceVersion": "6"}}
        api.on(WATCH, stream(_event("MODIFIED", again), _event("ADDED", _pod(version="7"))))
        followed = follow(cluster)
        followed.begin()
        followed.lines(1)
        assert dict(followed.accepting.intake.imported.left_out) == {
            ("Pod", "has a field that does not fit its kind"): 1
        }


def test_the_newest_write_is_found() -> None:
    assert newest_write({"metadata": {}}) is None
    assert newest_write({"metadata": {"managedFields": [5]}}) is None
    found = newest_write({"metadata": {"managedFields": _managed(("a", "1"), ("b", "2"))}})
    assert found == Write("b", "2")
    twice = _managed(("a", "2"), ("a", "2"))
    assert newest_write({"metadata": {"managedFields": twice}}) == Write("a", "2")


async def _soon() -> None:
    import asyncio

    await asyncio.sleep(0.3)
