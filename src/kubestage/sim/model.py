"""The rest of a simulation: what owns the stocks and wires them together."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from kubestage.errors import SimulationError

if TYPE_CHECKING:
    from kubestage.sim.environment import Environment
    from kubestage.sim.stock import Stock

S = TypeVar("S", bound="Stock")


class Model:
    """Owns stocks, wires them, and holds what little state is not in a stock.

    Logic is kept out of it: what can be a Movement is one, special cases live in a stock's
    ``add`` and ``remove``. A model is known to its Environment by name, which is how its
    counterpart is found again in a fork: ``environment.fork().models[name]``.
    """

    def __init__(self, environment: Environment, name: str) -> None:
        if name in environment.models:
            raise SimulationError(f"the Environment already has a model named {name}")
        self.environment = environment
        self.name = name
        self.stocks: dict[str, Stock] = {}
        environment.models[name] = self

    def own(self, stock: S) -> S:
        """Count the stock among this model's, under its name, and hand it back."""
        if stock.name in self.stocks:
            raise SimulationError(f"{self.name} already owns a stock named {stock.name}")
        self.stocks[stock.name] = stock
        return stock
