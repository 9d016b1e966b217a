"""The plugin arguments inside a configuration, decoded once the configuration is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import go_decoder
from kubestage.scheduler import registry
from kubestage.scheduler.config import reading, wire_types
from kubestage.scheduler.config.failure import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.scheduler.config.reading import Decoded, Read

_TYPED: Final = ("v1", "v1beta3", "v1beta2")
"""Versions that give arguments a type; to the others they are any JSON."""


def decode(found: Read, versions: Collection[str]) -> Decoded:
    """The object with its profiles' plugin arguments decoded, and what strictness refuses."""
    decoded = found.decoded
    strict, fix = [*decoded.strict], decoded.fix
    profiles = []
    for index, profile in enumerate(decoded.object.get("profiles") or ()):
        configs = []
        for place, config in enumerate((profile or {}).get("pluginConfig") or ()):
            name, about = (
                (config or {}).get("name", ""),
                f".profiles[{index}].pluginConfig[{place}]",
            )
            args, inner = _args(about, name, (config or {}).get("args"), found.version, versions)
            configs.append({"name": name, "args": args})
            if inner.strict:
                strict.append(_refused(about, name, inner.strict))
                fix = fix or inner.fix
        profiles.append({**(profile or {}), "pluginConfig": configs})
    obj = {**decoded.object, "profiles": profiles} if profiles else decoded.object
    return reading.Decoded(obj, tuple(strict), fix)


def _args(
    about: str, name: str, raw: Any, version: str, versions: Collection[str]
) -> tuple[Any, Decoded]:
    try:
        return _decode_args(name, raw, version, versions)
    except ConfigError as error:
        raise reading.problem(f"decoding {about}: {error.problem}") from None


def _refused(about: str, name: str, strict: Collection[str]) -> str:
    """Each layer of decoders repeats it."""
    args = f"decoding args for plugin {name}: {reading.strict_problem(strict)}"
    return f"decoding {about}: {reading.strict_problem([args])}"


def _decode_args(
    plugin: str, raw: Any, version: str, versions: Collection[str]
) -> tuple[Any, reading.Decoded]:
    """A plugin's arguments as written, not yet defaulted, and how they decoded.

    The arguments are None where there are none, and plain JSON for a plugin that is not ours.
    """
    kind = f"{plugin}Args"
    if not wire_types.is_kind(version, kind):
        if registry.arguments_of(plugin) is None or version not in _TYPED:
            return go_decoder.plain(raw), reading.Decoded({})
        version = "v1"
    about = f"decoding args for plugin {plugin}"
    try:
        found = reading.read(raw, "", versions, (version, kind))
    except ConfigError as error:
        raise reading.problem(f"{about}: {error.problem}") from None
    if found.kind != kind:
        expected, got = (f"{name}.{wire_types.GROUP}" for name in (kind, found.kind))
        raise reading.problem(f"args for plugin {plugin} were not of type {expected}, got {got}")
    return found.decoded.object, found.decoded
