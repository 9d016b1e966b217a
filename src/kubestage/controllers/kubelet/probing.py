"""Probes of containers whose programs are modelled, round by round.

Rounds that cannot find anything new are left out: when a probe has settled, and nothing in the
container is going to change by itself, the next round waits until something does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.kubelet import handlers
from kubestage.controllers.kubelet import pod as steps
from kubestage.controllers.kubelet.containers import RUNNING

if TYPE_CHECKING:
    from kubestage.controllers.kubelet.containers import Container
    from kubestage.controllers.kubelet.network import Network
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.controllers.kubelet.probes import Probe
    from kubestage.sim.clock import Clock

STEPS: Final = {name: step for step, name in steps.PROBES.items()}
SUCCEEDED: Final = "succeeded"
FAILED: Final = "failed"
GAVE_UP: Final = "gave up"
_SUCCESSES: Final = 0
_FAILURES: Final = 1
_VERSION: Final = 2


class Probing:
    """Plans rounds of probes, and counts what they find."""

    def __init__(self, clock: Clock, network: Network) -> None:
        self._clock = clock
        self._network = network

    def follows(self, container: Container, name: str) -> bool:
        """Whether a probe is carried out round by round."""
        probe = _probe(container, name)
        if probe is None or probe.fails:
            return False
        return handlers.is_known(container, probe.stated)

    def begin(self, pod: Pod, container: Container, name: str, first_ns: int) -> None:
        """Plan the first round of a probe."""
        if container.rounds is None:
            container.rounds = {}
        container.rounds[name] = [0, 0, -1]
        pod.plan_step(container.started_ns + first_ns, STEPS[name], container)

    def carry_out(self, pod: Pod, container: Container, name: str) -> tuple[str, str]:
        """One round: whether the probe has succeeded or failed often enough, and what it found."""
        probe, rounds = _probe(container, name), container.rounds
        assert probe is not None
        assert rounds is not None
        counts = rounds[name]
        problem = handlers.problem(pod, container, probe.stated, self._network)
        if problem is None:
            counts[_SUCCESSES], counts[_FAILURES] = counts[_SUCCESSES] + 1, 0
            verdict = SUCCEEDED if counts[_SUCCESSES] >= probe.successes else ""
        else:
            counts[_SUCCESSES], counts[_FAILURES] = 0, counts[_FAILURES] + 1
            verdict = GAVE_UP if counts[_FAILURES] >= probe.failures else FAILED
        return verdict, problem or ""

    def plan_next(self, pod: Pod, container: Container, name: str) -> None:
        """Plan the next round, unless nothing can have changed by then."""
        probe, rounds, process = _probe(container, name), container.rounds, container.process
        if probe is None or rounds is None or process is None or container.state != RUNNING:
            return
        counts, next_ns = rounds[name], self._clock.now_ns + probe.period_ns
        version = process.context.files.version
        is_same, counts[_VERSION] = counts[_VERSION] == version, version
        enough = probe.successes if counts[_SUCCESSES] else probe.failures
        if max(counts[_SUCCESSES], counts[_FAILURES]) >= enough:
            wake_ns = process.wake_ns
            if wake_ns is None or (process.due_ns is None and is_same):
                return
            late_ns = max(wake_ns - next_ns, 0)
            next_ns += -(-late_ns // probe.period_ns) * probe.period_ns
        pod.plan_step(next_ns, STEPS[name], container)

    def wake(self, pod: Pod) -> None:
        """Something in a pod has changed: probes that had settled go on."""
        now_ns = self._clock.now_ns
        for each in pod.all_containers():
            if each.state != RUNNING or each.rounds is None:
                continue
            for name in each.rounds:
                probe = _probe(each, name)
                if probe is None or (name == "startup" and each.started):
                    continue
                pod.drop_kind(STEPS[name], each)
                passed = (now_ns - each.started_ns) // probe.period_ns + 1
                at_ns = each.started_ns + passed * probe.period_ns
                pod.plan_step(at_ns, STEPS[name], each)


def _probe(container: Container, name: str) -> Probe | None:
    plan = container.plan
    return {"startup": plan.startup, "liveness": plan.liveness, "readiness": plan.readiness}[name]
