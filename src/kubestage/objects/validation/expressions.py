"""Rules for expressions of policies and webhooks: they compile, and are of the right type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.objects.validation import field

# NOTE: it needs a library.
with lazy.imports():
    from kubestage.objects.admission import programs, variables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


class Expressions:
    """The expressions of one policy or webhook, which may have parameters and variables."""

    def __init__(self, *, has_params: bool = False, listed: Sequence[Json] = ()) -> None:
        self._has_params = has_params
        self._listed = list(listed)

    def condition(self, text: str, path: str) -> list[FieldError]:
        """A match condition, which has no variables."""
        return self._check(text, path, "bool", 0)

    def variable(self, index: int, path: str) -> list[FieldError]:
        """A variable, which has those before it."""
        return self._check(self._listed[index]["expression"], path, "", index)

    def validation(self, text: str, path: str) -> list[FieldError]:
        """A validation."""
        return self._check(text, path, "bool")

    def message(self, text: str, path: str) -> list[FieldError]:
        """An expression that makes a message; it cannot ask the authorizer."""
        return self._check(text, path, "string", has_authorizer=False)

    def annotation(self, text: str, path: str) -> list[FieldError]:
        """The value of an audit annotation, or null for none."""
        return self._check(text, path, "string null_type")

    def mutation(self, text: str, path: str, returns: str) -> list[FieldError]:
        """What changes an object."""
        return self._check(text, path, returns)

    def _check(
        self,
        text: str,
        path: str,
        returns: str,
        known: int | None = None,
        *,
        has_authorizer: bool = True,
    ) -> list[FieldError]:
        try:
            declared = programs.with_variables(
                variables.Declarations(has_params=self._has_params), self._listed[:known]
            )
            programs.program(
                text, declared._replace(has_authorizer=has_authorizer), tuple(returns.split())
            )
        except InputError as missing:
            detail = f"expressions need the package cel-expr-python; {missing.fix}"
            return [field.forbidden(path, detail)]
        except programs.ExpressionError as error:
            return [field.invalid(path, text, str(error))]
        return []
