"""A recording as it is replayed: the cluster at its beginning, and the intent since."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.files import pinned
from kubestage.objects import timestamps
from kubestage.runs.replaying import pinned_sources
from kubestage.sources import folding, intent
from kubestage.sources.imported import format_ns
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.sources.imported import Change
    from kubestage.sources.intent import Action
    from kubestage.sources.usage import UsageSample

# Kinds by which a cluster makes its own nodes.
_NODE_MAKERS: Final = frozenset({"NodeGroup", "NodePool"})


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """What happened between two moments."""

    name: str
    """Its sources, as they were named."""
    title: str
    """The same without the folders that they are in."""
    objects: list[Json]
    """The cluster at the first moment."""
    changes: list[Change]
    """Everything that happened after it."""
    actions: list[Action]
    """What is done again."""
    consequences: dict[tuple[str, str], int]
    begin_ns: int
    """A whole second."""
    end_ns: int
    usage: list[UsageSample] = []
    """What containers used, as far as that was recorded."""

    @property
    def duration_ns(self) -> int:
        """How long it took."""
        return self.end_ns - self.begin_ns


def read(names: Sequence[str], begin: str | None, end: str | None) -> Recorded:
    """Read sources with time, and separate intent from consequences."""
    key = ("recorded", tuple(names), begin, end)
    return pinned.once(key, lambda: _read(names, begin, end))


def _read(names: Sequence[str], begin: str | None, end: str | None) -> Recorded:
    imported = pinned_sources.imported(names)
    shown = ", ".join(names)
    if not imported.changes:
        fix = f"run it instead: kubestage run {names[0]} --for 30m"
        raise InputError("has objects, and no changes to replay", file=shown, fix=fix)
    first_ns, last_ns = imported.changes[0].at_ns, imported.changes[-1].at_ns
    begin_ns = _moment(begin, "--from", first_ns, last_ns)
    # The last change happens, too.
    end_ns = _moment(end, "--to", last_ns + SECOND_NS, last_ns)
    if end_ns <= begin_ns:
        fix = f"the recording is from {format_ns(first_ns)} to {format_ns(last_ns)}"
        raise InputError("is not after --from", path="--to", fix=fix)
    begin_ns -= begin_ns % SECOND_NS
    state = folding.state_at(imported.objects, imported.changes, begin_ns - 1)
    changes = [each for each in imported.changes if begin_ns <= each.at_ns < end_ns]
    makes_nodes = any(each["kind"] in _NODE_MAKERS for each in state)
    found = intent.find(state, changes, nodes=not makes_nodes)
    return Recorded(
        name=shown,
        title=", ".join(pathlib.Path(each).resolve().name for each in names),
        objects=state,
        changes=changes,
        actions=found.actions,
        consequences=found.consequences,
        begin_ns=begin_ns,
        end_ns=end_ns,
        usage=[each for each in pinned_sources.used(names) if begin_ns <= each.at_ns < end_ns],
    )


def _moment(text: str | None, path: str, default_ns: int, last_ns: int) -> int:
    if text is None:
        return default_ns
    try:
        found = timestamps.parse_time(text)
    except ValueError:
        fix = "write it as in 2026-01-01T00:00:00Z"
        raise InputError(f'"{text}" is no time', path=path, fix=fix) from None
    if found > last_ns:
        fix = f"the recording ends at {format_ns(last_ns)}"
        raise InputError("is after the end of the recording", path=path, fix=fix)
    return found
