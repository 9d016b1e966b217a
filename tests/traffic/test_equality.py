"""Compiled, plain, and movement by movement: all say the same of the same requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.sim import CountsOnly, Environment
from kubestage.traffic.fast.engine import FastRequests
from kubestage.traffic.movements import MovementRequests
from kubestage.traffic.record import Record
from kubestage.traffic.requests import DISCIPLINES, ROUTINGS, Service
from tests.traffic.feeds import SECOND, Listed

if TYPE_CHECKING:
    from kubestage.traffic.requests import Requests

Change = tuple[int, str, str, float]


def outcome(requests: Requests) -> dict[str, Any]:
    requests.check()
    record = requests.record
    return {
        "in_flight": requests.in_flight,
        "replicas": requests.replicas(),
        "requests": record.requests(),
        "summary": record.summary(),
        "table": record.table(),
        "responses": record.responses(),
    }


def apply(requests: Requests, change: Change) -> None:
    _, what, name, cores = change
    if what == "add":
        requests.add_replica(name, cores)
    elif what == "resize":
        requests.set_capacity(name, cores)
    elif what in ("fall silent", "come back"):
        requests.set_silent(name, what == "fall silent")
    elif what == "drain":
        requests.drain(name)
    elif what == "remove":
        requests.remove_replica(name)
    else:
        requests.stop()


def in_bulk(
    service: Service, feed: Listed, changes: list[Change], end_ns: int, *, compiled: bool
) -> dict[str, Any]:
    record = Record(keep_requests=True)
    requests = FastRequests(service, feed, record=record, compiled=compiled)
    for change in changes:
        requests.advance(change[0], is_over=True)
        apply(requests, change)
    requests.advance(end_ns, is_over=True)
    return outcome(requests)


def by_movements(
    service: Service, feed: Listed, changes: list[Change], end_ns: int
) -> dict[str, Any]:
    environment = Environment(recorder=CountsOnly())
    record = Record(keep_requests=True)
    requests = MovementRequests(environment, "traffic", service, feed, record=record)
    for change in changes:
        environment.run(change[0])
        apply(requests, change)
    environment.run(end_ns)
    return outcome(requests)


SERVICES = st.builds(
    Service,
    discipline=st.sampled_from(DISCIPLINES),
    workers=st.sampled_from([None, None, 1, 2, 3]),
    max_requests=st.sampled_from([None, None, 1, 2, 5]),
    timeout_ns=st.sampled_from([None, 1, 2, 6, 20, 40, 10**9]),
    routing=st.sampled_from(ROUTINGS),
)
CORES = st.sampled_from([0.1, 0.5, 1.0, 1.5, 2.0, 3.0])
LUCK = st.floats(0, 1, exclude_max=True)
WHATS = st.sampled_from(
    ["add", "add", "add", "resize", "fall silent", "come back", "drain", "remove", "stop"]
)
NAMES = st.sampled_from("abcde")


def changes(longest: int, unit_ns: int) -> st.SearchStrategy[list[Change]]:
    """Changes at any time, those of arrivals included: they come after whatever is due then."""
    when = st.integers(1, longest * 2).map(lambda at: at * unit_ns)
    rows = st.lists(st.tuples(when, WHATS, NAMES, CORES), max_size=12)
    return rows.map(lambda rows: [(1, "add", "a", 1.0), *sorted(rows, key=lambda row: row[0])])


TIGHT = st.lists(
    st.tuples(
        st.integers(1, 30).map(lambda at: 2 * at),
        st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0, 3.7, 8.0]),
        st.sampled_from([0, 0, 1, 2, 5]),
        LUCK,
    ),
    max_size=40,
)
MS = 1_000_000
LOOSE = st.lists(
    st.tuples(
        st.integers(1, 2_000).map(lambda at: at * 2 * MS),
        st.floats(0, 500 * MS),
        st.integers(0, 300 * MS),
        LUCK,
    ),
    max_size=40,
)


@settings(deadline=None, max_examples=300)
@given(service=SERVICES, rows=TIGHT, control=changes(40, 1))
def test_all_say_the_same_when_everything_happens_at_once(
    service: Service, rows: list[Any], control: list[Change]
) -> None:
    expected = by_movements(service, Listed(rows), control, 200)
    assert in_bulk(service, Listed(rows), control, 200, compiled=False) == expected
    assert in_bulk(service, Listed(rows), control, 200, compiled=True) == expected


@settings(deadline=None, max_examples=150)
@given(service=SERVICES, rows=LOOSE, control=changes(2_000, MS), scale=st.sampled_from([1, 50]))
def test_all_say_the_same_over_seconds(
    service: Service, rows: list[Any], control: list[Change], scale: int
) -> None:
    timeout_ns = service.timeout_ns and service.timeout_ns * scale * MS
    longer = Service(
        service.discipline, service.workers, service.max_requests, timeout_ns, service.routing
    )
    end_ns = 20 * SECOND
    expected = by_movements(longer, Listed(rows), control, end_ns)
    assert in_bulk(longer, Listed(rows), control, end_ns, compiled=False) == expected
    assert in_bulk(longer, Listed(rows), control, end_ns, compiled=True) == expected


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_where_the_work_is_cut_is_of_no_consequence(discipline: Any) -> None:
    rows = [
        (at * 7 * MS + 2, (at % 13) * 4.0 * MS, (at % 5) * 3 * MS, at % 10 / 10)
        for at in range(900)
    ]
    service = Service(discipline, timeout_ns=400 * MS)
    whole = FastRequests(service, Listed(rows), record=Record(keep_requests=True), compiled=False)
    cut = FastRequests(service, Listed(rows), record=Record(keep_requests=True), compiled=True)
    for requests in (whole, cut):
        requests.add_replica("a", 1.5)
        requests.add_replica("b", 2.0)
    whole.advance(8 * SECOND)
    for step in range(1, 801):
        cut.advance(step * 10 * MS)
        cut.replicas()
    assert outcome(cut) == outcome(whole)
