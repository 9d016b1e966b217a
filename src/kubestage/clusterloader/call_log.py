"""The calls of a load, in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.measure.columns import Nanoseconds

if TYPE_CHECKING:
    from kubestage.cluster.access import Answer, Call


class CallLog:
    """One row per call: what it was, when it was requested, sent and answered, and the answer."""

    def __init__(self) -> None:
        self.asked_ns = Nanoseconds()
        self.sent_ns = Nanoseconds()
        self.ended_ns = Nanoseconds()
        self.verbs: list[str] = []
        self.kinds: list[str] = []
        self.namespaces: list[str] = []
        self.names: list[str] = []
        self.codes: list[int] = []

    def __len__(self) -> int:
        return len(self.asked_ns)

    def add(self, asked_ns: int, call: Call, answer: Answer) -> None:
        """Note a call that has been answered."""
        self.asked_ns.append(asked_ns)
        self.sent_ns.append(answer.sent_ns)
        self.ended_ns.append(answer.ended_ns)
        self.verbs.append(call.verb)
        self.kinds.append(call.resource.kind)
        self.namespaces.append(call.namespace)
        self.names.append(call.name)
        self.codes.append(_CODES.get(call.verb, 200) if answer.error is None else answer.error.code)


_CODES = {"create": 201}
