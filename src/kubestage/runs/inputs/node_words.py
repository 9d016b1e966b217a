"""Nodes in words: a name, a selector, a pool, a zone, or all."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError, MalformedValue
from kubestage.objects import labels, node_pools
from kubestage.wording import few

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.aliases import Json

ALL: Final = "all"
SORTS: Final = ("node", "nodes", "no", "zone", "pool", "nodegroup")
"""What may stand before a slash and a name."""
ZONES: Final = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")


def zone_of(node: Json) -> str:
    """The zone that a node is in, or nothing."""
    has = node["metadata"].get("labels") or {}
    return next((has[name] for name in ZONES if name in has), "")


def of_word(known: Mapping[str, Json], word: str) -> list[str]:
    """The nodes that a word means; `known` has all nodes by name."""
    if word == ALL:
        return sorted(known)
    if word in known:
        return [word]
    sort, slash, name = word.partition("/")
    if slash and "=" not in word:
        if sort in ("node", "nodes", "no"):
            return _named(known, name, sorted(known), "node")
        if sort == "zone":
            return _grouped(known, name, "zone", {key: zone_of(obj) for key, obj in known.items()})
        if sort in ("pool", "nodegroup"):
            named = {key: node_pools.of(obj) for key, obj in known.items()}
            return _grouped(known, name, "pool", named)
    if is_selector(word) or slash:
        return _selected(known, word)
    return _named(known, word, sorted(known), "node")


def _selected(known: Mapping[str, Json], word: str) -> list[str]:
    try:
        selector = labels.parse(word)
    except MalformedValue as error:
        fix = "write it as in topology.kubernetes.io/zone=b, zone/b or node/NAME"
        raise InputError(f'"{word}" is not a selector: {error}', fix=fix) from None
    found = [
        name
        for name, node in sorted(known.items())
        if selector.matches(node["metadata"].get("labels") or {})
    ]
    if not found:
        fix = "`kubestage get nodes --show-labels -f FILE` shows labels"
        raise InputError(f'no node has the labels "{word}"', fix=fix)
    return found


def _grouped(known: Mapping[str, Json], name: str, noun: str, group: dict[str, str]) -> list[str]:
    found = [key for key in sorted(known) if group[key] == name]
    if found:
        return found
    return _named({}, name, sorted({each for each in group.values() if each}), noun)


def _named(known: Mapping[str, Json], name: str, names: Sequence[str], noun: str) -> list[str]:
    if name in known:
        return [name]
    there = f"the {noun} is" if len(names) == 1 else f"the {noun}s are"
    fix = f"{there} {few(names)}" if names else f"no node has a {noun}"
    raise unknown(name, names, noun, fix)


def unknown(name: str, names: Sequence[str], noun: str, fix: str) -> InputError:
    """An error with the name that is most like this one, or else with `fix`."""
    lower = {each.lower(): each for each in names}
    near = difflib.get_close_matches(name.lower(), lower, 1)
    if near:
        fix = f"did you mean {lower[near[0]]}?"
    return InputError(f'there is no {noun} "{name}"', fix=fix)


def is_selector(word: str) -> bool:
    """Whether a word is a label selector."""
    return any(char in word for char in "=!,() ")
