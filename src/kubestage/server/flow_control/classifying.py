"""The FlowSchema and priority level of each request, by the objects that exist."""

from __future__ import annotations

import collections
import math
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.metrics.families import Counter, Gauge
from kubestage.server.flow_control import matching, request_info

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.metrics.families import Family
    from kubestage.server.flow_control.matching import FlowRule
    from kubestage.server.request import Request
    from kubestage.server.response import Headers
    from kubestage.store.log import Change
    from kubestage.store.store import Store

_GROUP: Final = "flowcontrol.apiserver.k8s.io"
SCHEMA: Final = (f"{_GROUP}/v1", "FlowSchema")
LEVEL: Final = (f"{_GROUP}/v1", "PriorityLevelConfiguration")
KINDS: Final = frozenset({(_GROUP, "FlowSchema"), (_GROUP, "PriorityLevelConfiguration")})
# What an API server serves at once by default, reads and writes together.
_SEATS: Final = 600
_MOST_USERS: Final = 1024


class Flow(NamedTuple):
    """A schema with its level, as responses report them."""

    schema: str
    level: str
    headers: Headers


class Classifier:
    """Classifies requests; the rules are compiled when they are first needed after a change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._flows: list[tuple[Flow, list[FlowRule]]] | None = None
        # What can match a user, by name and groups.
        self._by_user: dict[tuple[str, ...], list[tuple[Flow, FlowRule]]] = {}
        self._dispatched: collections.Counter[tuple[str, str]] = collections.Counter()

    def on_change(self, _change: Change) -> None:
        """Forget the rules: a schema or a level is another one."""
        self._flows = None
        self._by_user.clear()

    def headers(self, request: Request) -> Headers:
        """What the response to a request reports; nothing if no schema matches."""
        user = request.user
        if user is None:
            return []
        flow = self._flow(user, request)
        if flow is None:
            return []
        self._dispatched[flow.schema, flow.level] += 1
        return flow.headers

    def _flow(self, user: Json, request: Request) -> Flow | None:
        key = (user["username"], *user["groups"])
        candidates = self._by_user.get(key)
        if candidates is None:
            candidates = self._candidates(user)
            if len(self._by_user) >= _MOST_USERS:
                self._by_user.clear()
            self._by_user[key] = candidates
        if not candidates:
            return None
        info = request_info.of(request)
        if info.is_connection:
            return None
        return next((flow for flow, rule in candidates if rule.matches(info)), None)

    def _candidates(self, user: Json) -> list[tuple[Flow, FlowRule]]:
        if self._flows is None:
            self._flows = list(self._compiled())
        return [
            (flow, rule) for flow, rules in self._flows for rule in rules if rule.matches_user(user)
        ]

    def _compiled(self) -> Iterator[tuple[Flow, list[FlowRule]]]:
        """All schemas in order of precedence; those whose level is missing take no part."""
        levels = self._store.read(LEVEL)
        for schema in sorted(self._store.read(SCHEMA).values(), key=_precedence):
            level = levels.get(schema["spec"]["priorityLevelConfiguration"]["name"])
            if level is None:
                continue
            headers = [
                (b"x-kubernetes-pf-flowschema-uid", schema["metadata"]["uid"].encode()),
                (b"x-kubernetes-pf-prioritylevel-uid", level["metadata"]["uid"].encode()),
            ]
            names = schema["metadata"]["name"], level["metadata"]["name"]
            yield Flow(*names, headers), matching.compiled(schema)

    def families(self) -> Iterator[Family]:
        """What ``/metrics`` reports of it."""
        seats = Gauge(
            "apiserver_flowcontrol_nominal_limit_seats",
            "BETA",
            "Nominal number of execution seats configured for each priority level",
            ("priority_level",),
        )
        shares = {key: _shares(each) for key, each in self._store.read(LEVEL).items()}
        whole = sum(shares.values())
        for key, share in shares.items():
            seats.increase(key, times=math.ceil(_SEATS * share / whole) if whole else 0)
        yield seats
        dispatched = Counter(
            "apiserver_flowcontrol_dispatched_requests_total",
            "BETA",
            "Number of requests executed by API Priority and Fairness subsystem",
            ("flow_schema", "priority_level"),
        )
        for names, count in self._dispatched.items():
            dispatched.increase(*names, times=count)
        yield dispatched


def _precedence(schema: Json) -> tuple[int, str]:
    return schema["spec"]["matchingPrecedence"], schema["metadata"]["name"]


def _shares(level: Json) -> int:
    spec = level["spec"]
    holder = spec.get("exempt") if spec["type"] == "Exempt" else spec.get("limited")
    return int((holder or {}).get("nominalConcurrencyShares") or 0)
