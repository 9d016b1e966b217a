"""Strings: cutting, joining, changing."""

from __future__ import annotations

import re
from typing import Any, Final

from kubestage.golang.quote import quote
from kubestage.golang.template import limits, printing
from kubestage.golang.template.functions import Function
from kubestage.golang.template.values import ANY, INT, STRING, decoded, encoded

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def strings_of(value: Any) -> list[str]:
    """Any value as a list of texts; nils are left out."""
    if value is None:
        return []
    found = value if isinstance(value, list) else [value]
    limits.values(len(found))
    return [printing.text(each) for each in found if each is not None]


def _quoted(*values: Any) -> str:
    return " ".join(quote(printing.text(each)) for each in values if each is not None)


def _single_quoted(*values: Any) -> str:
    return " ".join(f"'{printing.text(each)}'" for each in values if each is not None)


def _cat(*values: Any) -> str:
    return " ".join(printing.text(each) for each in values if each is not None)


def _truncated(count: int, text: str) -> str:
    data = encoded(text)
    if count < 0:
        return decoded(data[count:])
    return decoded(data[:count])


def _substring(start: int, end: int, text: str) -> str:
    data = encoded(text)
    if start < 0:
        return decoded(data[:end])
    if end < 0 or end > len(data):
        return decoded(data[start:])
    return decoded(data[start:end])


def _indented(spaces: int, text: str) -> str:
    limits.text(spaces * (text.count("\n") + 1))
    pad = " " * spaces
    return pad + text.replace("\n", "\n" + pad)


def _numbered(parts: list[str]) -> dict[str, str]:
    return {f"_{index}": part for index, part in enumerate(parts)}


def _split(separator: str, text: str, most: int = -1) -> list[str]:
    if most == 0:
        return []
    limits.values(text.count(separator))
    if separator:
        return text.split(separator, most - 1 if most > 0 else -1)
    return list(text) if most < 0 else [*text[: most - 1], text[most - 1 :]]


def _abbreviated(width: int, text: str) -> str:
    if width < 4 or len(text) <= width:
        return text
    return f"{text[: width - 3]}..."


def _title(text: str) -> str:
    return re.sub(r"(?:^|(?<=[^\w']))\w", lambda found: found[0].upper(), text)


def _joined(text: str, mark: str) -> str:
    return mark.join(word.lower() for word in _WORDS.findall(text))


def _trim(cut: str, text: str) -> str:
    return text.strip(cut) if cut else text


def _repeated(count: int, text: str) -> str:
    limits.text(count * len(text))
    return text * count


def _replaced(old: str, new: str, text: str) -> str:
    limits.text(text.count(old) * len(new))
    return text.replace(old, new)


def _listed(mark: str, value: Any) -> str:
    texts = strings_of(value)
    limits.text(len(mark) * len(texts) + sum(map(len, texts)))
    return mark.join(texts)


_TEXT: Final = (STRING,)
_TWO: Final = (STRING, STRING)
_COUNTED: Final = (INT, STRING)

FUNCTIONS: Final[dict[str, Function]] = {
    "abbrev": Function(_abbreviated, _COUNTED),
    "trunc": Function(_truncated, _COUNTED),
    "trim": Function(str.strip, _TEXT),
    "upper": Function(str.upper, _TEXT),
    "lower": Function(str.lower, _TEXT),
    "title": Function(_title, _TEXT),
    "untitle": Function(
        lambda text: re.sub(r"(?:^|(?<=\s))\S", lambda found: found[0].lower(), text), _TEXT
    ),
    "substr": Function(_substring, (INT, INT, STRING)),
    "repeat": Function(_repeated, _COUNTED),
    "trimall": Function(_trim, _TWO),
    "trimAll": Function(_trim, _TWO),
    "trimSuffix": Function(lambda cut, text: text.removesuffix(cut), _TWO),
    "trimPrefix": Function(lambda cut, text: text.removeprefix(cut), _TWO),
    "nospace": Function(lambda text: "".join(text.split()), _TEXT),
    "initials": Function(lambda text: "".join(word[0] for word in text.split()), _TEXT),
    "swapcase": Function(str.swapcase, _TEXT),
    "snakecase": Function(lambda text: _joined(text, "_"), _TEXT),
    "kebabcase": Function(lambda text: _joined(text, "-"), _TEXT),
    "camelcase": Function(
        lambda text: "".join(word.capitalize() for word in _WORDS.findall(text)), _TEXT
    ),
    "contains": Function(lambda part, text: part in text, _TWO),
    "hasPrefix": Function(lambda part, text: text.startswith(part), _TWO),
    "hasSuffix": Function(lambda part, text: text.endswith(part), _TWO),
    "quote": Function(_quoted, (), ANY),
    "squote": Function(_single_quoted, (), ANY),
    "cat": Function(_cat, (), ANY),
    "indent": Function(_indented, _COUNTED),
    "nindent": Function(lambda spaces, text: "\n" + _indented(spaces, text), _COUNTED),
    "replace": Function(_replaced, (STRING,) * 3),
    "plural": Function(lambda one, many, count: one if count == 1 else many, (*_TWO, INT)),
    "toString": Function(printing.text, (ANY,)),
    "toStrings": Function(strings_of, (ANY,)),
    "join": Function(_listed, (STRING, ANY)),
    "sortAlpha": Function(lambda value: sorted(strings_of(value)), (ANY,)),
    "split": Function(lambda mark, text: _numbered(_split(mark, text)), _TWO),
    "splitList": Function(_split, _TWO),
    "splitn": Function(
        lambda mark, most, text: _numbered(_split(mark, text, most)), (STRING, INT, STRING)
    ),
}
