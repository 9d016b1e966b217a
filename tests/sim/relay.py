"""A small model for the tests: entities wander at random between plain stocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.sim import ArrayStock, Entity, Environment, MapStock, Model, Movement, Streams

if TYPE_CHECKING:
    import random

TraceLine = tuple[int, str, str, str, str]


class Field(ArrayStock[Entity]):
    """Whoever enters is sent on; those inside stand in line."""

    def __init__(self, name: str, relay: Relay, chance: random.Random) -> None:
        super().__init__(name, "Wanderer")
        self.relay = relay
        self.chance = chance

    def add(self, entity: Entity) -> None:
        super().add(entity)
        self.relay.send_on(self, entity, self.chance)


class Inn(MapStock[Entity]):
    """Whoever enters is sent on; those inside are known by name."""

    def __init__(self, name: str, relay: Relay, chance: random.Random) -> None:
        super().__init__(name, "Wanderer")
        self.relay = relay
        self.chance = chance

    def add(self, entity: Entity) -> None:
        super().add(entity)
        self.relay.send_on(self, entity, self.chance)


class Relay(Model):
    """Some fields and inns, and the wanderers between them."""

    def __init__(
        self, environment: Environment, streams: Streams, places: int = 4, wanderers: int = 5
    ) -> None:
        super().__init__(environment, "relay")
        home: ArrayStock[Entity] = self.own(ArrayStock("home", "Wanderer"))
        self.places: list[Field | Inn] = []
        for number in range(places):
            chance = streams.stream(f"place-{number}")
            kind = Inn if number % 2 else Field
            self.places.append(self.own(kind(f"place-{number}", self, chance)))
        self.wanderers = [Entity(f"wanderer-{number}", "Wanderer") for number in range(wanderers)]
        for number, wanderer in enumerate(self.wanderers):
            home.add(wanderer)
            to_stock = self.places[number % len(self.places)]
            environment.add_to_schedule(Movement("set_out", 1 + number, home, to_stock))

    def send_on(self, stock: Field | Inn, entity: Entity, chance: random.Random) -> None:
        """Let the entity go to some place after some time; at times, let the stock choose whom."""
        occurs_at = self.environment.current_movement_time + chance.randrange(4)
        what = entity if chance.random() < 0.95 else None
        self.environment.schedule("wander", occurs_at, stock, chance.choice(self.places), what)


def build(seed: int = 0, halt_time: int | None = 200, **settings: int) -> Environment:
    """An Environment with a Relay in it, ready to run."""
    environment = Environment(halt_time)
    Relay(environment, Streams(seed), **settings)
    return environment


def trace(environment: Environment) -> list[TraceLine]:
    """What happened, as plain values that compare equal across processes."""
    return [
        (occurs_at, moved.kind, entity.name, moved.from_stock.name, moved.to_stock.name)
        for occurs_at, moved, entity in environment.completed_movements
    ]
