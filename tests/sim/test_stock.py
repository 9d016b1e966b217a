"""What the plain stocks promise."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import SimulationError
from kubestage.sim import ArrayStock, Entity, GeneratingSource, MapStock, SinkStock

if TYPE_CHECKING:
    from collections.abc import Callable

ThroughStock = ArrayStock[Entity] | MapStock[Entity]
THROUGH: list[Callable[[str, str], ThroughStock]] = [ArrayStock, MapStock]


def guests(count: int) -> list[Entity]:
    return [Entity(f"guest-{number}", "Guest") for number in range(count)]


@pytest.mark.parametrize("make", THROUGH)
class TestThroughStocks:
    """A Through stock has both add and remove."""

    def test_what_is_in_it_is_what_came_minus_what_went(
        self, make: Callable[[str, str], ThroughStock]
    ) -> None:
        stock = make("hall", "Guest")
        for guest in guests(5):
            stock.add(guest)
        stock.remove()
        stock.remove()
        assert stock.count == len(stock.entities_in_stock()) == 3

    def test_the_caller_may_select_which_entity_to_remove(
        self, make: Callable[[str, str], ThroughStock]
    ) -> None:
        stock = make("hall", "Guest")
        everyone = guests(4)
        for guest in everyone:
            stock.add(guest)
        assert stock.remove(everyone[2]) is everyone[2]
        assert list(stock.entities_in_stock()) == [everyone[0], everyone[1], everyone[3]]

    def test_the_caller_may_leave_the_choice_to_the_stock_which_is_first_in_first_out(
        self, make: Callable[[str, str], ThroughStock]
    ) -> None:
        stock = make("hall", "Guest")
        everyone = guests(3)
        for guest in everyone:
            stock.add(guest)
        assert [stock.remove() for _ in range(4)] == [*everyone, None]

    def test_an_entity_that_is_not_there_is_not_given_even_if_a_namesake_is(
        self, make: Callable[[str, str], ThroughStock]
    ) -> None:
        stock = make("hall", "Guest")
        stock.add(Entity("guest-0", "Guest"))
        assert stock.remove(Entity("guest-0", "Guest")) is None
        assert stock.count == 1

    def test_an_entity_of_another_kind_is_an_error_and_stays_out(
        self, make: Callable[[str, str], ThroughStock]
    ) -> None:
        stock = make("hall", "Guest")
        with pytest.raises(SimulationError, match="hall stocks Guest, so Thief rob cannot be"):
            stock.add(Entity("rob", "Thief"))
        assert stock.count == 0


class TestArrayStock:
    """The array-backed stock serves round robin."""

    def test_an_entity_is_found_by_its_position(self) -> None:
        stock: ArrayStock[Entity] = ArrayStock("hall", "Guest")
        everyone = guests(100)
        for guest in everyone:
            stock.add(guest)
        for _ in range(60):
            stock.remove()
        assert [stock.at(turn % stock.count) for turn in range(80)] == everyone[60:] * 2

    def test_removing_a_named_entity_leaves_the_others_in_their_order(self) -> None:
        stock: ArrayStock[Entity] = ArrayStock("hall", "Guest")
        everyone = guests(5)
        for guest in everyone:
            stock.add(guest)
        stock.remove()
        stock.remove(everyone[2])
        assert list(stock.entities_in_stock()) == [everyone[1], everyone[3], everyone[4]]

    @pytest.mark.parametrize("position", [-1, 2])
    def test_a_position_beyond_the_line_is_an_error(self, position: int) -> None:
        stock: ArrayStock[Entity] = ArrayStock("hall", "Guest")
        for guest in guests(2):
            stock.add(guest)
        with pytest.raises(SimulationError, match=f"holds 2: no position {position}"):
            stock.at(position)

    def test_a_long_line_keeps_its_order_while_it_moves_up(self) -> None:
        stock: ArrayStock[Entity] = ArrayStock("hall", "Guest")
        everyone = guests(1000)
        left = []
        for number, guest in enumerate(everyone):
            stock.add(guest)
            if number % 3:
                left.append(stock.remove())
        assert [*left, *stock.entities_in_stock()] == everyone

    def test_those_who_left_are_not_remembered(self) -> None:
        stock: ArrayStock[Entity] = ArrayStock("hall", "Guest")
        for guest in guests(10_000):
            stock.add(guest)
            stock.remove()
        assert len(pickle.dumps(stock)) < 5_000


class TestMapStock:
    """The map-backed stock serves those who name the entity."""

    def test_an_entity_is_found_by_its_name(self) -> None:
        stock: MapStock[Entity] = MapStock("hall", "Guest")
        guest = Entity("ann", "Guest")
        stock.add(guest)
        assert stock.get("ann") is guest
        assert stock.get("bob") is None

    def test_a_name_that_is_taken_is_an_error_and_the_first_one_stays(self) -> None:
        stock: MapStock[Entity] = MapStock("hall", "Guest")
        guest = Entity("ann", "Guest")
        stock.add(guest)
        for another in (guest, Entity("ann", "Guest")):
            with pytest.raises(SimulationError, match="already holds a Guest ann"):
                stock.add(another)
        assert list(stock.entities_in_stock()) == [guest]


class TestSourceStocks:
    """A Source has remove and no add; typically it generates."""

    def test_each_removal_makes_a_new_entity(self) -> None:
        source = GeneratingSource("door", "Guest", Entity)
        made = [source.remove(), source.remove()]
        assert [(guest.name, guest.kind) for guest in made if guest] == [
            ("guest-1", "Guest"),
            ("guest-2", "Guest"),
        ]
        assert source.generated == 2

    def test_it_holds_nothing_so_nothing_in_particular_can_be_taken_from_it(self) -> None:
        source = GeneratingSource("door", "Guest", Entity)
        made = source.remove()
        assert source.remove(made) is None
        assert (source.count, list(source.entities_in_stock())) == (0, [])

    def test_nothing_can_be_put_back(self) -> None:
        assert not hasattr(GeneratingSource("door", "Guest", Entity), "add")


class TestSinkStocks:
    """A Sink has add and no remove: what reaches it never leaves."""

    def test_it_takes_entities_and_offers_no_way_out(self) -> None:
        sink: SinkStock[Entity] = SinkStock("street", "Guest")
        everyone = guests(2)
        for guest in everyone:
            sink.add(guest)
        assert (sink.count, list(sink.entities_in_stock())) == (2, everyone)
        assert not hasattr(sink, "remove")

    def test_it_can_count_without_keeping(self) -> None:
        sink: SinkStock[Entity] = SinkStock("street", "Guest", keeps_entities=False)
        sink.add(Entity("ann", "Guest"))
        assert (sink.count, list(sink.entities_in_stock())) == (1, [])

    def test_an_entity_of_another_kind_is_an_error(self) -> None:
        sink: SinkStock[Entity] = SinkStock("street", "Guest")
        with pytest.raises(SimulationError, match="street stocks Guest"):
            sink.add(Entity("rob", "Thief"))
        assert sink.count == 0
