"""What a search varies: a number of the configuration, or a parameter of its templates."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.clusterloader.config import Config
    from kubestage.runs.load.options import LoadOptions

_PARAMS: Final = "params."
_PART: Final = re.compile(r"\[(?P<index>\d+)\]\.?|(?P<name>[^.\[\]]+)\.?|(?P<rest>.)")
# ClusterLoader2's names for what has another name in a configuration that was read.
_WORDS: Final = {
    "objectbundle": "objects",
    "templatefillmap": "fillmap",
    "namespace": "namespaces",
    "automanagednamespaces": "namespaces",
}


class Vary(msgspec.Struct, frozen=True):
    """A number that a search changes."""

    path: str

    @property
    def is_parameter(self) -> bool:
        """Whether it is a parameter of templates."""
        return self.path.startswith(_PARAMS)

    @property
    def parameter(self) -> str:
        """The name of the parameter."""
        return self.path.removeprefix(_PARAMS)

    def current(self, config: Config, mapping: dict[str, Any]) -> int | float | None:
        """The number as it is now; None for a parameter that is not set."""
        if self.is_parameter:
            found = mapping.get(self.parameter)
            return _number(found, self.path) if found is not None else None
        return _number(_walked(config, self._parts(), self.path), self.path)

    def chosen(self, options: LoadOptions, value: str | float | bool) -> LoadOptions:
        """The options with the parameter set, for templates that are yet to be rendered."""
        if not self.is_parameter:
            return options
        varied = (*options.varied, (self.parameter, value))
        return msgspec.structs.replace(options, varied=varied)

    def changed(self, config: Config, value: float) -> Config:
        """The configuration with the number changed; InputError if it has none there."""
        if self.is_parameter:
            return config
        _check_number(_walked(config, self._parts(), self.path), self.path)
        found: Config = _replaced(config, self._parts(), value, self.path)
        return found

    def check(self) -> None:
        """Refuse what is no path."""
        if self.is_parameter and not self.parameter.isidentifier():
            raise _refused(self.path, "is no parameter", "write it as in params.CL2_PODS")
        self._parts()

    def _parts(self) -> list[str | int]:
        found: list[str | int] = []
        for match in _PART.finditer(self.path):
            if match["rest"] is not None:
                raise _refused(self.path, "is no path", "write it as in tuningSets.NAME.qps")
            found.append(int(match["index"]) if match["index"] else match["name"].strip())
        if not found:
            raise _refused(self.path, "is no path", "write it as in tuningSets.NAME.qps")
        return found


def _refused(path: str, problem: str, fix: str | None = None) -> InputError:
    return InputError(f"{path}: {problem}", path="--vary", fix=fix)


def _check_number(value: Any, path: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        names = _names(value)
        fix = f"go on with one of {', '.join(names)}" if names else None
        raise _refused(path, "is no number", fix)


def _number(value: Any, path: str) -> int | float:
    _check_number(value, path)
    number: int | float = value
    if number <= 0:
        raise _refused(path, f"is {number}, and a search needs a number above 0", "use --from")
    return number


def _plain(name: str) -> str:
    word = name.replace("_", "").replace("-", "").lower()
    return _WORDS.get(word, word)


def _names(value: Any) -> list[str]:
    """What can be written after a path."""
    if isinstance(value, msgspec.Struct):
        return [_camel(each) for each in value.__struct_fields__ if not each.endswith("_ns")]
    if isinstance(value, dict):
        return list(map(str, value))
    if isinstance(value, tuple):
        named = [getattr(each, "name", "") for each in value]
        return [name or f"[{at}]" for at, name in enumerate(named)]
    return []


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _key(value: Any, part: str | int, path: str) -> Any:
    """The field, key or index that a part of a path names."""
    if isinstance(value, tuple):
        for at, each in enumerate(value):
            if part in (at, getattr(each, "name", None)):
                return at
    elif isinstance(value, dict) and part in value:
        return part
    elif isinstance(value, msgspec.Struct) and isinstance(part, str):
        found = _field(value, part)
        if found is not None:
            return found
    raise _refused(path, *_missing(value, part))


def _field(value: msgspec.Struct, part: str) -> str | None:
    by_word = {_plain(each): each for each in value.__struct_fields__}
    return by_word.get(_plain(part))


def _missing(value: Any, part: str | int) -> tuple[str, str | None]:
    names = _names(value)
    problem = f"there is no {part}" if names else f"there is nothing below, no {part}"
    close = difflib.get_close_matches(str(part), names, 1)
    if close:
        return problem, f"did you mean {close[0]}?"
    return problem, f"there are {_some(names)}" if names else None


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:20]) + (f" and {len(listed) - 20} more" if len(listed) > 20 else "")


def _through(value: Any, part: str | int) -> Any:
    """A tuning set has one load: its numbers may be named as if the set had them."""
    inner = getattr(value, "load", None)
    if not isinstance(inner, msgspec.Struct) or not isinstance(part, str):
        return None
    is_own = _field(value, part) is not None or _plain(part) == _plain(type(inner).__name__)
    return None if is_own else inner


def _walked(value: Any, parts: list[str | int], path: str) -> Any:
    if not parts:
        return value
    part, *rest = parts
    inner = _through(value, part)
    if inner is not None:
        return _walked(inner, parts, path)
    if _is_load_word(value, part):
        return _walked(value.load, rest, path)
    key = _key(value, part, path)
    found = getattr(value, key) if isinstance(value, msgspec.Struct) else value[key]
    return _walked(found, rest, path)


def _is_load_word(value: Any, part: str | int) -> bool:
    inner = getattr(value, "load", None)
    if not isinstance(inner, msgspec.Struct) or not isinstance(part, str):
        return False
    return _plain(part) == _plain(type(inner).__name__)


def _replaced(value: Any, parts: list[str | int], new: float, path: str) -> Any:
    if not parts:
        return int(new) if isinstance(value, int) and float(new).is_integer() else float(new)
    part, *rest = parts
    inner = _through(value, part)
    if inner is not None:
        return msgspec.structs.replace(value, load=_replaced(inner, parts, new, path))
    if _is_load_word(value, part):
        return msgspec.structs.replace(value, load=_replaced(value.load, rest, new, path))
    key = _key(value, part, path)
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.replace(
            value, **{key: _replaced(getattr(value, key), rest, new, path)}
        )
    changed = _replaced(value[key], rest, new, path)
    if isinstance(value, dict):
        return {**value, key: changed}
    return (*value[:key], changed, *value[key + 1 :])
