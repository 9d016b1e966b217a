"""What holds for every graph of stocks and every order of scheduling."""

from __future__ import annotations

import bisect

import hypothesis
import hypothesis.strategies as st

from kubestage.sim import (
    ArrayStock,
    Entity,
    Environment,
    GeneratingSource,
    Movement,
    SinkStock,
)
from tests.sim import relay

seeds = st.integers(0, 2**32)
sizes = st.integers(1, 6)


@hypothesis.given(seed=seeds, places=sizes, wanderers=sizes)
def test_nothing_is_created_and_nothing_is_lost(seed: int, places: int, wanderers: int) -> None:
    environment = relay.build(seed, 100, places=places, wanderers=wanderers)
    model = environment.models["relay"]
    assert isinstance(model, relay.Relay)
    everyone = sorted(wanderer.name for wanderer in model.wanderers)
    while environment.step():
        found = [each.name for stock in model.stocks.values() for each in stock.entities_in_stock()]
        assert sorted(found) == everyone


@hypothesis.given(seed=seeds, places=sizes, wanderers=sizes)
def test_time_never_goes_back_and_every_movement_is_accounted_for(
    seed: int, places: int, wanderers: int
) -> None:
    environment = relay.build(seed, 100, places=places, wanderers=wanderers)
    scheduled = 2 + wanderers
    last = 0
    while environment.step():
        assert environment.current_movement_time >= last
        last = environment.current_movement_time
    sent_on = [line for line in relay.trace(environment) if line[4].startswith("place-")]
    scheduled += len(sent_on)
    assert environment.completed_count + environment.ignored_count == scheduled
    assert environment.pending_count == 0


@hypothesis.given(seed=seeds, places=sizes, wanderers=sizes)
def test_the_same_seed_gives_the_same_trace(seed: int, places: int, wanderers: int) -> None:
    first, second = (relay.build(seed, 100, places=places, wanderers=wanderers) for _ in range(2))
    first.run()
    second.run()
    assert relay.trace(first) == relay.trace(second)


@hypothesis.given(seed=seeds, pauses=st.lists(st.integers(0, 100)), fork_at=st.integers(0, 100))
def test_how_a_run_is_cut_up_does_not_change_it(seed: int, pauses: list[int], fork_at: int) -> None:
    whole = relay.build(seed, 100)
    whole.run()
    pieces = relay.build(seed, 100)
    for pause in sorted(pauses):
        pieces.run(until_ns=pause)
        if pause >= fork_at:
            pieces = pieces.fork()
    pieces.run()
    assert relay.trace(pieces) == relay.trace(whole)


class NaiveSchedule:
    """A sorted list of (time, number): what the schedule must agree with."""

    def __init__(self) -> None:
        self.now = 0
        self.waiting: list[tuple[int, int, int]] = []
        self.done: list[tuple[int, str]] = []
        self.last_number = 0

    def add(self, time: int, which: int) -> None:
        self.waiting = [entry for entry in self.waiting if entry[2] != which]
        if time >= self.now and time > 0:
            self.last_number += 1
            bisect.insort(self.waiting, (time, self.last_number, which))

    def cancel(self, which: int) -> None:
        self.waiting = [entry for entry in self.waiting if entry[2] != which]

    def run(self, until: int) -> None:
        while self.waiting and self.waiting[0][0] <= until:
            time, _, which = self.waiting.pop(0)
            self.done.append((time, f"number_{which}"))
        self.now = until


operations = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 9), st.integers(-1, 12)),
        st.tuples(st.just("cancel"), st.integers(0, 9), st.just(0)),
        st.tuples(st.just("run"), st.just(0), st.integers(0, 6)),
    ),
    max_size=60,
)


@hypothesis.given(operations)
def test_the_schedule_agrees_with_a_sorted_list(script: list[tuple[str, int, int]]) -> None:
    environment, naive = Environment(), NaiveSchedule()
    source = GeneratingSource("Source", "Thing", Entity)
    sink: SinkStock[Entity] = SinkStock("Sink", "Thing")
    movements = [Movement(f"number_{which}", 0, source, sink) for which in range(10)]
    for verb, which, amount in script:
        if verb == "add":
            environment.reschedule(movements[which], environment.current_movement_time + amount)
            naive.add(naive.now + amount, which)
        elif verb == "cancel":
            environment.cancel(movements[which])
            naive.cancel(which)
        else:
            naive.run(naive.now + amount)
            environment.run(environment.current_movement_time + amount)
            assert environment.pending_count == len(naive.waiting)
    environment.run()
    naive.run(10**6)
    done = [(occurs_at, moved.kind) for occurs_at, moved, _ in environment.completed_movements]
    assert done[1:] == naive.done


@hypothesis.given(st.lists(st.one_of(st.none(), st.integers(0, 5), st.just(-1)), max_size=200))
def test_an_array_stock_agrees_with_a_list(script: list[int | None]) -> None:
    stock: ArrayStock[Entity] = ArrayStock("Stock", "Thing")
    naive: list[Entity] = []
    for number, step in enumerate(script):
        if step is None:
            naive.append(Entity(f"thing-{number}", "Thing"))
            stock.add(naive[-1])
        elif step == -1:
            assert stock.remove() is (naive.pop(0) if naive else None)
        elif step < len(naive):
            assert stock.at(step) is naive[step]
            assert stock.remove(naive[step]) is naive.pop(step)
        assert list(stock.entities_in_stock()) == naive
