"""What the CEL library says, in the API server's words."""

from __future__ import annotations

import re
from typing import Final

from kubestage.objects.cel import functions

_CODE: Final = re.compile(r"^[A-Z_]+: |(?: \[[A-Z_]+\])$")
_NO_KEY: Final = re.compile(r'^Key not found in map : "?(?P<key>.*?)"?$', re.DOTALL)
_INDEX: Final = re.compile(r"^Index error: index=(?P<at>-?\d+) size=\d+$")
_WORDS: Final = {"divide by zero": "division by zero", "modulus by zero": "modulus by zero"}


def plain(text: str) -> str:
    """The words without the codes around them."""
    return _CODE.sub("", text)


def failed(text: str) -> str:
    """Why an expression has no value."""
    words = plain(text)
    if words.startswith(("No matching overloads found", "Applying SELECT to non-message")):
        return functions.NO_OVERLOAD
    index = _INDEX.match(words)
    if index is not None:
        return f"index out of bounds: {index['at']}"
    return _NO_KEY.sub(r"no such key: \g<key>", _WORDS.get(words, words))
