"""When a template is plain enough for quick attempts, and what it requests of nodes then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kubestage.scheduler import resource_table
from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.plugins.dynamic_resources import DynamicResources
from kubestage.scheduler.plugins.image_locality import ImageLocality
from kubestage.scheduler.plugins.inter_pod_affinity import InterPodAffinity
from kubestage.scheduler.plugins.node_affinity import NodeAffinity
from kubestage.scheduler.plugins.node_resources_balanced_allocation import (
    NodeResourcesBalancedAllocation,
)
from kubestage.scheduler.plugins.node_resources_fit import NodeResourcesFit
from kubestage.scheduler.plugins.pod_topology_spread import PodTopologySpread
from kubestage.scheduler.plugins.taint_toleration import TaintToleration
from kubestage.scheduler.quick.kernels import Amounts
from kubestage.scheduler.quick.plan_table import TemplateRequest
from kubestage.scheduler.status import Code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints, Mask
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.runtime import Profile

POD_AWARE: Final = (InterPodAffinity, PodTopologySpread)
"""The plugins that depend on other pods: their answers belong to a kind, not to its plan."""

# These scores are relative to the best of the nodes that fit, which change.
_RELATIVE: Final = (TaintToleration, NodeAffinity, DynamicResources)
_PLUGINS_PACKAGE: Final = "kubestage.scheduler.plugins."
_BALANCED: Final = 2


class Learned(NamedTuple):
    """What a template requests of nodes, and the state of plugins for its pods."""

    request: TemplateRequest
    state: CycleState


def is_built_in(plugins: Sequence[Any]) -> bool:
    """Whether there are none but built-in plugins."""
    return all(type(plugin).__module__.startswith(_PLUGINS_PACKAGE) for plugin in plugins)


def learn(profile: Profile, pod: PodView, columns: Columns) -> Learned | None:
    """What can be kept for the pods of a template; None if too little can."""
    points = (profile.pre_filter, profile.filter, profile.pre_score, profile.score)
    if not all(map(is_built_in, points)) or not _prepares_all(profile):
        return None
    state = CycleState()
    if not _prepare(profile, pod, columns, state):
        return None
    rows = np.arange(len(columns))
    asking = [
        each
        for each in profile.filter
        if each.name not in state.skip_filter and type(each) not in POD_AWARE
    ]
    fit = [each for each in asking if type(each) is NodeResourcesFit]
    if len(fit) != 1 or not all(each is fit[0] or _is_static(each) for each in asking):
        return None
    is_open: Mask = np.ones(len(columns), np.bool_)
    for plugin in asking:
        if plugin is not fit[0]:
            codes = plugin.filter(state, pod, columns, rows)
            if codes is not None:
                is_open &= codes == 0
    amounts = _amounts(profile, pod, columns, state, fit[0])
    scores = _scores(profile, pod, columns, state)
    if amounts is None or scores is None:
        return None
    return Learned(TemplateRequest(amounts, is_open, *scores, _takes(pod, columns)), state)


def _is_static(plugin: Any) -> bool:
    return getattr(plugin, "is_static", False)


def _prepares_all(profile: Profile) -> bool:
    """Whether all plugins with a Pre point are enabled there."""
    pairs = (
        (profile.pre_filter, profile.filter, "pre_filter"),
        (profile.pre_score, profile.score, "pre_score"),
    )
    return all(
        plugin in before
        for before, point, method in pairs
        for plugin in point
        if hasattr(plugin, method)
    )


def _prepare(profile: Profile, pod: PodView, columns: Columns, state: CycleState) -> bool:
    """Run what comes before filters and scores; whether all is as with an ordinary pod."""
    rows = np.arange(len(columns))
    skipped = set()
    for plugin in profile.pre_filter:
        if type(plugin) not in POD_AWARE:
            status, names = plugin.pre_filter(state, pod, columns)
            if status.code is Code.SKIP:
                skipped.add(plugin.name)
            elif not status.is_success or names is not None:
                return False
    state.skip_filter = frozenset(skipped)
    skipped = set()
    for plugin in profile.pre_score:
        if type(plugin) not in POD_AWARE:
            status = plugin.pre_score(state, pod, columns, rows)
            if status.code is Code.SKIP:
                skipped.add(plugin.name)
            elif not status.is_success:
                return False
    state.skip_score = frozenset(skipped)
    return True


def _scores(
    profile: Profile, pod: PodView, columns: Columns, state: CycleState
) -> tuple[Ints, Ints | None, Ints | None, tuple[int, int]] | None:
    """The scores that no pod changes: fixed ones, and two that are relative, with their weights."""
    rows = np.arange(len(columns))
    fixed: Ints = np.zeros(len(columns), np.int64)
    relative: dict[type, tuple[Ints, int]] = {}
    for plugin in profile.score:
        if plugin.name in state.skip_score or type(plugin) in (
            *POD_AWARE, NodeResourcesFit, NodeResourcesBalancedAllocation,
        ):  # fmt: skip
            continue
        if type(plugin) not in (*_RELATIVE, ImageLocality):
            return None
        raw = plugin.score(state, pod, columns, rows)
        weight = profile.weights.get(plugin.name, 1)
        if type(plugin) is ImageLocality:
            fixed = fixed + raw * weight
        elif raw.min() != raw.max():
            if type(plugin) is DynamicResources:
                return None
            relative[type(plugin)] = raw, weight
    disliked, disliked_weight = relative.get(TaintToleration, (None, 0))
    preferred, preferred_weight = relative.get(NodeAffinity, (None, 0))
    return fixed, disliked, preferred, (disliked_weight, preferred_weight)


def _takes(pod: PodView, columns: Columns) -> dict[int, tuple[int, int]]:
    """What a pod adds to each line of the tables of what is taken."""
    table = columns.resources
    takes = {table.line(resource): (amount, amount) for resource, amount in pod.requests.items()}
    for line, nonzero in (
        (resource_table.CPU, pod.nonzero_cpu),
        (resource_table.MEMORY, pod.nonzero_memory),
    ):
        takes[line] = takes.get(line, (0, 0))[0], nonzero
    takes[resource_table.PODS] = 1, 0
    return takes


def _amounts(
    profile: Profile, pod: PodView, columns: Columns, state: CycleState, fit: Any
) -> Amounts | None:
    fit_request = fit.requested_amounts(state)
    if fit_request is None:
        return None
    none: Ints = np.zeros(0, np.int64)
    scored: tuple[Ints, Ints, Ints, int] | None = (none, none, none, 0)
    balanced: tuple[Ints, Ints] | None = (np.zeros(2, np.int64), np.zeros(2, np.int64))
    fit_weight = balance_weight = 0
    for plugin in profile.score:
        if plugin.name in state.skip_score:
            continue
        weight = profile.weights.get(plugin.name, 1)
        if type(plugin) is NodeResourcesFit:
            scored, fit_weight = plugin.scored(columns, pod), weight
        elif type(plugin) is NodeResourcesBalancedAllocation:
            balanced, balance_weight = plugin.balanced(columns, state), weight
    if scored is None or balanced is None or len(balanced[0]) != _BALANCED:
        return None
    lines, least = fit_request
    return Amounts(lines, least, *scored[:3], *balanced, scored[3], fit_weight, balance_weight)
