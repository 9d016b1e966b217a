"""Plugin arguments of release v1.18 as today's plugins take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import go_decoder
from kubestage.scheduler import registry
from kubestage.scheduler.config import reading
from kubestage.scheduler.config.failure import ConfigError
from kubestage.scheduler.config.older.successors import SPREADING, STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.scheduler.config.model import PluginSet

_FIT: Final = "NodeResourcesFit"
_SPREAD: Final = "PodTopologySpread"


def converted_args(
    plugins: Mapping[str, PluginSet], configs: Sequence[tuple[str, Any]]
) -> list[tuple[str, Any]]:
    """The arguments under today's names; `plugins` are still under those of v1.18.

    Names that repeat stay, to be refused later.
    """
    out = [(name, _typed(name, args)) for name, args in configs if name not in STRATEGIES]
    scoring = [plugin.name for plugin in plugins["score"].enabled]
    strategies = [name for name in scoring if name in STRATEGIES]
    if strategies:
        stated = next((args for name, args in configs if name == strategies[0]), None)
        _merge(out, _FIT, {"scoringStrategy": _strategy(strategies, stated)})
    if any(plugin.name == _SPREAD for each in plugins.values() for plugin in each.enabled):
        constraints = next((args for name, args in out if name == _SPREAD), None) or {}
        if "defaultingType" not in constraints:
            listed = constraints.get("defaultConstraints") or not SPREADING.intersection(scoring)
            _merge(out, _SPREAD, {"defaultingType": "List" if listed else "System"})
    return out


def _typed(name: str, args: Any) -> Any:
    """Arguments of a plugin of ours, checked; release v1.18 let unknown fields pass."""
    if registry.arguments_of(name) is None:
        return args
    return _decoded(f"config/v1.{name}Args", name, args)


def _decoded(struct: str, name: str, args: Any) -> dict[str, Any]:
    try:
        decoded = reading.decode(struct, go_decoder.pairs(args))
    except ConfigError as error:
        raise reading.problem(f"decoding args for plugin {name}: {error.problem}") from None
    return {key: value for key, value in decoded.object.items() if value is not None}


def _strategy(names: Sequence[str], args: Any) -> dict[str, Any]:
    if len(set(names)) > 1:
        raise ConfigError(
            "validate",
            f"plugins.score: {' and '.join(names)} cannot both be kept",
            fix="NodeResourcesFit, which does their work today, has one scoring strategy",
        )
    strategy: dict[str, Any] = {"type": STRATEGIES[names[0]]}
    stated = _decoded("policy/v1.RequestedToCapacityRatioArguments", names[0], args)
    if "resources" in stated:
        strategy["resources"] = stated["resources"]
    if strategy["type"] == "RequestedToCapacityRatio":
        strategy["requestedToCapacityRatio"] = {"shape": stated.get("shape")}
    return strategy


def _merge(configs: list[tuple[str, Any]], name: str, args: dict[str, Any]) -> None:
    for place, (each, stated) in enumerate(configs):
        if each == name:
            configs[place] = (name, {**(stated or {}), **args})
            return
    configs.append((name, args))
