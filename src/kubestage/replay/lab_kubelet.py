"""The kubelet of the recordings: it waits for quiet, then does one thing (or one class of things).

So every controller has finished with one event before the next one happens, and what a recording
shows does not depend on who is faster.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import gvk, timestamps
from kubestage.replay import lab_pods
from kubestage.store.deletion import DeleteOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.replay.scenario import KubeletMode
    from kubestage.sim.environment import Environment
    from kubestage.store.log import Change
    from kubestage.store.store import Store

    Act = Callable[["LabKubelet", dict[str, Any]], None]


_PARALLEL_START_NS: Final = 200_000_000
# How long one request takes: the controllers react to it before the next one.
_REQUEST_NS: Final = 3_000_000


class LabKubelet:
    """Lets pods run and end, on all nodes that are not `asleep`."""

    def __init__(
        self, store: Store, environment: Environment, mode: KubeletMode, quiet_ns: int
    ) -> None:
        self._store = store
        self._clock = environment.clock
        self._mode = mode
        self._quiet_ns = quiet_ns
        self._changed_ns = 0
        self._bound_ns: dict[str, int] = {}
        self._ends_ns: dict[str, int] = {}
        self._acts: deque[tuple[Act, str]] = deque()
        self._next_act_ns = 0
        self._addresses = 0
        self.asleep: set[str] = set()
        self._alarm = environment.timer("LabKubelet", self._on_time)

    def on_change(self, change: Change) -> None:
        """Something happened, so it is not quiet."""
        self._changed_ns = self._clock.now_ns
        if change.kind.kind == "Pod":
            pod = change.new
            if pod["spec"].get("nodeName"):
                self._bound_ns.setdefault(pod["metadata"]["uid"], self._clock.now_ns)
        self._set_alarm()

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing left to do, now or later."""
        return not (self._acts or self._ending() or self._to_start() or self._running_out())

    def wake(self) -> None:
        """A node may have fallen asleep or woken up."""
        self._set_alarm()

    def end(self, pod: Json, code: int) -> None:
        """A pod's container ends now."""
        self._ends_ns.pop(pod["metadata"]["uid"], None)
        self._write(pod, lab_pods.ended(pod, self._now(), code))

    def _set_alarm(self) -> None:
        due_ns = self._next_act_ns if self._acts else self._due_ns()
        self._alarm.set(due_ns)

    def _due_ns(self) -> int | None:
        quiet_ns = self._changed_ns + self._quiet_ns
        starting, ends = self._to_start(), [at for at, _ in self._running_out()]
        if self._mode == "parallel":
            if self._ending():
                return self._clock.now_ns
            starts = [self._bound_ns[each["metadata"]["uid"]] for each in starting]
            return min([at + _PARALLEL_START_NS for at in starts] + ends, default=None)
        if self._ending() or starting:
            return quiet_ns
        return max(quiet_ns, min(ends)) if ends else None

    def _on_time(self) -> None:
        if not self._acts:
            self._plan()
        if not self._acts:
            return
        act, uid = self._acts.popleft()
        self._next_act_ns = self._clock.now_ns + _REQUEST_NS
        pod = next((each for each in self._pods() if each["metadata"]["uid"] == uid), None)
        if pod is not None:
            act(self, pod)
        self._set_alarm()

    def _plan(self) -> None:
        """What is to be done now, request by request.

        Of the first class of which there is any: one thing, or in rounds all of that class. In
        parallel, all that is due.
        """
        now_ns, one_by_one = self._clock.now_ns, self._mode == "serial"
        ending = self._ending()
        due = [pod for at_ns, pod in self._running_out() if at_ns <= now_ns]
        starting = self._to_start()
        if self._mode == "parallel":
            starting = [pod for pod in starting if self._bound_for_ns(pod) >= _PARALLEL_START_NS]
        for pod in ending:
            self._add(LabKubelet._terminate, pod)
            self._add(LabKubelet._remove, pod)
        if not ending or self._mode == "parallel":
            for pod in due[:1] if one_by_one else due:
                self._add(LabKubelet._exit, pod)
        if not (ending or due) or self._mode == "parallel":
            for pod in starting[:1] if one_by_one else starting:
                self._add(LabKubelet._start, pod)

    def _add(self, act: Act, pod: Json) -> None:
        self._acts.append((act, pod["metadata"]["uid"]))

    def _bound_for_ns(self, pod: Json) -> int:
        return self._clock.now_ns - self._bound_ns[pod["metadata"]["uid"]]

    def _pods(self) -> list[Json]:
        """The pods of nodes that are awake, oldest binding first."""
        nodes = self._store.read(gvk.NODE)
        awake = [
            pod
            for pod in self._store.read(gvk.POD).values()
            if (node := pod["spec"].get("nodeName")) in nodes and node not in self.asleep
        ]
        return sorted(awake, key=self._age)

    def _age(self, pod: Json) -> tuple[int, int]:
        metadata = pod["metadata"]
        return self._bound_ns.get(metadata["uid"], 0), int(metadata["resourceVersion"])

    def _ending(self) -> list[Json]:
        return [
            pod
            for pod in self._pods()
            if "deletionTimestamp" in pod["metadata"]
            and lab_pods.annotation(pod, "stuck") is None
            and not (_is_over(pod) and pod["metadata"].get("deletionGracePeriodSeconds") == 0)
        ]

    def _to_start(self) -> list[Json]:
        return [
            pod
            for pod in self._pods()
            if "deletionTimestamp" not in pod["metadata"]
            and (pod.get("status") or {}).get("phase", "Pending") == "Pending"
            and lab_pods.annotation(pod, "never-start") is None
        ]

    def _running_out(self) -> list[tuple[int, Json]]:
        """The pods that will end by themselves, and when."""
        found = []
        for pod in self._pods():
            at_ns = self._ends_ns.get(pod["metadata"]["uid"])
            if at_ns is not None and not _is_over(pod):
                found.append((at_ns, pod))
        return sorted(found, key=lambda each: each[0])

    def _terminate(self, pod: Json) -> None:
        if not _is_over(pod):
            self.end(pod, lab_pods.TERMINATED_EXIT_CODE)

    def _remove(self, pod: Json) -> None:
        metadata = pod["metadata"]
        self._store.delete(
            gvk.POD, metadata["name"], metadata["namespace"], DeleteOptions(grace_period_seconds=0)
        )

    def _exit(self, pod: Json) -> None:
        code = lab_pods.exit_code(pod)
        assert code is not None, "only pods that will end have a time for it"
        self.end(pod, code)

    def _start(self, pod: Json) -> None:
        self._addresses += 1
        address = f"10.0.{self._addresses // 250}.{self._addresses % 250 + 1}"
        if lab_pods.exit_code(pod) is not None:
            ends_ns = self._clock.now_ns + lab_pods.exits_after_ns(pod)
            self._ends_ns[pod["metadata"]["uid"]] = ends_ns
        self._write(pod, lab_pods.running(pod, self._now(), address))

    def _write(self, pod: Json, status: Json) -> None:
        metadata = pod["metadata"]
        self._store.record_status(gvk.POD, f"{metadata['namespace']}/{metadata['name']}", status)

    def _now(self) -> str:
        return timestamps.format_time(self._clock.unix_ns)


def _is_over(pod: Json) -> bool:
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
