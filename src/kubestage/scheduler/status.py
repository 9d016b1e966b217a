"""What a plugin answers: a code and the reasons a person reads."""

from __future__ import annotations

import enum
from typing import Final

import msgspec


class Code(enum.Enum):
    """Result of a plugin's call, named as upstream names it."""

    SUCCESS = "Success"
    ERROR = "Error"
    UNSCHEDULABLE = "Unschedulable"
    UNSCHEDULABLE_AND_UNRESOLVABLE = "UnschedulableAndUnresolvable"
    WAIT = "Wait"
    SKIP = "Skip"
    PENDING = "Pending"


_REJECTIONS: Final = frozenset(
    {Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE, Code.PENDING}
)


class Status(msgspec.Struct, frozen=True):
    """A plugin's answer. `plugin` is filled in by the framework."""

    code: Code
    reasons: tuple[str, ...] = ()
    plugin: str = ""

    @property
    def message(self) -> str:
        """All reasons in one line, as failure messages show them."""
        return ", ".join(self.reasons)

    @property
    def is_success(self) -> bool:
        """Whether the plugin has nothing against it."""
        return self.code is Code.SUCCESS

    @property
    def is_skip(self) -> bool:
        """Whether the plugin sits this pod out."""
        return self.code is Code.SKIP

    @property
    def is_rejected(self) -> bool:
        """Whether the plugin refuses, as opposed to failing."""
        return self.code in _REJECTIONS

    def by(self, plugin: str) -> Status:
        """The same answer with its author."""
        return msgspec.structs.replace(self, plugin=plugin)


class PostFilterResult(msgspec.Struct, frozen=True):
    """What a PostFilter plugin achieved: the node to nominate ('' clears a nomination)."""

    nominated_node: str


SUCCESS: Final = Status(Code.SUCCESS)
SKIP: Final = Status(Code.SKIP)
WAIT: Final = Status(Code.WAIT)


def unschedulable(*reasons: str) -> Status:
    """Refused for now; preemption may help."""
    return Status(Code.UNSCHEDULABLE, reasons)


def unresolvable(*reasons: str) -> Status:
    """Refused, and removing pods would not help."""
    return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, reasons)


def error(*reasons: str) -> Status:
    """The plugin failed."""
    return Status(Code.ERROR, reasons)
