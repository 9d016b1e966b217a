"""The context: a logger whose records carry virtual time, and values that models share."""

from __future__ import annotations

import logging

import pytest

from kubestage.errors import SimulationError
from kubestage.sim import ArrayStock, Entity, Environment


class Diary(ArrayStock[Entity]):
    """Logs whatever comes in."""

    def __init__(self, environment: Environment) -> None:
        super().__init__("Diary", "Thing")
        self.environment = environment

    def add(self, entity: Entity) -> None:
        super().add(entity)
        logger = self.environment.context.logger
        logger.info("%s came in", entity.name, extra={"colour": "red"})


def logged(environment: Environment) -> None:
    shelf: ArrayStock[Entity] = ArrayStock("Shelf", "Thing")
    shelf.add(Entity("thing-1", "Thing"))
    environment.schedule("put", 1_500_000_000, shelf, Diary(environment))
    environment.run()


def test_an_environment_has_a_logger_without_being_given_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    environment = Environment(halt_time=10**10)
    assert environment.context["logger"] is logging.getLogger("kubestage.sim")
    with caplog.at_level(logging.INFO, "kubestage.sim"):
        logged(environment)
    assert [each.getMessage() for each in caplog.records] == ["thing-1 came in"]


def test_a_record_carries_virtual_time_and_what_the_caller_adds(
    caplog: pytest.LogCaptureFixture,
) -> None:
    given = logging.getLogger("kubestage.test.virtual")
    with caplog.at_level(logging.INFO, given.name):
        logged(Environment(halt_time=10**10, context={"logger": given}))
    (record,) = caplog.records
    assert (record.name, record.colour) == (given.name, "red")  # type: ignore[attr-defined]
    assert record.virtual_ns == 1_500_000_000  # type: ignore[attr-defined]
    formatter = logging.Formatter("%(virtual_time)s %(message)s")
    assert formatter.format(record) == "1.500000000 thing-1 came in"


def test_it_is_silent_unless_somebody_configures_logging(
    capfd: pytest.CaptureFixture[str],
) -> None:
    logged(Environment(halt_time=10**10))
    assert capfd.readouterr() == ("", "")


def test_a_fork_logs_with_the_time_of_its_own_clock(caplog: pytest.LogCaptureFixture) -> None:
    environment = Environment(halt_time=10**10)
    environment.run(until_ns=5)
    fork = environment.fork()
    fork.run(until_ns=9)
    with caplog.at_level(logging.WARNING, "kubestage.sim"):
        environment.context.logger.warning("here")
        fork.context.logger.warning("there")
    times = [(each.getMessage(), each.virtual_ns) for each in caplog.records]  # type: ignore[attr-defined]
    assert times == [("here", 5), ("there", 9)]


def test_other_values_are_shared_too() -> None:
    environment = Environment(context={"speed": 3})
    assert environment.context["speed"] == 3
    assert environment.fork().context["speed"] == 3


def test_what_cannot_log_is_refused() -> None:
    with pytest.raises(SimulationError, match=r"must be a logging\.Logger, not 'stdout'"):
        Environment(context={"logger": "stdout"})
