"""One run of a template that separates what it pasted from its own text.

Object templates are rendered once per object, and most renderings of one template differ only in
names and numbers. A trace is the text with those left out, so that two objects whose traces are
equal have the same structure (see `forms`, which says why).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.clusterloader.templating import safety, walking
from kubestage.golang.template import Function, printing
from kubestage.golang.template.values import ANY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.golang.template import Template

MARK: Final = re.compile(r"zq[SV](\d+)qz")
_HINT: Final = "zq"
_DIRECT: Final = "PasteDirect"
_SEEDED: Final = "PasteSeeded"
_COMPUTED: Final = "PasteComputed"
# Letters and digits at both ends, and nothing within that YAML gives a meaning there.
_HARMLESS: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,298}[A-Za-z0-9])?")
_MOST: Final = 1000
_STRING_MARKS: Final = tuple(f"zqS{index}qz" for index in range(_MOST))
_VALUE_MARKS: Final = tuple(f"zqV{index}qz" for index in range(_MOST))


class Trace:
    """What a run pasted: `pasted` in the order of their marks in `text`.

    `notes` are the strings that went into what was pasted without a mark. Text and notes together
    say all that decides the structure of the rendering and of the guard's two other runs.
    """

    __slots__ = ("_strings", "is_whole", "notes", "pasted", "text")

    def __init__(self, template: Template, data: Mapping[str, Any]) -> None:
        self.pasted: list[str] = []
        self.notes: list[str] = []
        self.is_whole = True
        self._strings: list[str] = []
        functions = {
            safety.FUNCTION: Function(self._operand, (ANY,)),
            _DIRECT: Function(self._direct, (ANY,)),
            _SEEDED: Function(self._seeded, (ANY,)),
            _COMPUTED: Function(self._computed, (ANY,)),
        }
        self.text = template.execute(data, functions)

    @property
    def key(self) -> tuple[str, ...]:
        """What is equal for renderings of the same structure."""
        return (self.text, *self.notes)

    def rendered(self) -> str:
        """The text with what was pasted."""
        return MARK.sub(self._paste, self.text) if self.pasted else self.text

    def _paste(self, match: re.Match[str]) -> str:
        return self.pasted[int(match[1])]

    def _operand(self, value: Any) -> Any:
        if isinstance(value, str | list | dict):
            self._strings.append(repr(value))
        return value

    def _direct(self, value: Any) -> str:
        self._strings.clear()
        if isinstance(value, str):
            return self._marked(value, _STRING_MARKS)
        if isinstance(value, list | dict):
            self.notes.append(repr(value))
            return self._verbatim(printing.text(value))
        return self._plain(value)

    def _seeded(self, value: str) -> str:
        """A text of letters and digits, whatever the seed.

        The guard's second run makes it of the seed ``baseline``, which gives a text that begins
        with a Q: no number, word or time of YAML has one, so a scalar with it is a string.
        """
        self.notes.extend(self._strings)
        self._strings.clear()
        return self._marked(value, _STRING_MARKS)

    def _computed(self, value: Any) -> str:
        if not self._strings:
            return self._plain(value)
        self.notes.extend(self._strings)
        self._strings.clear()
        return self._verbatim("<no value>" if value is None else printing.text(value))

    def _plain(self, value: Any) -> str:
        if value is None:
            return "<no value>"
        return self._marked(printing.text(value), _VALUE_MARKS)

    def _marked(self, text: str, marks: tuple[str, ...]) -> str:
        count = len(self.pasted)
        if count < _MOST and _HARMLESS.fullmatch(text) is not None:
            self.pasted.append(text)
            return marks[count]
        self.notes.append(f"{marks[0][2]}{text!r}")
        return self._verbatim(text)

    def _verbatim(self, text: str) -> str:
        if _HINT not in text:
            return text
        # Long random data has anything in it: what could be taken for a mark hides behind one.
        self.is_whole = False
        self.pasted.append(text)
        return f"zqS{len(self.pasted) - 1}qz"


def prepared(template: Template) -> Template | None:
    """A template that can be traced; None if its own text could be taken for a mark."""
    return None if _HINT in template.text else walking.traced(template, _DIRECT, _SEEDED, _COMPUTED)
