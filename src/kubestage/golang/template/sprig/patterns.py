"""Functions on regular expressions."""

from __future__ import annotations

from typing import Final

from kubestage.golang.regexp import compile_pattern, quote_meta
from kubestage.golang.template import limits
from kubestage.golang.template.functions import Function
from kubestage.golang.template.values import INT, STRING

_TWO: Final = (STRING, STRING)
_FUNCTIONS: Final[dict[str, Function]] = {
    "regexMatch": Function(lambda pattern, text: compile_pattern(pattern).is_found_in(text), _TWO),
    "regexFind": Function(lambda pattern, text: compile_pattern(pattern).find(text), _TWO),
    "regexFindAll": Function(
        lambda pattern, text, limit: compile_pattern(pattern).find_all(text, limit, limits.text),
        (*_TWO, INT),
    ),
    "regexReplaceAll": Function(
        lambda pattern, text, new: compile_pattern(pattern).replace_all(
            text, new, spend=limits.text
        ),
        (*_TWO, STRING),
    ),
    "regexReplaceAllLiteral": Function(
        lambda pattern, text, new: compile_pattern(pattern).replace_all(
            text, new, is_literal=True, spend=limits.text
        ),
        (*_TWO, STRING),
    ),
    "regexSplit": Function(
        lambda pattern, text, limit: compile_pattern(pattern).split(text, limit, limits.text),
        (*_TWO, INT),
    ),
}
FUNCTIONS: Final[dict[str, Function]] = {
    **_FUNCTIONS,
    **{f"mustR{name[1:]}": call for name, call in _FUNCTIONS.items()},
    "regexQuoteMeta": Function(quote_meta, (STRING,)),
}
