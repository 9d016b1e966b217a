"""``kubectl drain`` of one node, as a client in virtual time.

Each pod has its own loop, as each has a goroutine in kubectl: its eviction is tried every five
seconds as long as a budget refuses it, and then the client looks every second whether it is gone.
A timeout is noticed when the client looks or tries again, so that it may take a little longer.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.errors import ApiError, NotFound, TooManyRequests
from kubestage.golang import durations
from kubestage.objects import gvk, labels
from kubestage.runs.rehearse import drain_rules
from kubestage.store.deletion import DeleteOptions
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.runs.rehearse.drain_rules import DrainRules, PodVerdict
    from kubestage.sim.timer import Timer
    from kubestage.stage import Stage
    from kubestage.store.store import Store

RETRY_NS: Final = 5 * SECOND_NS
POLL_NS: Final = SECOND_NS
_NAMESPACE_ENDS: Final = "NamespaceTerminating"
_TIMED_OUT: Final = "timed out waiting for the condition"


@dataclasses.dataclass(slots=True)
class Blocked:
    """The refusals of evictions of one pod."""

    pod: str
    budget: str
    reason: str
    first_ns: int
    last_ns: int
    refusals: int = 1
    is_over: bool = False
    """Whether it was evicted in the end."""


@dataclasses.dataclass(slots=True)
class DrainSettings:
    """How pods are evicted."""

    rules: DrainRules
    grace_period_seconds: int | None = None
    timeout_ns: int = 0
    disable_eviction: bool = False


class _PodClient:
    """Evicts one pod and waits until it is gone."""

    def __init__(self, drain: NodeDrain, verdict: PodVerdict) -> None:
        self.verdict = verdict
        self.evicted_ns: int | None = None
        self._drain = drain
        self.timer: Timer = drain.stage.environment.timer(f"drain {verdict.key}", self._turn)

    def begin(self) -> None:
        self.timer.set(self._drain.stage.clock.now_ns)

    def _turn(self) -> None:
        now_ns = self._drain.stage.clock.now_ns
        deadline_ns = self._drain.deadline_ns
        if self.evicted_ns is not None and self._is_gone():
            self._drain.finished(self)
        elif deadline_ns is not None and now_ns >= deadline_ns:
            self._drain.gave_up(self)
        elif self.evicted_ns is None:
            self._evict(now_ns)
        else:
            self._wait(now_ns)

    def _evict(self, now_ns: int) -> None:
        namespace, _, name = self.verdict.key.partition("/")
        drain = self._drain
        options = DeleteOptions(grace_period_seconds=drain.settings.grace_period_seconds)
        try:
            if drain.settings.disable_eviction:
                drain.stage.store.delete(gvk.POD, name, namespace, options)
            else:
                drain.stage.store.evict(name, namespace, options)
        except NotFound:
            drain.finished(self)
            return
        except TooManyRequests as error:
            causes = error.details.get("causes") or [{"message": error.message}]
            drain.refused(self, causes[0]["message"])
            self.timer.set(now_ns + RETRY_NS)
            return
        except ApiError as error:
            if _is_ending(error):
                drain.refused(self, error.message)
                self.timer.set(now_ns + RETRY_NS)
            else:
                drain.failed(self, error.message)
            return
        self.evicted_ns = now_ns
        drain.evicted(self)
        self._wait(now_ns)

    def _wait(self, now_ns: int) -> None:
        """Look again: a client that looks every second sees it then, too."""
        self.timer.set(now_ns if self._is_gone() else now_ns + POLL_NS)

    def _is_gone(self) -> bool:
        pod = self._drain.stage.store.read(gvk.POD).get(self.verdict.key)
        return pod is None or pod["metadata"]["uid"] != self.verdict.uid


class NodeDrain:
    """The drain of one node; `on_end` is called when it has ended, well or not."""

    def __init__(
        self,
        stage: Stage,
        node: str,
        settings: DrainSettings,
        on_end: Callable[[NodeDrain], None],
    ) -> None:
        self.stage = stage
        self.node = node
        self.settings = settings
        self.began_ns = 0
        self.ended_ns: int | None = None
        self.deadline_ns: int | None = None
        self.problems: list[str] = []
        """Why it did not start, or did not succeed."""
        self.evictions: list[PodVerdict] = []
        self.blocked: dict[str, Blocked] = {}
        self._on_end = on_end
        self._clients: dict[str, _PodClient] = {}

    @property
    def is_done(self) -> bool:
        """Whether the node was drained."""
        return self.ended_ns is not None and not self.problems

    @property
    def remaining(self) -> list[str]:
        """The pods that are still to go."""
        return list(self._clients)

    def begin(self) -> None:
        """Cordon the node, and have all pods evicted that are to go, unless one is in the way."""
        store = self.stage.store
        self.began_ns = self.stage.clock.now_ns
        if self.settings.timeout_ns:
            self.deadline_ns = self.began_ns + self.settings.timeout_ns
        cordon(self.stage, self.node)
        found = drain_rules.verdicts(store, self.node, self.settings.rules)
        self.problems = drain_rules.refusals(found)
        going = [each for each in found if each.verdict == "evict"]
        if self.problems or not going:
            self._end()
            return
        self._clients = {each.key: _PodClient(self, each) for each in going}
        for client in self._clients.values():
            client.begin()

    def stop(self, why: str) -> None:
        """Give up."""
        for client in self._clients.values():
            client.timer.set(None)
        self.problems.append(why)
        self._end()

    def evicted(self, client: _PodClient) -> None:
        """A pod is on its way out."""
        self.evictions.append(client.verdict)
        blocked = self.blocked.get(client.verdict.key)
        if blocked is not None:
            blocked.is_over = True
            blocked.last_ns = self.stage.clock.now_ns

    def refused(self, client: _PodClient, reason: str) -> None:
        """A pod may not go yet."""
        now_ns, key = self.stage.clock.now_ns, client.verdict.key
        blocked = self.blocked.get(key)
        if blocked is None:
            budget = budget_of(self.stage.store, key)
            self.blocked[key] = Blocked(key, budget, reason, now_ns, now_ns)
        else:
            blocked.last_ns, blocked.reason = now_ns, reason
            blocked.refusals += 1

    def finished(self, client: _PodClient) -> None:
        """A pod is gone."""
        del self._clients[client.verdict.key]
        if not self._clients:
            self._end()

    def gave_up(self, client: _PodClient) -> None:
        """A pod was not gone in time; the words are kubectl's."""
        why = f"global timeout reached: {durations.go_string(self.settings.timeout_ns)}"
        namespace, _, name = client.verdict.key.partition("/")
        if self.settings.disable_eviction:
            self._problem(client, _TIMED_OUT)
        elif client.evicted_ns is None:
            self.failed(client, why)
        else:
            self._problem(client, f'error when waiting for pod "{name}" in namespace '
                          f'"{namespace}" to terminate: {why}')  # fmt: skip

    def failed(self, client: _PodClient, why: str) -> None:
        """A pod cannot be evicted; the words are kubectl's."""
        namespace, _, name = client.verdict.key.partition("/")
        self._problem(client, f'error when evicting pods/"{name}" -n "{namespace}": {why}')

    def _problem(self, client: _PodClient, text: str) -> None:
        if text not in self.problems:
            self.problems.append(text)
        self.finished(client)

    def _end(self) -> None:
        self.ended_ns = self.stage.clock.now_ns
        self._on_end(self)


def cordon(stage: Stage, node: str) -> None:
    """Have no more pods on a node."""
    stage.store.patch(gvk.NODE, node, {"spec": {"unschedulable": True}})


def uncordon(stage: Stage, node: str) -> None:
    """Let a node take pods again."""
    stage.store.patch(gvk.NODE, node, {"spec": {"unschedulable": None}})


def budget_of(store: Store, pod: str) -> str:
    """The key of the disruption budget that covers a pod, or nothing."""
    namespace = pod.partition("/")[0]
    has = (store.read(gvk.POD).get(pod) or {}).get("metadata", {}).get("labels") or {}
    for key, budget in store.read(gvk.POD_DISRUPTION_BUDGET).items():
        if key.startswith(f"{namespace}/"):
            selector = labels.from_label_selector((budget.get("spec") or {}).get("selector"))
            if selector.matches(has):
                return key
    return ""


def _is_ending(error: ApiError) -> bool:
    causes = error.details.get("causes") or ()
    return any(each.get("reason") == _NAMESPACE_ENDS for each in causes)
