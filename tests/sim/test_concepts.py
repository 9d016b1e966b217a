"""The ideas of the engine, one test a sentence: entities, stocks, movements and models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import SimulationError
from kubestage.sim import (
    ArrayStock,
    Entity,
    Environment,
    GeneratingSource,
    Model,
    Movement,
    SinkStock,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


class Stack:
    """A stock written from scratch that gives up the latest comer, around a plain list."""

    def __init__(self) -> None:
        self.name = "Stack"
        self.kind_stocked = "Plate"
        self.plates: list[Entity] = []

    @property
    def count(self) -> int:
        return len(self.plates)

    def entities_in_stock(self) -> Sequence[Entity]:
        return self.plates

    def add(self, entity: Entity) -> None:
        self.plates.append(entity)

    def remove(self, what: Entity | None = None) -> Entity | None:
        return self.plates.pop() if self.plates else None


class Echo(ArrayStock[Entity]):
    """A stock from which each entity goes back to where it came from, a second later."""

    def __init__(self, environment: Environment, back: ArrayStock[Entity]) -> None:
        super().__init__("Echo", "Plate")
        self.environment = environment
        self.back = back

    def add(self, entity: Entity) -> None:
        super().add(entity)
        now = self.environment.current_movement_time
        self.environment.schedule("return", now + 10**9, self, self.back, entity)


def plates(count: int) -> ArrayStock[Entity]:
    stock: ArrayStock[Entity] = ArrayStock("Shelf", "Plate")
    for number in range(count):
        stock.add(Entity(f"plate-{number}", "Plate"))
    return stock


class TestEntities:
    def test_an_entity_has_a_name_and_a_kind_and_no_logic(self) -> None:
        entity = Entity("plate-1", "Plate")
        assert (entity.name, entity.kind) == ("plate-1", "Plate")
        assert [name for name in dir(entity) if not name.startswith("_")] == ["kind", "name"]

    def test_entities_are_individually_identifiable(self) -> None:
        assert Entity("plate", "Plate") != Entity("plate", "Plate")

    def test_a_specialised_entity_carries_more_and_moves_like_any_other(self) -> None:
        class Tureen(Entity):
            litres = 3

        environment = Environment(10)
        shelf: ArrayStock[Tureen] = ArrayStock("Shelf", "Plate")
        table: SinkStock[Tureen] = SinkStock("Table", "Plate")
        shelf.add(Tureen("tureen", "Plate"))
        environment.schedule("serve", 1, shelf, table)
        environment.run()
        assert [tureen.litres for tureen in table.entities_in_stock()] == [3]


class TestStocks:
    def test_between_movements_an_entity_is_in_exactly_one_stock(self) -> None:
        environment = Environment(100)
        shelf, table = plates(1), plates(0)
        [plate] = shelf.entities_in_stock()
        for time in range(1, 9):
            ends = (shelf, table) if time % 2 else (table, shelf)
            environment.schedule("carry", time, *ends)
        while environment.step():
            homes = [stock for stock in (shelf, table) if plate in stock.entities_in_stock()]
            assert len(homes) == 1

    def test_a_stock_may_mix_entities_as_it_wishes(self) -> None:
        environment = Environment(10)
        shelf, stack = plates(3), Stack()
        table: SinkStock[Entity] = SinkStock("Table", "Plate")
        for time in (1, 2, 3):
            environment.schedule("pile", time, shelf, stack)
            environment.schedule("serve", time + 3, stack, table)
        environment.run()
        assert [plate.name for plate in table.entities_in_stock()] == [
            "plate-2",
            "plate-1",
            "plate-0",
        ]

    def test_add_is_where_special_logic_goes_and_it_may_schedule_movements(self) -> None:
        environment = Environment(3 * 10**9)
        shelf = plates(1)
        environment.schedule("call", 5, shelf, Echo(environment, shelf))
        environment.run()
        assert [moved.kind for _, moved, _ in environment.completed_movements][1:-1] == [
            "call",
            "return",
        ]
        assert shelf.count == 1

    def test_a_source_makes_entities_and_a_sink_ends_their_way(self) -> None:
        environment = Environment(10)
        source = GeneratingSource("Kiln", "Plate", Entity)
        sink: SinkStock[Entity] = SinkStock("Bin", "Plate")
        for time in (1, 2, 3):
            environment.schedule("break", time, source, sink)
        environment.run()
        assert sink.count == 3


class TestMovements:
    def test_a_movement_has_kind_time_from_and_to_and_may_name_what_to_move(self) -> None:
        shelf, table = plates(1), plates(0)
        [plate] = shelf.entities_in_stock()
        movement = Movement("carry", 5, shelf, table, plate, "with care")
        assert (movement.kind, movement.occurs_at) == ("carry", 5)
        assert (movement.from_stock, movement.to_stock) == (shelf, table)
        assert (movement.what_to_move, movement.notes) == (plate, "with care")
        assert (Movement("carry", 5, shelf, table).what_to_move) is None

    def test_kind_groups_movements_that_differ_in_particulars(self) -> None:
        environment = Environment(10)
        shelf, table, floor = plates(3), plates(0), plates(0)
        environment.schedule("carry", 1, shelf, table)
        environment.schedule("drop", 2, shelf, floor)
        environment.schedule("carry", 3, shelf, floor)
        environment.run()
        kinds = [moved.kind for _, moved, _ in environment.completed_movements]
        assert kinds.count("carry") == 2

    def test_what_to_move_decides_which_entity_moves(self) -> None:
        environment = Environment(10)
        shelf, table = plates(3), plates(0)
        second = shelf.at(1)
        environment.schedule("carry", 1, shelf, table, second)
        environment.run()
        assert list(table.entities_in_stock()) == [second]

    def test_without_it_the_from_stock_decides(self) -> None:
        environment = Environment(10)
        shelf, table = plates(3), plates(0)
        first = shelf.at(0)
        environment.schedule("carry", 1, shelf, table)
        environment.run()
        assert list(table.entities_in_stock()) == [first]

    def test_a_movement_may_lead_from_a_stock_back_into_it(self) -> None:
        class Ticktock(ArrayStock[Entity]):
            ticks = 0

            def add(self, entity: Entity) -> None:
                super().add(entity)
                self.ticks += 1

        environment = Environment(60)
        ticktock = Ticktock("Ticktock", "Clockwork")
        ArrayStock.add(ticktock, Entity("clockwork", "Clockwork"))
        for time in range(15, 60, 15):
            environment.schedule("tick", time, ticktock, ticktock)
        environment.run()
        assert (ticktock.ticks, ticktock.count) == (3, 1)


class TestModels:
    def test_a_model_owns_stocks_and_is_known_to_its_environment(self) -> None:
        environment = Environment()
        kitchen = Model(environment, "kitchen")
        shelf = kitchen.own(plates(2))
        assert environment.models == {"kitchen": kitchen}
        assert kitchen.stocks == {"Shelf": shelf}
        assert kitchen.environment is environment

    def test_two_models_cannot_share_a_name(self) -> None:
        environment = Environment()
        Model(environment, "kitchen")
        with pytest.raises(SimulationError, match="already has a model named kitchen"):
            Model(environment, "kitchen")

    def test_two_stocks_of_a_model_cannot_share_a_name(self) -> None:
        kitchen = Model(Environment(), "kitchen")
        kitchen.own(plates(2))
        with pytest.raises(SimulationError, match="kitchen already owns a stock named Shelf"):
            kitchen.own(plates(2))
