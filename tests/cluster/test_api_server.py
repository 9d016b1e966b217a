"""Who is served when: seats, cores, the line before them, and what it does to latency."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

from kubestage.cluster.api_server import ApiServer
from kubestage.cluster.listed import Listed
from kubestage.cluster.profile import ApiSection, EtcdSection, Profile
from kubestage.objects.kinds import KindTable
from kubestage.sim.streams import Streams

if TYPE_CHECKING:
    from kubestage.cluster.endpoints import Endpoint

MS = 1_000_000
POD = KindTable().of({"apiVersion": "v1", "kind": "Pod"})


def server(seats: int = 2, etcd: str = "0s", seed: int = 0, **api: object) -> ApiServer:
    section = ApiSection(
        max_requests_inflight=seats,
        max_mutating_requests_inflight=0,
        **{"create": "10ms", **api},  # type: ignore[arg-type] # what each test is about
    )
    return ApiServer(Profile(api=section, etcd=EtcdSection(write=etcd)), Streams(seed))


def create(api: ApiServer) -> Endpoint:
    return api.endpoints.find("POST", POD)


def ends(api: ApiServer, *arrivals_ms: int) -> list[float]:
    turns = [api.take(create(api), at * MS) for at in arrivals_ms]
    return [turn.ends_ns / MS for turn in turns if turn.is_served]


def test_a_call_that_finds_no_seat_waits_for_the_first_that_gets_free() -> None:
    assert ends(server(), 1, 2, 3, 4) == [11, 12, 21, 22]


def test_calls_are_served_in_the_order_in_which_they_arrive() -> None:
    api = server(seats=3, create="exp(10ms)")
    turns = [api.take(create(api), at * MS) for at in range(1, 500)]
    begins = [at * MS + turn.waited_ns for at, turn in enumerate(turns, 1) if turn.is_served]
    assert len(begins) == 499
    assert begins == sorted(begins)
    assert max(begins) > 500 * MS


def test_no_more_calls_are_under_way_than_there_are_seats() -> None:
    api = server(seats=5, create="exp(10ms)")
    spans = []
    for at in range(1, 400):
        turn = api.take(create(api), at * MS)
        assert turn.is_served
        spans.append((at * MS + turn.waited_ns, turn.ends_ns))
    for begun, _ in spans:
        under_way = sum(begin <= begun < end for begin, end in spans)
        assert under_way <= 5


def test_the_mean_wait_is_that_of_an_mmc_queue() -> None:
    rate, mean_s, seats, count = 240.0, 0.010, 4, 60_000
    api = server(seats=seats, create="exp(10ms)", seed=7)
    chance, now_ns, waited_ns = random.Random(7), 0, 0
    for _ in range(count):
        now_ns += round(chance.expovariate(rate) * 1e9)
        turn = api.take(create(api), now_ns)
        assert turn.is_served
        waited_ns += turn.waited_ns
    offered = rate * mean_s
    last = offered**seats / math.factorial(seats) * seats / (seats - offered)
    waits = last / (sum(offered**k / math.factorial(k) for k in range(seats)) + last)
    expected_ms = waits / (seats / mean_s - rate) * 1e3
    assert abs(waited_ns / count / MS / expected_ms - 1) < 0.12


def test_a_call_waits_for_a_core_while_it_holds_its_seat_and_not_while_it_waits_for_etcd() -> None:
    api = server(seats=10, etcd="30ms", cores=1)
    assert ends(api, 0, 0, 0) == [40, 50, 60]


def test_what_is_refused_is_what_finds_the_line_full() -> None:
    api = server(seats=1, max_queued=2)
    answers = [api.take(create(api), 0).is_served for _ in range(5)]
    assert answers == [True, True, True, False, False]
    assert api.refused == 2
    assert api.take(create(api), 11 * MS).is_served, "one of those in line has had its turn"


def test_a_long_list_takes_several_seats_and_nobody_passes_it() -> None:
    api = server(seats=4, list="10ms", list_per_object="100us")
    listing = api.endpoints.find("LIST", POD, scope="cluster")
    first = api.take(create(api), 0)
    long = api.take(listing, 0, lists=Listed(200))
    after = api.take(create(api), 0)
    assert all(each.is_served for each in (first, long, after))
    assert long.waited_ns // MS == 10, "four seats are free when the first call is done"
    assert long.ends_ns // MS == 40
    assert after.waited_ns >= long.waited_ns


def test_calls_of_components_make_others_wait() -> None:
    api = server(seats=2)
    for _ in range(2):
        api.count(create(api), 0)
    assert ends(api, 0) == [20]
    assert sum(create(api).duration.counts) == 2, "and are in the histograms at once"


def test_calls_of_components_that_are_too_many_do_not_pile_up_for_ever() -> None:
    api = server(seats=1)
    for _ in range(100_000):
        api.count(create(api), 0)
    turn = api.take(create(api), 0)
    assert turn.is_served
    assert turn.waited_ns <= 1000 * MS


def test_heartbeats_leave_less_of_the_cores() -> None:
    api = server(cores=2)
    api.set_background([(create(api), 100.0)])
    assert ends(api, 0) == [20]
    api.set_background([])
    assert ends(api, 100) == [110]


def test_what_is_owed_is_counted_once_with_its_latency() -> None:
    api = server(etcd="5ms")
    create(api).owed = 1_000
    api.settle()
    api.settle()
    assert create(api).codes == {201: 1_000}
    assert sum(create(api).duration.counts) == 1_000
    assert math.isclose(create(api).duration.total, 15.0)


def test_reads_and_writes_under_way_are_told_apart() -> None:
    api = server(seats=10, get="10ms")
    api.take(api.endpoints.find("GET", POD), 0)
    for _ in range(3):
        api.take(create(api), 0)
    assert api.in_flight(MS) == (1, 3)
    assert api.in_flight(11 * MS) == (0, 0)


def test_those_in_line_are_known() -> None:
    api = server(seats=1)
    ends(api, 0, 0, 0)
    api.take(api.endpoints.find("GET", POD), 0)
    assert [api.in_line(at * MS) for at in (0, 11, 25, 35)] == [(1, 2), (1, 1), (1, 0), (0, 0)]


def test_where_nothing_takes_time_nobody_waits() -> None:
    api = ApiServer(Profile(), Streams(0))
    turns = [api.take(create(api), 1_000) for _ in range(2_000)]
    assert {turn.ends_ns for turn in turns if turn.is_served} == {1_000}


def test_one_whose_turn_begins_now_is_no_longer_in_line() -> None:
    api = server(seats=1, max_queued=1)
    assert ends(api, 0, 0) == [10, 20]
    assert ends(api, 10) == [30]


def test_calls_of_components_keep_cores_busy() -> None:
    api = server(seats=10, cores=1)
    api.count(create(api), 0)
    api.count(create(api), 0)
    assert ends(api, 0) == [30]
