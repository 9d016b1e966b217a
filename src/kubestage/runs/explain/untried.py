"""Why the scheduler never tried to schedule a pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.views.pod import DEFAULT_SCHEDULER
from kubestage.scheduler import config

if TYPE_CHECKING:
    from kubestage.results.analysis import PodState
    from kubestage.results.repeat import Repeat
    from kubestage.runs.explain.subject import RunPods


def reason(pod: PodState, run: RunPods) -> str:
    """The reason, as far as the run shows it."""
    digest, spec = run.digest, pod.object.get("spec") or {}
    if pod.node and not (digest.has_attempts or run.run.record is not None):
        return "attempts were not recorded: `kubestage run --out DIR` keeps them"
    if pod.node:
        return f"it was created on {pod.node}, so nothing was decided about it"
    gates = [str(gate.get("name")) for gate in spec.get("schedulingGates") or ()]
    if gates:
        return f"waiting for scheduling gates: [{' '.join(gates)}]"
    profiles = _profiles(run.run.repeat)
    if profiles and pod.profile not in profiles:
        return f"no profile is called {pod.profile} (there is {', '.join(profiles)})"
    if pod.finished is not None:
        return "it had ended when it was created"
    if pod.deleted is not None:
        return f"it was deleted in step {pod.deleted}, before its turn came"
    if digest.phase not in ("Succeeded", "Paused"):
        problem = f": {digest.message}" if digest.message else ""
        end = "failed" if digest.phase == "Failed" else "stopped"
        return f"the run {end} before its turn came{problem}"
    if spec.get("resourceClaims"):
        return "it waits for ResourceClaims that are not there"
    return "it was not tried"


def _profiles(how: Repeat | None) -> list[str]:
    """The profiles of the scheduler, if the run recorded them."""
    if how is None:
        return []
    if how.configuration is None:
        return [str(how.flags.get("scheduler_name", DEFAULT_SCHEDULER))]
    return [each.scheduler_name for each in config.load(how.configuration).profiles]
