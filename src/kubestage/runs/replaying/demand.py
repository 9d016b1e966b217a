"""What the workloads of a recording used over time: the demand that a replay spreads over its pods.

Pods of a replay have other names, and there may be more or fewer of them. So usage is that of a
workload's containers of one name, all pods together, at each time.
"""

from __future__ import annotations

import bisect
import itertools
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.controllers import pods as pod_states
from kubestage.errors import InputError
from kubestage.objects import timestamps
from kubestage.runs.replaying.pod_log import workload_of
from kubestage.sources.folding import State

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.runs.replaying.recorded import Recorded
    from kubestage.sources.usage import UsageSample

Workload = tuple[str, str]
"""The name of a workload, and that of a container in its pods."""
_NO_END: Final = 1 << 62


class Step(NamedTuple):
    """By how much the use of a workload changes, and its number of containers."""

    at_ns: int
    cores: float
    memory: float
    containers: int


class Demand(msgspec.Struct, frozen=True, gc=False):
    """The use of one workload's containers: at each time a step, that holds until the next one."""

    workload: str
    container: str
    times_ns: list[int]
    """Unix times, in order."""
    cores: list[float]
    """All containers together."""
    memory_bytes: list[float]
    """Of one container, on average."""
    used: list[float]
    """Core-nanoseconds from the first time to each."""

    def mean_cores(self, begin_ns: int, end_ns: int) -> float:
        """The cores that were in use together, on average between two moments."""
        if end_ns <= begin_ns:
            return 0.0
        return (self._until(end_ns) - self._until(begin_ns)) / (end_ns - begin_ns)

    def memory(self, at_ns: int) -> float:
        """The memory of one container, on average over those that there were."""
        place = bisect.bisect_right(self.times_ns, at_ns) - 1
        return self.memory_bytes[place] if place >= 0 else 0.0

    def _until(self, at_ns: int) -> float:
        place = bisect.bisect_right(self.times_ns, at_ns) - 1
        if place < 0:
            return 0.0
        return self.used[place] + self.cores[place] * (at_ns - self.times_ns[place])


def of_steps(name: Workload, steps: Iterable[Step]) -> Demand:
    """The demand of steps, each of which says by how much use changes at a time."""
    found = Demand(*name, [], [], [], [])
    cores = memory = used = 0.0
    count = 0
    for at_ns, group in itertools.groupby(sorted(steps), key=lambda each: each.at_ns):
        if found.times_ns:
            used += cores * (at_ns - found.times_ns[-1])
        for step in group:
            cores, memory, count = cores + step.cores, memory + step.memory, count + step.containers
        found.times_ns.append(at_ns)
        found.cores.append(cores)
        found.memory_bytes.append(memory / count if count else 0.0)
        found.used.append(used)
    return found


def encode(demands: Iterable[Demand]) -> str:
    """One line of JSON for each, as a run directory has them."""
    lines = [msgspec.json.encode(each).decode() for each in demands]
    return "".join(f"{line}\n" for line in lines)


def read(file: pathlib.Path) -> list[Demand]:
    """What `encode` has written."""
    try:
        return [msgspec.json.decode(line, type=Demand) for line in file.read_bytes().splitlines()]
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        fix = "replay the recording again with --out"
        raise InputError(str(error), file=str(file), fix=fix) from None


class _Life(msgspec.Struct):
    workload: str
    begin_ns: int
    end_ns: int = _NO_END


def of_recording(this: Recorded, samples: Iterable[UsageSample]) -> list[Demand]:
    """The demand of each workload; samples of pods that the recording does not have are ignored.

    A container used from the beginning what its first sample says, between two samples what the
    second says (its window ends then), and after the last one what that says until it ended.
    """
    lives = _lives(this)
    series: dict[tuple[str, str], list[UsageSample]] = {}
    for each in samples:
        if each.container:
            series.setdefault((f"{each.namespace}/{each.pod}", each.container), []).append(each)
    steps: dict[Workload, list[Step]] = {}
    for (pod, container), found in series.items():
        life = lives.get(pod)
        if life is not None:
            steps.setdefault((life.workload, container), []).extend(_steps(life, found))
    return [of_steps(name, steps[name]) for name in sorted(steps)]


def _steps(life: _Life, samples: Sequence[UsageSample]) -> Iterator[Step]:
    begin_ns = min(life.begin_ns, samples[0].at_ns)
    cpu = memory = 0.0
    for number, each in enumerate(samples):
        now, bytes_now = each.cpu_nanocores / 1e9, float(each.memory_bytes)
        at_ns = begin_ns if not number else samples[number - 1].at_ns
        yield Step(at_ns, now - cpu, bytes_now - memory, int(not number))
        cpu, memory = now, bytes_now
    if life.end_ns != _NO_END:
        yield Step(max(life.end_ns, samples[-1].at_ns), -cpu, -memory, -1)


def _lives(this: Recorded) -> dict[str, _Life]:
    """From when to when the containers of each pod ran, by ``namespace/name``."""
    lives: dict[str, _Life] = {}
    for obj in this.objects:
        if obj["kind"] == "Pod":
            _see(lives, obj, this.begin_ns)
    state = State(this.objects)
    for change in this.changes:
        if change.reference.kind != "Pod":
            continue
        state.apply(change)
        pod = None if change.verb == "delete" else state.get(change.reference)
        if pod is not None:
            _see(lives, pod, change.at_ns)
            continue
        life = lives.get(f"{change.reference.namespace}/{change.reference.name}")
        if life is not None:
            life.end_ns = min(life.end_ns, change.at_ns)
    return lives


def _see(lives: dict[str, _Life], pod: Json, at_ns: int) -> None:
    metadata = pod["metadata"]
    started_ns = _started_ns(pod)
    if started_ns is None:
        return
    key = f"{metadata.get('namespace') or ''}/{metadata['name']}"
    life = lives.setdefault(key, _Life(workload_of(pod), started_ns))
    life.end_ns = at_ns if pod_states.is_terminal(pod) else _NO_END


def _started_ns(pod: Json) -> int | None:
    """When its first container started; None while none has."""
    found = []
    for each in (pod.get("status") or {}).get("containerStatuses") or ():
        state = each.get("state") or {}
        part = state.get("running") or state.get("terminated") or {}
        if part.get("startedAt"):
            found.append(timestamps.parse_time(part["startedAt"]))
    return min(found, default=None)
