"""Why nobody ever tried to find a node for a pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.views.pod import DEFAULT_SCHEDULER
from kubestage.scheduler import config

if TYPE_CHECKING:
    from kubestage.cli.explain_subject import Told
    from kubestage.results.analysis import PodState
    from kubestage.results.repeat import Repeat


def reason(pod: PodState, of: Told) -> str:
    """What a run tells of that."""
    told, spec = of.digest, pod.object.get("spec") or {}
    if pod.node and not (told.has_attempts or of.run.record is not None):
        return "attempts were not recorded: `kubestage run --out DIR` keeps them"
    if pod.node:
        return f"it was created on {pod.node}, so nothing was decided about it"
    gates = [str(gate.get("name")) for gate in spec.get("schedulingGates") or ()]
    if gates:
        return f"waiting for scheduling gates: [{' '.join(gates)}]"
    profiles = _profiles(of.run.repeat)
    if profiles and pod.profile not in profiles:
        return f"no profile is called {pod.profile} (there is {', '.join(profiles)})"
    if pod.finished is not None:
        return "it had ended when it was created"
    if pod.deleted is not None:
        return f"it was deleted in step {pod.deleted}, before its turn came"
    if told.phase not in ("Succeeded", "Paused"):
        problem = f": {told.message}" if told.message else ""
        end = "failed" if told.phase == "Failed" else "stopped"
        return f"the run {end} before its turn came{problem}"
    if spec.get("resourceClaims"):
        return "it waits for ResourceClaims that are not there"
    return "it was not tried"


def _profiles(how: Repeat | None) -> list[str]:
    """The profiles of the scheduler, if the run tells."""
    if how is None:
        return []
    if how.configuration is None:
        return [str(how.flags.get("scheduler_name", DEFAULT_SCHEDULER))]
    return [each.scheduler_name for each in config.load(how.configuration).profiles]
