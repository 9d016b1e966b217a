"""The plugin arguments inside a configuration, decoded once the configuration is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.scheduler.config import plugin_args, reading
from kubestage.scheduler.config.failure import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.scheduler.config.reading import Decoded, Read


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
        return plugin_args.decode(name, raw, version, versions)
    except ConfigError as error:
        raise reading.problem(f"decoding {about}: {error.problem}") from None


def _refused(about: str, name: str, strict: Collection[str]) -> str:
    """Each layer of decoders says so once more."""
    args = f"decoding args for plugin {name}: {reading.strict_problem(strict)}"
    return f"decoding {about}: {reading.strict_problem([args])}"
