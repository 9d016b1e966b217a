"""What is known for quick attempts on one set of columns: plans and kinds, and which pod is which.

It depends on the nodes: when one changes, all is learnt again. Which templates have been tried does
not, and is kept by the columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.affinity import DO_NOT_SCHEDULE, SCHEDULE_ANYWAY
from kubestage.scheduler.plugins.inter_pod_affinity import InterPodAffinity
from kubestage.scheduler.plugins.pod_topology_spread import PodTopologySpread
from kubestage.scheduler.quick import learning
from kubestage.scheduler.quick.kind_table import Kind, KindTable
from kubestage.scheduler.quick.plan import QuickPlan
from kubestage.scheduler.quick.plan_table import PlanTable
from kubestage.scheduler.quick.rejections import Rejections

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.plugins.spread_constraints import Spread
    from kubestage.scheduler.quick.backdrop import Backdrop
    from kubestage.scheduler.runtime import Profile

Key = tuple[Any, ...]

UNFIT: Final = -1
"""Stands for the kind of pods that cannot be tried quickly."""

# Plans are stored up to so many numbers in all, so fewer of them in a larger cluster.
_MAX_NUMBERS: Final = 1 << 23
_MIN_PLANS: Final = 1 << 6
_MAX_KINDS: Final = 1 << 10
_MAX_KEYS: Final = 1 << 14
# Volumes that are made on the node and do not care which one that is.
_ANYWHERE: Final = frozenset(
    {"name", "configMap", "downwardAPI", "emptyDir", "hostPath", "projected", "secret"}
)


class Known:
    """The plans and kinds that were learnt.

    Which kind a pod is of depends on objects around it (Services, owners), so it is looked up
    again when those change.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._plan_of: dict[Key, QuickPlan | None] = {}
        self._number_of: dict[Key, int] = {}
        self._at_hand: dict[Key, int] = {}
        self._moment: Any = None
        self._reads_labels = False
        self.by_label = False
        self._limit = max(_MAX_NUMBERS // max(len(columns), 1), _MIN_PLANS)
        self.plans = PlanTable(len(columns), len(columns.resources.line_of) + 1)
        self.kinds = KindTable(columns)
        self.rejections = Rejections()

    def prepare(self, pods: Iterable[PodView], backdrop: Backdrop) -> None:
        """Prepare for pods to come, as things are now.

        Labels are ignored as long as nothing depends on them: some pods have labels of their
        own.
        """
        columns = self._columns
        by_label = columns.has_counters or backdrop.has_services or columns.has_stated_terms
        if not (by_label or self._reads_labels):
            self._reads_labels = any(map(_reads_other_pods, pods))
        self.by_label = by_label or self._reads_labels
        moment = backdrop.version, self.by_label
        if moment != self._moment or len(self._at_hand) > _MAX_KEYS:
            self._moment = moment
            self._at_hand.clear()

    def key_of(self, pod: PodView) -> Key:
        """By what a pod is known for the moment."""
        if not self.by_label:
            return pod.scheduler_name, pod.plan, None
        owner = pod.owner if "ownerReferences" in pod.raw["metadata"] else None
        uid = None if owner is None else owner.get("uid")
        return pod.scheduler_name, pod.plan, tuple(pod.labels.items()), uid

    def get(self, key: Key) -> int | None:
        """The kind of the pods of a key: `UNFIT` if there is none, None if that is not known."""
        return self._at_hand.get(key)

    def is_familiar(self, key: Key) -> bool:
        """Whether a pod of this key was tried before, whatever nodes there were then.

        Many templates come up once only, and are not worth learning.
        """
        return key in self._columns.seen_templates

    def see(self, key: Key) -> None:
        """A pod of this key is tried."""
        seen = self._columns.seen_templates
        if len(seen) >= _MAX_KEYS:
            seen.clear()
        seen.add(key)

    def learn(self, key: Key, profile: Profile, pod: PodView, backdrop: Backdrop) -> int:
        """The kind of a pod, learnt if need be; `UNFIT` if it cannot be."""
        number = self._at_hand.get(key)
        if number is None:
            number = self._at_hand[key] = self._learn(key, profile, pod, backdrop)
        return number

    def _plan(self, profile: Profile, pod: PodView, backdrop: Backdrop) -> QuickPlan | None:
        """The plan of a pod's template; devices may stand behind some resources."""
        devices = backdrop.devices if pod.fit_request.scalars else 0
        key = profile.name, pod.plan.requested_of_nodes, devices
        if key not in self._plan_of:
            learned = learning.learn(profile, pod, self._columns)
            plan = (
                None if learned is None else QuickPlan(self.plans, learned.request, learned.state)
            )
            self._plan_of[key] = plan
        return self._plan_of[key]

    @property
    def is_full(self) -> bool:
        """Whether more is known than should be kept."""
        return len(self.plans) >= self._limit or len(self.kinds) >= _MAX_KINDS

    def _learn(self, key: Key, profile: Profile, pod: PodView, backdrop: Backdrop) -> int:
        plan = self._plan(profile, pod, backdrop)
        if plan is None or not _is_settled(profile, pod):
            return UNFIT
        hard = _constraints(profile.filter, pod, DO_NOT_SCHEDULE)
        soft = _constraints(profile.score, pod, SCHEDULE_ANYWAY)
        if hard is None or soft is None:
            return UNFIT
        # Others must not be taken for it, even when what spreads it now is gone.
        self._reads_labels |= bool(hard or soft or pod.has_affinity)
        identity = *key[:3], plan, hard, soft
        number = self._number_of.get(identity)
        if number is None:
            kind = Kind(profile, pod, plan, hard, soft)
            number = self._number_of[identity] = self.kinds.add(kind)
        return number


def known_for(columns: Columns) -> Known:
    """What is known on these columns; nothing when a node has changed, or when it was too much."""
    known = columns.known
    if known is None or known.is_full:
        columns.stated_terms.expect_none()
        known = columns.known = Known(columns)
    return known


def is_eligible(pod: PodView) -> bool:
    """Whether a pod depends on its template alone."""
    raw = pod.raw
    spec = raw["spec"]
    if (
        pod.nominated_node_name
        or "deletionTimestamp" in raw["metadata"]
        or pod.requests is not pod.plan.usage.resource
        or "resourceClaims" in spec
    ):
        return False
    return "volumes" not in spec or all(each.keys() <= _ANYWHERE for each in spec["volumes"] or ())


def _reads_other_pods(pod: PodView) -> bool:
    plan = pod.plan
    return plan.has_affinity or plan.has_spread or "ownerReferences" in pod.raw["metadata"]


def _is_settled(profile: Profile, pod: PodView) -> bool:
    plugins = (*profile.filter, *profile.score)
    return all(each.is_settled(pod) for each in plugins if type(each) is InterPodAffinity)


def _constraints(plugins: Sequence[Any], pod: PodView, action: str) -> tuple[Spread, ...] | None:
    """The spread constraints that bind a pod at an extension point; None if some are malformed."""
    for plugin in plugins:
        if type(plugin) is PodTopologySpread:
            found = plugin.constraints_of(pod, action)
            return None if isinstance(found, str) else found
    return ()
