"""A parsed template, ready to run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kubestage.errors import LimitExceeded
from kubestage.golang.template import execution, functions, parser
from kubestage.golang.template.builtin_functions import BUILTINS
from kubestage.golang.template.failures import TemplateError, TemplateLimitError
from kubestage.golang.template.limits import GENERAL, Meter, running
from kubestage.golang.template.state import State

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.golang.template import nodes
    from kubestage.golang.template.functions import Function
    from kubestage.golang.template.limits import Limits


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """The bodies of a template and of those that it defines, and their functions."""

    name: str
    text: str
    bodies: Mapping[str, nodes.Body]
    functions: Mapping[str, Function]

    def execute(
        self,
        data: Any,
        functions: Mapping[str, Function] | None = None,
        limits: Limits = GENERAL,
    ) -> str:
        """The text that the template makes of a value; `functions` replace known ones.

        `TemplateError` says, in Go's words, what went wrong and where; it is a
        `TemplateLimitError` if the template needs more than the limits allow.
        """
        known = self.functions if functions is None else {**self.functions, **functions}
        meter = Meter(limits)
        state = State(self.name, self.bodies, known, (self.name, self.text), data, meter)
        before = running.set(meter)
        try:
            execution.run(state, self.bodies[self.name], data)
        except TemplateError:
            raise
        except LimitExceeded as problem:
            raise state.error(problem.problem, TemplateLimitError) from None
        except RecursionError:
            raise TemplateLimitError("nested too deeply", name=self.name) from None
        finally:
            running.reset(before)
        return "".join(state.out)


def parse(
    text: str,
    name: str = "",
    functions: Mapping[str, Callable[..., Any] | Function] | None = None,
) -> Template:
    """Read a template that may call these functions besides the built-in ones.

    `TemplateError` says, in Go's words, what is wrong with it.
    """
    return Template(name, text, *_read(text, name, functions or {}))


def _read(
    text: str, name: str, extra: Mapping[str, Callable[..., Any] | Function]
) -> tuple[dict[str, nodes.Body], dict[str, Function]]:
    known = {**BUILTINS, **functions.table(extra)}
    return parser.parse(text, name, known), known
