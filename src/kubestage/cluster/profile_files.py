"""Profiles as files: a text with the differences to another profile."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.cluster import profiles
from kubestage.cluster.profile import INSTANT, Profile
from kubestage.errors import InputError
from kubestage.objects import yaml_documents, yaml_text

if TYPE_CHECKING:
    from kubestage.aliases import Json

EXTENDS: Final = "extends"
_PLACE: Final = re.compile(r"(?P<problem>.*?)(?: - at `\$\.?(?P<path>[^`]*)`)?", re.DOTALL)
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(?P<name>.*)`")
_HEAD: Final = "a profile is a mapping: extends: default, then the differences"


def load(text: str | bytes, file: str | None = None) -> Profile:
    """The profile of a YAML or JSON text.

    It starts with the profile that ``extends`` names, or with ``default``, and changes what the
    text states. InputError has the path of what is wrong, and the likely key.
    """
    found = yaml_documents.values(text, file)
    if len(found) != 1 or not isinstance(found[0], dict):
        raise InputError("this is not a profile", file=file, fix=_HEAD)
    return from_values(found[0], file)


def from_values(values: Json, file: str | None = None) -> Profile:
    """The profile that plain values describe."""
    extended = values.get(EXTENDS, profiles.DEFAULT.name)
    if not isinstance(extended, str):
        raise InputError(f"{extended!r} is not a name", file=file, path=EXTENDS, fix=_names())
    try:
        base = profiles.named(extended)
    except InputError as error:
        raise InputError(error.problem, file=file, path=EXTENDS, fix=error.fix) from None
    own = {key: value for key, value in values.items() if key != EXTENDS}
    own.setdefault("name", f"{extended}, changed")
    try:
        return msgspec.convert(_merged(msgspec.to_builtins(base), own), Profile)
    except InputError as error:
        raise InputError(error.problem, file=file, path=error.path, fix=error.fix) from None
    except msgspec.ValidationError as error:
        raise _explained(str(error), file) from None


def text_of(profile: Profile) -> str:
    """A profile as a text that `load` reads, with all its values, to be edited."""
    # By way of JSON, in which there are no tuples.
    values = msgspec.json.decode(msgspec.json.encode(profile))
    return yaml_text.dump({EXTENDS: INSTANT.name, **values})


def _merged(base: Json, own: Json) -> Json:
    """Stated values win; mappings are merged, so that a section may state a single value."""
    merged = dict(base)
    for key, value in own.items():
        before = merged.get(key)
        both = isinstance(before, dict) and isinstance(value, dict)
        merged[key] = _merged(before, value) if both else value  # type: ignore[arg-type] # dicts
    return merged


def _explained(text: str, file: str | None) -> InputError:
    found = _PLACE.fullmatch(text)
    assert found is not None, text
    path = found["path"] or ""
    unknown = _UNKNOWN.match(found["problem"])
    if unknown is None:
        return InputError(found["problem"], file=file, path=path or None)
    name = unknown["name"]
    close = difflib.get_close_matches(name, _keys(path), 1)
    fix = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(_keys(path))}"
    return InputError("unknown key", file=file, path=f"{path}.{name}" if path else name, fix=fix)


def _keys(path: str) -> list[str]:
    """The keys that are allowed at a path."""
    value: Any = INSTANT
    for part in path.split(".") if path else ():
        value = getattr(value, part)
    names = [field.encode_name for field in msgspec.structs.fields(value)]
    return names if path else [EXTENDS, *names]


def _names() -> str:
    return f"there are {', '.join(profiles.NAMED)}"
