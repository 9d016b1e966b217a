"""Calls of a stage's clients on their way: to their turn, to the store, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster import endpoints, listed
from kubestage.cluster.access import Answer
from kubestage.errors import TooManyRequests

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.cluster.access import Call
    from kubestage.cluster.api_server import Turn
    from kubestage.cluster.callers import Caller
    from kubestage.cluster.endpoints import Endpoint
    from kubestage.cluster.staged import StagedCluster
    from kubestage.errors import ApiError
    from kubestage.objects.kinds import Kind

_DELETE_COLLECTION: Final = "deletecollection"
_APPLY: Final = "application/apply-patch+yaml"
_FULL: Final = "the server has received too many requests and has asked us to try again later"
_LONGEST_NS: Final = 60 * 1_000_000_000


class PendingCall:
    """A call between its start and its answer."""

    __slots__ = (
        "_call", "_caller", "_cluster", "_done", "_endpoint", "_error", "_object", "_sent_ns",
        "_turn",
    )  # fmt: skip

    def __init__(
        self,
        cluster: StagedCluster,
        call: Call,
        done: Callable[[Answer], None],
        sent_ns: int,
        caller: Caller,
    ) -> None:
        self._cluster, self._call, self._done, self._sent_ns = cluster, call, done, sent_ns
        self._caller = caller
        self._endpoint: Endpoint | None = None
        self._turn: Turn | None = None
        self._object: Json | None = None
        self._error: ApiError | None = None

    def enter(self, row: Kind, arrives_ns: int) -> None:
        """Enter the queue; the call is carried out when it has been served."""
        cluster, call = self._cluster, self._call
        more_ns = 0
        if call.verb == _DELETE_COLLECTION:
            # One deletion after another, each with its own write.
            count = cluster.store.collection(row).count(call.namespace or None)
            etcd_ns = cluster.api.endpoints.find("DELETE", row).etcd.mean_ns
            more_ns = min(round(count * etcd_ns), _LONGEST_NS)
        endpoint = self._endpoint = _endpoint(cluster, call, row)
        level, flow = self._caller
        turn = self._turn = cluster.api.take(
            endpoint, arrives_ns, more_ns=more_ns, level=level, flow=flow
        )
        cluster.moments.at(turn.ends_ns, self.carry_out if turn.is_served else self.refuse)

    def read(self) -> None:
        """A list: objects are read at once, and the time depends on their number."""
        cluster, call = self._cluster, self._call
        row = cluster.store.kind((call.resource.api_version, call.resource.kind))
        self._endpoint = _endpoint(cluster, call, row)
        now_ns, (level, flow) = cluster.moments.now_ns, self._caller
        # NOTE: nothing is listed for a flood of calls that are refused anyway.
        self._turn = cluster.api.refusal(now_ns, level, flow)
        if self._turn is not None:
            self.refuse()
            return
        found, self._error = cluster.carry_out(call)
        items = found["items"] if found is not None else ()
        turn = self._turn = cluster.api.take(
            self._endpoint,
            now_ns,
            lists=listed.of(items, cluster.stored(row, call.field_selector)),
            level=level,
            flow=flow,
        )
        if turn.is_served:
            self._object = found
        cluster.moments.at(turn.ends_ns, self.send if turn.is_served else self.refuse)

    def refuse(self) -> None:
        """Refuse the call: the queue is full, or it was queued for too long."""
        assert self._turn is not None, "it was refused a turn"
        self._error = TooManyRequests(_FULL, {"retryAfterSeconds": self._turn.retry_after})
        self.send()

    def carry_out(self) -> None:
        """Carry out the call, and send the answer."""
        self._object, self._error = self._cluster.carry_out(self._call)
        self.send()

    def send(self) -> None:
        """Count the call; its answer arrives half a round trip later."""
        cluster, endpoint = self._cluster, self._endpoint
        now_ns = cluster.moments.now_ns
        turn = self._turn
        if turn is not None and not turn.is_served:
            assert endpoint is not None, "a turn is taken at an endpoint"
            cluster.api.count_refused(endpoint)
        elif endpoint is not None:
            code = endpoint.success if self._error is None else self._error.code
            waited_ns, etcd_ns = (0, 0) if turn is None else turn[1:3]
            took_ns = max(now_ns - self._sent_ns - cluster.half_trip_ns, 0)
            endpoint.observe(took_ns, waited_ns, etcd_ns, code)
        if cluster.half_trip_ns:
            cluster.moments.at(now_ns + cluster.half_trip_ns, self.answer)
        else:
            self.answer()

    def answer(self) -> None:
        """Call back the client."""
        now_ns = self._cluster.moments.now_ns
        self._done(Answer(self._object, self._error, self._sent_ns, now_ns))


def _endpoint(cluster: StagedCluster, call: Call, row: Kind) -> Endpoint:
    if call.name or call.verb == "create":
        scope = endpoints.RESOURCE
    else:
        scope = endpoints.NAMESPACE if call.namespace else endpoints.CLUSTER
    is_apply = call.verb == "patch" and call.patch_type == _APPLY
    verb = "APPLY" if is_apply else endpoints.VERBS[call.verb]
    return cluster.api.endpoints.find(verb, row, scope=scope)
