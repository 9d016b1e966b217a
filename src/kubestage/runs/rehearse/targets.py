"""Which nodes are meant: names, a selector, a pool, a zone, or all."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError, MalformedValue
from kubestage.objects import gvk, labels, node_pools
from kubestage.runs.rehearse import findings
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.stage import Stage

ALL: Final = "all"
_GROUPS: Final = {"zone": "zone", "pool": "pool", "nodegroup": "pool"}
ZONES: Final = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")


def nodes(stage: Stage, words: Sequence[str]) -> list[str]:
    """The nodes of ``all``, ``node-1 node-2``, ``node/a``, ``zone/b``, ``pool/x`` or ``a=b,c``."""
    if not words:
        raise InputError("no node is named", fix="name nodes, a selector as in zone=b, or all")
    known = stage.store.read(gvk.NODE)
    if not known:
        raise InputError("the cluster has no nodes", fix="add a file with nodes, or --nodes 5")
    found = [name for word in words for name in _of_word(known, word)]
    return list(dict.fromkeys(found))


def pool_words(stage: Stage, words: Sequence[str]) -> list[str]:
    """Words as `nodes` takes them: one that is a pool means that."""
    named = stage.store.read(gvk.NODE)
    known = {node_pools.of(node) for node in named.values()} - {""}
    found = []
    for word in words:
        is_name = word in named or word == ALL or "/" in word or _is_selector(word)
        if named and not is_name and word not in known:
            names = [*sorted(known), *sorted(named)]
            raise _unknown(word, names, "pool or node", f"there are {findings.listed(names)}")
        found.append(f"pool/{word}" if word in known and word not in named else word)
    return found


def described(names: Sequence[str], words: Sequence[str]) -> str:
    """What was named, with how many nodes that is: ``zone b (2 nodes)``."""
    number = plural(len(names), "node")
    sort, slash, name = words[0].partition("/")
    if len(words) == 1 and slash and sort in _GROUPS:
        return f"{_GROUPS[sort]} {name} ({number})"
    if len(names) == 1:
        return f"node {names[0]}"
    if list(words) == [ALL]:
        return f"all {number}"
    if list(words) == list(names):
        return f"nodes {findings.listed(names)}"
    if len(words) == 1 and _is_selector(words[0]):
        return f"{number} with {words[0]}"
    return f"{number} ({', '.join(words)})"


def capitalized(subject: str) -> str:
    """What `described` returns, at the start of a sentence."""
    return subject[:1].upper() + subject[1:]


def zone_of(node: Json) -> str:
    """The zone that a node is in, or nothing."""
    has = node["metadata"].get("labels") or {}
    return next((has[name] for name in ZONES if name in has), "")


def _of_word(known: Mapping[str, Json], word: str) -> list[str]:
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
    if _is_selector(word) or slash:
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
    fix = f"{there} {findings.listed(list(names))}" if names else f"no node has a {noun}"
    raise _unknown(name, names, noun, fix)


def _unknown(name: str, names: Sequence[str], noun: str, fix: str) -> InputError:
    """An error with the name that is most like this one, or else with `fix`."""
    lower = {each.lower(): each for each in names}
    near = difflib.get_close_matches(name.lower(), lower, 1)
    if near:
        fix = f"did you mean {lower[near[0]]}?"
    return InputError(f'there is no {noun} "{name}"', fix=fix)


def _is_selector(word: str) -> bool:
    return any(char in word for char in "=!,() ")
