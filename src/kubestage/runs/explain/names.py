"""Names of pods and nodes: finding the one that a user names."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.wording import few

if TYPE_CHECKING:
    from collections.abc import Iterable

_NODE_KINDS: Final = ("node", "nodes", "no", "nodeclaim", "nodeclaims")


def node_of(text: str) -> str | None:
    """The name in ``node/NAME`` or ``nodeclaim/NAME``; None if a text names something else."""
    kind, slash, name = text.partition("/")
    if not slash or kind.lower() not in _NODE_KINDS:
        return None
    if not name:
        raise InputError(f'"{text}" names no node', fix=f"write {kind}/NAME")
    return name


def choose_pod(keys: Iterable[str], name: str, run: str) -> str:
    """The key, ``namespace/name``, of the pod with this key or name in a run."""
    known = list(dict.fromkeys(keys))
    found = [key for key in known if name in (key, key.partition("/")[2])]
    if len(found) == 1:
        return found[0]
    if found:
        fix = f"write one of {', '.join(sorted(found))}"
        raise InputError(f'several pods are called "{name}"', file=run, fix=fix)
    names = [*known, *(key.partition("/")[2] for key in known)]
    near = difflib.get_close_matches(name, names, n=1)
    fix = f"there are {few(sorted(known))}" if known else "the run has no pods"
    if near:
        fix = f"did you mean {near[0]}?"
    raise InputError(f'there is no pod "{name}"', file=run, fix=fix)


def check_node(node: str, nodes: Iterable[Iterable[str]]) -> None:
    """InputError unless a node is among these, which are by step."""
    names = {name for each in nodes for name in each}
    if node in names:
        return
    near = difflib.get_close_matches(node, sorted(names), n=1)
    fix = f"did you mean {near[0]}?" if near else "name a node of the run"
    raise InputError(f'there is no node "{node}"', path="--node", fix=fix)
