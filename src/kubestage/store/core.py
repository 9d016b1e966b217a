"""What the verbs work on: the ledger, the clock and chance, and what every commit entails."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final, Literal

from kubestage.objects import gvk
from kubestage.objects import kinds as kind_table
from kubestage.objects.kinds import Kind, KindTable
from kubestage.store import admission as admission_steps
from kubestage.store import definitions, ip_addresses, refusals, seeding
from kubestage.store.admission import dynamic, limit_ranger, pod_security, resource_quota
from kubestage.store.garbage import Garbage
from kubestage.store.ledger import Ledger
from kubestage.store.object_limit import ObjectLimit
from kubestage.store.sharing import SharedParts
from kubestage.store.template_cache import TemplateCache

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping

    from kubestage.aliases import Json
    from kubestage.sim.clock import Clock
    from kubestage.sim.streams import Streams
    from kubestage.store.admission.admission_request import Check, Step, Webhook
    from kubestage.store.bootstrap import Bootstrap
    from kubestage.store.collection import Collection
    from kubestage.store.log import Change

    KindRef = Kind | tuple[str, str]
    GarbageMode = Literal["immediate", "manual"]
    RefusalListener = Callable[[str, str], None]

LASTING_STREAM: Final = "store/lasting"
"""The stream of names and uids for objects that stay when a cluster is emptied."""

# NOTE: checked at every commit, and most kinds have nothing to do with it.
_SERVICE: Final = gvk.SERVICE
_OBSERVED: Final = frozenset(
    kind for _, kind in {*admission_steps.READS, definitions.DEFINITION, _SERVICE}
)


class Core:
    """A store without its verbs, for the modules that make them up."""

    def __init__(
        self,
        clock: Clock,
        streams: Streams,
        kinds: KindTable | None = None,
        *,
        admission: tuple[Step, ...] = admission_steps.DEFAULT,
        checks: tuple[Check, ...] = admission_steps.CHECKS,
        garbage: GarbageMode = "immediate",
        implicit_namespaces: bool = False,
        history: int = 100_000,
        first_revision: int = 1,
        seeded: bool = True,
        seeded_by: str = "",
        allow_privileged: bool = True,
    ) -> None:
        self.clock = clock
        self.kinds = KindTable() if kinds is None else kinds
        self.ledger = Ledger(history, first_revision)
        self.object_limit = ObjectLimit(self.ledger)
        self.garbage = Garbage()
        self.templates = TemplateCache()
        self.shared_parts = SharedParts()
        self.admission = admission
        self.checks = checks
        self.webhooks: tuple[Webhook, ...] = ()
        self._refusal_listeners: list[RefusalListener] = []
        # From where on an address for the next service is looked for.
        self.service_address = 0
        # At hand: every create checks whether there are any.
        self.limit_ranges = self.ledger.collection(self.kind(limit_ranger.LIMIT_RANGE))
        self.resource_quotas = self.ledger.collection(self.kind(resource_quota.RESOURCE_QUOTA))
        self.dynamic_admission = tuple(
            self.ledger.collection(self.kind(each)) for each in dynamic.KINDS
        )
        self.pod_security = pod_security.Evaluations()
        self.implicit_namespaces = implicit_namespaces
        # The API server that the cluster has, if it has one.
        self.bootstrap: Bootstrap | None = None
        # Versions of tracked objects, by uid, that were stored without what reading them adds.
        self.unread: dict[str, str] = {}
        # Custom resources, by uid, that are read otherwise than they were written.
        self.as_written: dict[str, Json] = {}
        # Who writes where no manager is named, in the records of who owns which field.
        self.component = "kube-controller-manager"
        self.name_stream = streams.stream("store/names")
        self.uid_stream = streams.stream("store/uids")
        # What stays when a cluster is emptied draws from a stream that is never rewound.
        self.lasting_stream = streams.stream(LASTING_STREAM)
        self.seeded_by = seeded_by
        self.allow_privileged = allow_privileged
        self.uses_templates = self._may_use_templates()
        self._collects_at_once = garbage == "immediate"
        if seeded:
            seeding.seed(self)

    @property
    def garbage_mode(self) -> GarbageMode:
        """Whether garbage is collected at once, or by a controller."""
        return "immediate" if self._collects_at_once else "manual"

    def kind(self, ref: KindRef) -> Kind:
        """The row of a kind; NotFound if the store does not serve it."""
        if isinstance(ref, Kind):
            return ref
        row = self.kinds.get(*ref)
        if row is None:
            raise refusals.no_such_resource()
        return row

    def names_for(self, kind: Kind) -> random.Random:
        """The stream that names of new objects are drawn from."""
        return self.lasting_stream if kind.behavior.outlasts_reset else self.name_stream

    def uids_for(self, kind: Kind) -> random.Random:
        """The stream that uids of new objects are drawn from."""
        return self.lasting_stream if kind.behavior.outlasts_reset else self.uid_stream

    @functools.cached_property
    def pods(self) -> Collection:
        """All pods, at hand for calls that are made once for every pod."""
        return self.ledger.collection(self.kind(gvk.POD))

    @functools.cached_property
    def namespaces(self) -> Collection:
        """All namespaces, likewise."""
        return self.ledger.collection(self.kind(gvk.NAMESPACE))

    @functools.cached_property
    def events(self) -> Collection:
        """All Events, likewise."""
        return self.ledger.collection(self.kind(gvk.EVENT))

    def read(self, ref: KindRef) -> Mapping[str, Json]:
        """All objects of a kind by key (``namespace/name`` or ``name``), live and for reading."""
        return self.ledger.collection(self.kind(ref)).objects

    def put(self, kind: Kind, key: str, obj: Json, *, is_reworded: bool = False) -> Json:
        """Commit a version that the rules of its kind have passed; its metadata is its own."""
        change = self.ledger.put(kind_table.stored(kind), key, obj, is_reworded=is_reworded)
        self._observe(change)
        return change.new

    def remove(self, kind: Kind, key: str) -> Json:
        """Commit the end of an object; its last state under the version of the deletion."""
        collection = self.ledger.collection(kind_table.stored(kind))
        return self.drop(collection, key, collection.objects[key])

    def drop(self, collection: Collection, key: str, old: Json) -> Json:
        """The same of an object that is at hand."""
        change = self.ledger.drop(collection, key, old)
        if self.unread:
            self.unread.pop(change.new["metadata"]["uid"], None)
        if self.as_written:
            self.as_written.pop(change.new["metadata"]["uid"], None)
        self._observe(change)
        return change.new

    def _observe(self, change: Change) -> None:
        self.garbage.observe(self, change)
        if change.kind.kind not in _OBSERVED:
            return
        if (change.kind.api_version, change.kind.kind) in admission_steps.READS:
            self.templates.clear()
        elif definitions.is_definition(change.kind):
            definitions.observe(self, change)
        elif self.bootstrap is not None and (change.kind.api_version, change.kind.kind) == _SERVICE:
            ip_addresses.observe(self, change)

    def _may_use_templates(self) -> bool:
        """A step or check that users wrote may read anything: its results cannot be cached."""
        is_usual = set(self.admission) <= set(admission_steps.DEFAULT)
        return is_usual and set(self.checks) <= set(admission_steps.CHECKS)

    @property
    def repeated_steps(self) -> tuple[Step, ...]:
        """The steps that are taken once more when an object was changed after them."""
        return tuple(each for each in self.admission if each not in admission_steps.LAST)

    def add_check(self, check: Check) -> None:
        """Have another check, after all others, for every write from now on."""
        self.checks = (*self.checks, check)
        self.uses_templates = self._may_use_templates()

    def remove_check(self, check: Check) -> None:
        """Check so no longer."""
        self.checks = tuple(each for each in self.checks if each is not check)
        self.uses_templates = self._may_use_templates()

    def add_webhook(self, webhook: Webhook) -> None:
        """Call this one, too, for every new object of a namespace."""
        self.webhooks = (*self.webhooks, webhook)

    def remove_webhook(self, webhook: Webhook) -> None:
        """Stop calling it."""
        self.webhooks = tuple(each for each in self.webhooks if each is not webhook)

    def observe_refused_evictions(self, listener: RefusalListener) -> None:
        """Call with the keys of budget and pod whenever a budget refuses an eviction.

        Nothing changes by that, so that no subscriber would receive it.
        """
        self._refusal_listeners.append(listener)

    def report_refused_eviction(self, budget: str, pod: str) -> None:
        """Report to those who observe it that a budget refused an eviction."""
        for listener in self._refusal_listeners:
            listener(budget, pod)

    def start_over(self) -> None:
        """Remember nothing of what an emptied cluster held: as a new store but for its versions.

        The streams must have been rewound; no controller may collect garbage or empty namespaces.
        """
        self.service_address = 0
        self.bootstrap = None
        self.unread.clear()
        self.as_written.clear()
        self.templates.clear()
        self.garbage = Garbage()
        self.webhooks = ()

    def settle(self) -> None:
        """After a verb: collect garbage if that is done at once, then notify subscribers."""
        garbage, ledger = self.garbage, self.ledger
        if garbage.definitions:
            garbage.empty_definitions(self)
        if garbage.queue and self._collects_at_once and garbage.collector is None:
            garbage.collect(self)
        if ledger.undelivered:
            ledger.deliver()

    def compact(self, revision: int) -> None:
        """Have no list of a version before this one from now on; that takes a version itself."""
        self.ledger.compact(revision)

    def deliver(self) -> None:
        """Notify subscribers of all changes; garbage stays where it is."""
        self.ledger.deliver()
