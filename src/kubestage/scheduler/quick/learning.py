"""When a template is plain enough to be kept, and what is kept of it then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.scheduler.plugins.dynamic_resources import DynamicResources
from kubestage.scheduler.plugins.image_locality import ImageLocality
from kubestage.scheduler.plugins.inter_pod_affinity import InterPodAffinity
from kubestage.scheduler.plugins.node_affinity import NodeAffinity
from kubestage.scheduler.plugins.node_declared_features import NodeDeclaredFeatures
from kubestage.scheduler.plugins.node_name import NodeName
from kubestage.scheduler.plugins.node_resources_balanced_allocation import (
    NodeResourcesBalancedAllocation,
)
from kubestage.scheduler.plugins.node_resources_fit import NodeResourcesFit
from kubestage.scheduler.plugins.node_unschedulable import NodeUnschedulable
from kubestage.scheduler.plugins.pod_topology_spread import PodTopologySpread
from kubestage.scheduler.plugins.taint_toleration import TaintToleration
from kubestage.scheduler.quick.kernels import Amounts, Kept
from kubestage.scheduler.quick.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns, Ints
    from kubestage.scheduler.cycle import Attempt
    from kubestage.scheduler.runtime import Profile

# What these say follows from the pod's template and the node alone.
_STATIC: Final = (NodeUnschedulable, NodeName, TaintToleration, NodeAffinity, NodeDeclaredFeatures)
# What these add is the same for all nodes, or it is told by the pod's template and the node.
_EVEN: Final = (TaintToleration, NodeAffinity, DynamicResources)
# These look at other pods: they must have nothing to say, each time anew.
_SOCIAL: Final = (InterPodAffinity, PodTopologySpread)
_BALANCED: Final = 2


def learnt(attempt: Attempt) -> Plan | None:
    """What can be kept from an ordinary attempt that had a choice; None if nothing can."""
    profile, pod, columns, state = attempt.profile, attempt.pod, attempt.columns, attempt.state
    if attempt.pre_filter is None or attempt.pre_filter.nodes is not None:
        return None
    if pod.fit_request.scalars or pod.requests is not pod.plan.usage.resource:
        return None
    if not _is_built_in(profile):
        return None
    asking = [each for each in profile.filter if each.name not in state.skip_filter]
    fit = [each for each in asking if type(each) is NodeResourcesFit]
    if len(fit) != 1 or not all(type(each) in (*_STATIC, NodeResourcesFit) for each in asking):
        return None
    rows = np.arange(len(columns))
    is_open = np.ones(len(columns), np.bool_)
    for plugin in asking:
        if plugin is not fit[0]:
            codes = plugin.filter(state, pod, columns, rows)
            if codes is not None:
                is_open &= codes == 0
    fixed = _fixed(attempt, rows)
    asked = _asked(attempt, fit[0])
    if fixed is None or asked is None:
        return None
    preparing = (*profile.pre_filter, *profile.pre_score)
    social = {each.name: each for each in preparing if type(each) in _SOCIAL}
    return Plan(columns, state, asked, Kept.of(is_open, fixed), tuple(social.values()))


def have_nothing_to_say(social: Iterable[Any], pod: PodView, columns: Columns) -> bool:
    """Whether the plugins that look at other pods still pass a plain pod over."""
    for plugin in social:
        if type(plugin) is PodTopologySpread:
            if plugin.binds(pod):
                return False
        else:
            stated = columns.stated_terms
            if pod.has_affinity or stated.refuse_any or stated.score_any:
                return False
    return True


def _is_built_in(profile: Profile) -> bool:
    """Whether nobody but built-in plugins has a say in which node is taken."""
    points = (profile.pre_filter, profile.filter, profile.pre_score, profile.score)
    plugins = [plugin for point in points for plugin in point]
    own = "kubestage.scheduler.plugins."
    return all(type(plugin).__module__.startswith(own) for plugin in plugins)


def _fixed(attempt: Attempt, rows: Ints) -> Ints | None:
    """The scores that no pod changes, as far as they tell nodes apart."""
    total: Ints = np.zeros(len(rows), np.int64)
    for plugin in attempt.profile.score:
        if plugin.name in attempt.state.skip_score:
            continue
        if type(plugin) in (NodeResourcesFit, NodeResourcesBalancedAllocation):
            continue
        if type(plugin) not in (*_EVEN, ImageLocality):
            return None
        raw = plugin.score(attempt.state, attempt.pod, attempt.columns, rows)
        if type(plugin) is ImageLocality:
            total = total + raw * attempt.profile.weights.get(plugin.name, 1)
        elif raw.min() != raw.max():
            # It is scaled by the best of the nodes that fit, and these change.
            return None
    return total


def _asked(attempt: Attempt, fit: Any) -> Amounts | None:
    profile, columns, state, pod = attempt.profile, attempt.columns, attempt.state, attempt.pod
    lines, least = fit.asked(state)
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
    score_lines, amounts, weights, strategy = scored
    return Amounts(
        lines,
        least,
        score_lines,
        amounts,
        weights,
        *balanced,
        strategy,
        fit_weight,
        balance_weight,
    )
