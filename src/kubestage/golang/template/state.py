"""One run of one template: its position, variables and output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.golang.quote import quote
from kubestage.golang.template import values
from kubestage.golang.template.failures import TemplateError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.golang.template import nodes
    from kubestage.golang.template.functions import Function
    from kubestage.golang.template.limits import Meter


class State:
    """What changes while a template runs. `node` is evaluated now: errors quote it."""

    __slots__ = (
        "bodies",
        "depth",
        "functions",
        "meter",
        "name",
        "node",
        "out",
        "texts",
        "variables",
    )

    def __init__(
        self,
        name: str,
        bodies: Mapping[str, nodes.Body],
        functions: Mapping[str, Function],
        texts: tuple[str, str],
        dot: Any,
        meter: Meter,
    ) -> None:
        self.name = name
        self.bodies = bodies
        self.functions = functions
        self.texts = texts
        self.meter = meter
        self.node: nodes.Node | None = None
        self.out: list[str] = []
        self.variables: list[list[Any]] = [["$", dot]]
        self.depth = 0

    def error(self, problem: str, kind: type[TemplateError] = TemplateError) -> TemplateError:
        """An error at the node that is evaluated."""
        parsed_name, text = self.texts
        node = self.node
        if node is None:
            return kind(problem, name=self.name)
        before = text[: node.position]
        line_start = before.rfind("\n") + 1
        column = values.size(before[line_start:])
        executing = f"executing {quote(self.name)} at <{node}>: {problem}"
        line = before.count("\n") + 1
        return kind(executing, name=parsed_name, line=line, place=f":{column}")

    def value_of(self, name: str) -> Any:
        """The value of the variable that was declared last under this name."""
        for variable in reversed(self.variables):
            if variable[0] == name:
                return variable[1]
        raise self.error(f"undefined variable: {name}")

    def assign(self, name: str, value: Any) -> None:
        """Give a new value to the variable that was declared last under this name."""
        for variable in reversed(self.variables):
            if variable[0] == name:
                variable[1] = value
                return
        raise self.error(f"undefined variable: {name}")
