"""The functions that a ClusterLoader2 template may call, besides Go's reaching.

All arithmetic is that of float64; the names that end in Int drop the fraction of the result.
"""

from __future__ import annotations

import functools
import math
import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.clusterloader.templating import simple
from kubestage.clusterloader.templating.numbers import remainder, to_float, to_int
from kubestage.errors import InputError
from kubestage.golang import rand
from kubestage.golang.template import Function, limits
from kubestage.golang.template.values import ANY, STRING, type_name
from kubestage.objects import yaml_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.clusterloader.files import Files
    from kubestage.clusterloader.templating.draws import Draws

_LETTERS_A_STEP: Final = 8
_VARIABLE: Final = re.compile(r"\$(?:\{(\w+)\}|(\w+))", re.ASCII)


def table(draws: Draws, files: Files, env: Mapping[str, str]) -> dict[str, Function]:
    """All functions, with what they draw from and read from."""
    reaching = _Functions(draws, files, env)
    return {
        **PURE,
        "RandData": Function(reaching.rand_data, (ANY,)),
        "RandInt": Function(reaching.rand_int, (ANY,)),
        "RandIntRange": Function(reaching.rand_int_range, (ANY, ANY)),
        "IncludeFile": Function(reaching.include_file, (ANY,)),
        "IncludeEmbedFile": Function(reaching.include_embed_file, (ANY,)),
        simple.FUNCTION: Function(reaching.simple, (STRING, ANY)),
    }


class _Functions:
    """The functions that reach something: random numbers, or files."""

    def __init__(self, draws: Draws, files: Files, env: Mapping[str, str]) -> None:
        self._draws = draws
        self._files = files
        self._env = env

    def rand_data(self, length: Any) -> str:
        count = to_int(length)
        limits.text(count)
        return self._draws.text(count)

    def rand_int(self, highest: Any) -> int:
        return self._draws.below(to_int(highest) + 1)

    def rand_int_range(self, lowest: Any, highest: Any) -> int:
        low, high = to_int(lowest), to_int(highest)
        return low if low >= high else low + self._draws.below(high - low + 1)

    def include_file(self, path: Any) -> str:
        text = _typed(path, str, "string")
        return self._read(_VARIABLE.sub(self._variable, text))

    def include_embed_file(self, path: Any) -> str:
        return self._read(_typed(path, str, "string"))

    def simple(self, expression: str, number: Any) -> int:
        return simple.evaluated(expression, number, self._draws)

    def _variable(self, match: re.Match[str]) -> str:
        return self._env.get(match[1] or match[2], "")

    def _read(self, path: str) -> str:
        try:
            return self._files.read(path)
        except InputError as error:
            raise ValueError(f"unable to read file: {error}") from error


def _typed(value: Any, kind: type, name: str) -> Any:
    if type(value) is not kind:
        raise ValueError(f"incorrect argument type: got: {type_name(value)} want: {name}")
    return value


def _sum(*numbers: Any) -> float:
    total = 0.0
    for number in numbers:
        total += to_float(number)
    return total


def _difference(left: Any, right: Any) -> float:
    return to_float(left) - to_float(right)


def _product(*numbers: Any) -> float:
    product = 1.0
    for number in numbers:
        product *= to_float(number)
    return product


def _quotient(dividend: Any, divisor: Any) -> float:
    left, right = to_float(dividend), to_float(divisor)
    if right == 0:
        raise ValueError("division by zero")
    return left / right


def _highest(*numbers: Any) -> float:
    return _extreme("maximum", numbers, math.inf)


def _lowest(*numbers: Any) -> float:
    return _extreme("minimum", numbers, -math.inf)


def _extreme(name: str, numbers: tuple[Any, ...], end: float) -> float:
    """The number nearest to an end, as Go sees it: the end itself before what is no number."""
    if not numbers:
        raise ValueError(f"{name} undefined")
    found = [to_float(number) for number in numbers]
    if end in found:
        return end
    if any(map(math.isnan, found)):
        return math.nan
    return max(found, key=_signed) if end > 0 else min(found, key=_signed)


def _signed(number: float) -> tuple[float, float]:
    """Orders the zero below nothing before the other one."""
    return number, math.copysign(1.0, number)


def _modulo(dividend: Any, divisor: Any) -> int:
    return remainder(to_int(dividend), to_int(divisor))


def _ceil(value: Any) -> float:
    number = to_float(value)
    return math.copysign(math.ceil(number), number) if math.isfinite(number) else number


def _default(value: Any, otherwise: Any) -> Any:
    return otherwise if value is None else value


def _if_then_else(condition: Any, then: Any, otherwise: Any) -> Any:
    return then if _typed(condition, bool, "bool") else otherwise


def _count(size: Any) -> int:
    count = to_int(size)
    if count < 0:
        raise ValueError("runtime error: makeslice: len out of range")
    limits.values(count)
    return count


def _loop(size: Any) -> list[int]:
    return list(range(_count(size)))


def _zeros(size: Any) -> list[int]:
    return [0] * _count(size)


def _split(text: str) -> list[str]:
    return text.split(",")


def _concatenated(*texts: str) -> str:
    return "".join(texts)


def _lowercase(text: str) -> str:
    """Letter by letter, as Go does it: no letter becomes two, and none knows its neighbours."""
    return text.lower() if text.isascii() else "".join(each.lower()[0] for each in text)


def _yaml_quote(text: Any, indent: Any) -> str:
    plain, steps = _typed(text, str, "string"), _typed(indent, int, "int")
    if steps < 0:
        raise ValueError("strings: negative Repeat count")
    written = yaml_text.dump(plain)
    limits.text(2 * steps * written.count("\n"))
    return written.replace("\n", "\n" + "  " * steps)


def _data_with_seed(length: Any, seed: Any) -> str:
    count = to_int(length)
    if count == 0:
        return ""
    if type(seed) is not str:
        raise ValueError(f"interface conversion: interface {{}} is {type_name(seed)}, not string")
    if count < 0:
        raise ValueError("runtime error: makeslice: len out of range")
    limits.text(count)
    limits.steps(count // _LETTERS_A_STEP)
    return rand.text_with_seed(count, seed)


def _same(value: Any) -> Any:
    return value


def _whole(call: Callable[..., float], *numbers: Any) -> int:
    return to_int(call(*numbers))


def _numeric(name: str, call: Callable[..., float], *parameters: str) -> dict[str, Function]:
    """A function of floats, and the one that drops the fraction."""
    variadic = None if parameters else ANY
    return {
        f"{name}Float": Function(call, parameters, variadic),
        f"{name}Int": Function(functools.partial(_whole, call), parameters, variadic),
    }


PURE: Final[dict[str, Function]] = {
    **_numeric("Add", _sum),
    **_numeric("Subtract", _difference, ANY, ANY),
    **_numeric("Multiply", _product),
    **_numeric("Divide", _quotient, ANY, ANY),
    **_numeric("Max", _highest),
    **_numeric("Min", _lowest),
    "Ceil": Function(_ceil, (ANY,)),
    "Concat": Function(_concatenated, (), STRING),
    "DefaultParam": Function(_default, (ANY, ANY)),
    "IfThenElse": Function(_if_then_else, (ANY, ANY, ANY)),
    "Loop": Function(_loop, (ANY,)),
    "Lowercase": Function(_lowercase, (STRING,)),
    "Mod": Function(_modulo, (ANY, ANY)),
    "RandDataWithSeed": Function(_data_with_seed, (ANY, ANY)),
    "Seq": Function(_zeros, (ANY,)),
    "SliceOfZeros": Function(_zeros, (ANY,)),
    "StringSplit": Function(_split, (STRING,)),
    "StructuralData": Function(_same, (ANY,)),
    "YamlQuote": Function(_yaml_quote, (ANY, ANY)),
}
