"""Object literals of mutations: ``Object{spec: Object.spec{replicas: 2}}`` and ``JSONPatch{...}``.

The CEL library builds messages of known types only. So a literal is written as a map with the name
of its type under a key of its own, and becomes plain JSON again when it has been evaluated.
"""

from __future__ import annotations

import re
from typing import Any, Final

from kubestage.errors import MalformedValue

TYPE_KEY: Final = "__type__"
_ROOTS: Final = ("Object", "JSONPatch")
_TOKEN: Final = re.compile(
    r"""(?P<comment>//[^\n]*)
    |(?P<string>[rRbB]{0,2}(?:\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''
        |"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))
    |(?P<quoted>`[^`\n]*`)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<space>\s+)
    |(?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)


class LiteralError(MalformedValue):
    """A literal whose types do not fit where it stands."""


class _Rewriter:
    """One pass over the tokens of an expression."""

    def __init__(self, text: str) -> None:
        self._tokens = [(each.lastgroup or "", each[0]) for each in _TOKEN.finditer(text)]
        self._at = 0
        # For every open bracket: whether it is a literal's, and a key is expected in it.
        self._open: list[bool | None] = []

    def rewritten(self) -> str:
        out: list[str] = []
        before = ""
        while self._at < len(self._tokens):
            kind, text = self._tokens[self._at]
            name = self._type_name() if text in _ROOTS and before != "." else ""
            if name:
                out.append(self._opened(name))
                before = "{"
                continue
            out.append(self._token(kind, text))
            if kind not in ("space", "comment"):
                before = text
            self._at += 1
        return "".join(out)

    def _type_name(self) -> str:
        """The type of a literal that begins here, and go on behind its bracket; else nothing."""
        at = self._at
        parts: list[str] = []
        while at < len(self._tokens):
            kind, text = self._tokens[at]
            if kind == "space" or text == ".":
                at += 1
            elif kind in ("name", "quoted") and (not parts or self._after_dot(at)):
                parts.append(text.strip("`"))
                at += 1
            else:
                break
        if at < len(self._tokens) and self._tokens[at][1] == "{":
            self._at = at + 1
            return ".".join(parts)
        return ""

    def _after_dot(self, at: int) -> bool:
        signs = [text for kind, text in self._tokens[:at] if kind != "space"]
        return signs[-1] == "."

    def _opened(self, name: str) -> str:
        self._open.append(True)
        rest = (each for each in self._tokens[self._at :] if each[0] not in ("space", "comment"))
        is_empty = next(rest, ("", ""))[1] == "}"
        return f'{{"{TYPE_KEY}": "{name}"{"" if is_empty else ", "}'

    def _token(self, kind: str, text: str) -> str:
        if kind == "sign":
            if text in "({[":
                self._open.append(None)
            elif text in ")}]" and self._open:
                self._open.pop()
            elif self._open and self._open[-1] is not None and text in ":,":
                self._open[-1] = text == ","
        elif self._open and self._open[-1] and kind in ("name", "quoted"):
            return '"' + text.strip("`") + '"'
        return text


def as_maps(text: str) -> str:
    """An expression with its literals written as maps."""
    return _Rewriter(text).rewritten() if any(root in text for root in _ROOTS) else text


def check_types(value: Any, path: str) -> None:
    """Refuse a literal of another type than its place has: ``Object.spec`` below ``spec``."""
    if isinstance(value, list):
        for item in value:
            check_types(item, path)
    elif isinstance(value, dict):
        name = value.get(TYPE_KEY)
        if name is not None and name != path:
            raise LiteralError(
                f'unexpected type name "{name}", expected "{path}", which matches field name '
                "path from root Object type"
            )
        for key, item in value.items():
            if key != TYPE_KEY:
                check_types(item, path if name is None else f"{path}.{key}")


def plain(value: Any) -> Any:
    """A value without the names of types, its keys in order."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(value[key]) for key in sorted(value) if key != TYPE_KEY}
    return value
