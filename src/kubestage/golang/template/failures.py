"""The error of a template that cannot be read or run, in Go's words."""

from __future__ import annotations

from kubestage.errors import InputError, LimitExceeded


class TemplateError(InputError):
    """A template that cannot be read or run; the text is that of Go's ``text/template``."""

    def __init__(
        self, problem: str, *, name: str = "", line: int | None = None, place: str = ""
    ) -> None:
        super().__init__(problem, line=line, path=f"template {name}".rstrip())
        self.name = name
        self.place = place

    def __str__(self) -> str:
        where = f"{self.name}:{self.line}" if self.line is not None else self.name
        return f"template: {where}{self.place}: {self.problem}"


class TemplateLimitError(TemplateError, LimitExceeded):
    """A template that needs more than one run may use."""
