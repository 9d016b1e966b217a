"""A stage that is being served: where requests, the clock, watches and the journal meet.

Everything runs in one event loop. A request calls the store, which answers at once; its answer goes
out when what it reports is safe.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from kubestage.errors import Conflict
from kubestage.server.containers import kubelet_api, mounted_tokens
from kubestage.server.fanout import Fanout
from kubestage.server.identity.issuer import Issuer
from kubestage.server.outside.asking import Outside
from kubestage.server.outside.conversions import Conversions
from kubestage.server.request_faults import RequestFaults

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.errors import ApiError
    from kubestage.objects.kinds import Kind
    from kubestage.objects.patches import PatchType
    from kubestage.results.agreement import ReplayAgreement
    from kubestage.results.life.node_decisions import NodeDecisionRecord
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.server.aggregation.aggregator import Aggregator
    from kubestage.server.chart_record import ChartRecord
    from kubestage.server.clusters import Clusters
    from kubestage.server.flow_control.classifying import Classifier
    from kubestage.server.kubestage_api.attempts import RecordedAttempts
    from kubestage.server.kubestage_api.run_records import RunRecords
    from kubestage.server.recording import SessionRecorder
    from kubestage.server.timeline import Timeline
    from kubestage.stage import Stage
    from kubestage.store.authorization.authorizer import Authorizer
    from kubestage.store.log import Change
    from kubestage.store.store import Store


_BUSY: Final = "the cluster is being {} by another request: try again when that is done"
REPORTS: Final = frozenset({"Event", "Lease"})
"""Kinds by which others say that they are there, and what they did."""


class Write(NamedTuple):
    """One successful write of a client, as it was requested.

    `verb` is that of the API: create, update, patch, apply, delete, deletecollection; the
    `subresource` may narrow it. `body` is the body of the request, `result` the resulting object.
    """

    verb: str
    kind: Kind
    namespace: str | None
    name: str
    subresource: str = ""
    body: Any = None
    patch_type: PatchType | None = None
    user_agent: str = ""
    result: dict[str, Any] | None = None
    is_dry_run: bool = False


class Durability(Protocol):
    """Writes changes to disk, and calls `Fanout.show` for those that are safe."""

    @property
    def revision(self) -> int:
        """The newest version up to which everything is safe."""
        ...

    @property
    def failure(self) -> ApiError | None:
        """Why nothing more can be kept; None while all is well."""
        ...

    async def until(self, revision: int) -> None:
        """Wait until a version is safe; raises if it never will be."""
        ...

    def hold(self) -> None:
        """Begin with what is safe as a whole or not at all; all else waits, too. May be nested."""
        ...

    def release(self) -> None:
        """End it: all that has happened may become safe."""
        ...

    def take_back(self) -> None:
        """After a failure: have the store hold what is kept, and nothing else."""
        ...

    def close(self) -> None:
        """Make everything safe and let go of files."""
        ...


class Pace(Protocol):
    """Lets virtual time pass."""

    def catch_up(self) -> None:
        """Bring the clock to where it should be now: a request is about to be served."""
        ...

    def wake(self, *, is_report: bool = False) -> None:
        """Something was written, and there may be things to do; not so after a report."""
        ...

    def halt(self, reason: str) -> None:
        """Let no more time pass, for this reason."""
        ...


class InMemory:
    """No durability: changes may be sent at once."""

    def __init__(self, store: Store, fanout: Fanout) -> None:
        self._store = store
        self._fanout = fanout
        self._is_due = False
        store.subscribe(self.on_change)

    @property
    def revision(self) -> int:
        """The newest version of the store."""
        return self._store.revision

    @property
    def failure(self) -> ApiError | None:
        """Nothing can fail."""
        return None

    async def until(self, revision: int) -> None:
        """Never waits."""

    def hold(self) -> None:
        """Nothing is kept in parts."""

    def release(self) -> None:
        """Nothing was held back."""

    def take_back(self) -> None:
        """Nothing can fail."""

    def close(self) -> None:
        """Nothing is kept."""
        self._store.unsubscribe(self.on_change)

    def on_change(self, _change: Change) -> None:
        """Have watches notified soon, of all that happens until then at once."""
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._show)

    def _show(self) -> None:
        self._is_due = False
        self._fanout.show(self.revision)


class Standstill:
    """Virtual time that never passes."""

    def catch_up(self) -> None:
        """Nothing is due."""

    def wake(self, *, is_report: bool = False) -> None:
        """Nothing is due."""

    def halt(self, reason: str) -> None:
        """Nothing is due."""


class ServerState:
    """What requests of the kubestage API share: what is recorded, and what is under way."""

    def __init__(self) -> None:
        # The scheduler's plugins that users wrote, by name, for the next scheduler to have, too.
        self.plugins: Mapping[str, type[Any]] = {}
        # The settings of controllers and autoscalers that are not the default, by name.
        self.component_settings: Mapping[str, str] = {}
        self.attempts: RecordedAttempts | None = None
        self.records: RunRecords | None = None
        self.node_decisions: NodeDecisionRecord | None = None
        self.recorder: SessionRecorder | None = None
        # What is known of the past, and the other clusters of the server.
        self.timeline: Timeline | None = None
        self.charts: ChartRecord | None = None
        self.agreement: ReplayAgreement | None = None
        self.clusters: Clusters | None = None
        # They go on after their request was answered.
        self.tasks: set[asyncio.Task[Any]] = set()
        # Those that must not be left half done.
        self.whole_tasks: set[asyncio.Task[Any]] = set()
        # What is being done to the whole cluster, as in "emptied".
        self.operation = ""

    def check_free(self) -> None:
        """Refuse while another request changes the whole cluster."""
        if self.operation:
            raise Conflict(_BUSY.format(self.operation))

    def add_task(self, task: asyncio.Task[Any]) -> None:
        """Keep a task until it is over."""
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def add_whole_task(self, task: asyncio.Task[Any]) -> None:
        """Keep a task, and the server, until it is over."""
        self.whole_tasks.add(task)
        task.add_done_callback(self.whole_tasks.discard)

    async def finish(self) -> None:
        """Wait for what must not be left half done."""
        while self.whole_tasks:
            await asyncio.wait(self.whole_tasks)


class Live:
    """What every request handler is passed.

    `durability` and `pace` may be replaced before the first request; `listeners` are called with
    every successful write of a client.
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.fanout = Fanout(stage.store)
        self.durability: Durability = InMemory(stage.store, self.fanout)
        self.pace: Pace = Standstill()
        self.listeners: list[Callable[[Write], None]] = []
        self.state = ServerState()
        # Requests that are refused or late on purpose.
        self.faults = RequestFaults()
        self.issuer = Issuer()
        # Which FlowSchema each request belongs to, where that is found out.
        self.classifier: Classifier | None = None
        self.authorizer: Authorizer | None = None
        # Programs that are asked about requests.
        self.outside = Outside(stage.store)
        self.conversions = Conversions(stage.store, self.outside)
        # The API servers behind APIServices, where they are followed.
        self.aggregator: Aggregator | None = None
        # Why nothing may be changed here; empty where all may be.
        self.read_only = ""
        # Whether controllers are at work here, with which a kube-controller-manager would fight.
        self.has_controllers = False
        # A past moment has no clock, and the scheduler of the present would decide there.
        self.is_past = False
        self.present_scheduler: Scheduler | None = None
        mounted_tokens.provide(self)
        kubelet_api.provide(self)

    @property
    def scheduler(self) -> Scheduler | None:
        """The scheduler by whose configuration pods would be placed."""
        return self.stage.scheduler or self.present_scheduler

    @property
    def store(self) -> Store:
        """The store of the stage."""
        return self.stage.store

    def set_durability(self, durability: Durability) -> None:
        """Have another one keep changes safe."""
        self.durability.close()
        self.durability = durability

    def wrote(self, write: Write) -> None:
        """Notify all listeners of a write of a client."""
        for listener in self.listeners:
            listener(write)
        self.pace.wake(is_report=write.kind.kind in REPORTS)

    async def settled(self) -> None:
        """Wait until everything that has happened so far is safe."""
        revision = self.store.revision
        if self.durability.revision < revision:
            await self.durability.until(revision)
