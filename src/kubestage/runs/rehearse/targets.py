"""Which nodes are meant: names, a selector, a pool, a zone, or all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.objects import gvk, node_pools
from kubestage.runs.inputs import node_words
from kubestage.runs.rehearse import findings
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.stage import Stage

_GROUPS: Final = {"zone": "zone", "pool": "pool", "nodegroup": "pool"}


def nodes(stage: Stage, words: Sequence[str]) -> list[str]:
    """The nodes of ``all``, ``node-1 node-2``, ``node/a``, ``zone/b``, ``pool/x`` or ``a=b,c``."""
    if not words:
        raise InputError("no node is named", fix="name nodes, a selector as in zone=b, or all")
    known = stage.store.read(gvk.NODE)
    if not known:
        raise InputError("the cluster has no nodes", fix="add a file with nodes, or --nodes 5")
    found = [name for word in words for name in node_words.of_word(known, word)]
    return list(dict.fromkeys(found))


def pool_words(stage: Stage, words: Sequence[str]) -> list[str]:
    """Words as `nodes` takes them: one that is a pool means that."""
    named = stage.store.read(gvk.NODE)
    known = {node_pools.of(node) for node in named.values()} - {""}
    found = []
    for word in words:
        is_name = (
            word in named or word == node_words.ALL or "/" in word or node_words.is_selector(word)
        )
        if named and not is_name and word not in known:
            names = [*sorted(known), *sorted(named)]
            raise node_words.unknown(
                word, names, "pool or node", f"there are {findings.listed(names)}"
            )
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
    if list(words) == [node_words.ALL]:
        return f"all {number}"
    if list(words) == list(names):
        return f"nodes {findings.listed(names)}"
    if len(words) == 1 and node_words.is_selector(words[0]):
        return f"{number} with {words[0]}"
    return f"{number} ({', '.join(words)})"


def capitalized(subject: str) -> str:
    """What `described` returns, at the start of a sentence."""
    return subject[:1].upper() + subject[1:]
