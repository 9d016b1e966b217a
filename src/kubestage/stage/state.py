"""The objects, the clock and the random streams of a stage."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Self

from kubestage.errors import InputError, SimulationError
from kubestage.golang import durations
from kubestage.objects import timestamps
from kubestage.sim.clock import EPOCH_2026_NS, Clock
from kubestage.sim.environment import Environment
from kubestage.sim.recorder import CountsOnly
from kubestage.sim.streams import Streams
from kubestage.stage import manifests
from kubestage.stage.collections import few_collections
from kubestage.store import admission as admission_steps
from kubestage.store import restoring
from kubestage.store.client_side_apply import Applier
from kubestage.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.stage.manifests import Objects
    from kubestage.store.admission.admission_request import Check, Step
    from kubestage.store.bootstrap import Bootstrap
    from kubestage.store.core import GarbageMode
    from kubestage.store.restoring import Past

_SLICE_NS = 1_000_000_000
_MOVEMENTS = 5_000


def _ignore() -> None:
    """Progress is not reported."""


class StageState:
    """The objects, the clock and the random streams of a cluster.

    The same seed and the same calls give the same names, uids, times and events, in any process.
    `start` says which moment of the calendar is time zero. Namespaces that loaded objects name are
    created as needed unless `implicit_namespaces` is off. With a `past`, the stage goes on where an
    earlier one ended; schedulers and controllers that are then added take over its objects.

    The other arguments are those of `Store`: the steps and checks of `admission`, whether `garbage`
    is collected at once or by a controller, how many changes watches can go back (`history`),
    which field manager the first objects name (`seeded_by`), and whether pods may be privileged.
    """

    bootstrap: Bootstrap | None = None
    """The API server that a served cluster has; the store has it while no Scenario runs."""

    def __init__(
        self,
        seed: int = 0,
        *,
        start: str | None = None,
        implicit_namespaces: bool = True,
        past: Past | None = None,
        admission: tuple[Step, ...] = admission_steps.DEFAULT,
        checks: tuple[Check, ...] = admission_steps.CHECKS,
        garbage: GarbageMode = "immediate",
        history: int = 100_000,
        seeded_by: str = "",
        first_revision: int = 1,
        allow_privileged: bool = True,
    ) -> None:
        self.seed = seed
        self.streams = Streams(seed, 0 if past is None else past.boot)
        epoch_ns = EPOCH_2026_NS if start is None else timestamps.parse_time(start)
        self._start_ns = epoch_ns if past is None else past.unix_ns
        self.clock = Clock(self._start_ns)
        self.environment = Environment(clock=self.clock, recorder=CountsOnly())
        self.store = Store(
            self.clock,
            self.streams,
            implicit_namespaces=implicit_namespaces,
            admission=admission,
            checks=checks,
            garbage=garbage,
            history=history,
            seeded_by=seeded_by,
            allow_privileged=allow_privileged,
            first_revision=first_revision if past is None else past.revision,
            seeded=past is None,
        )
        if past is not None:
            restoring.restore(self.store, past)
        self._applier = Applier()

    @property
    def now(self) -> str:
        """The virtual time, as objects write it."""
        return timestamps.format_time(self.clock.unix_ns)

    def load(self, objects: Objects) -> list[Json]:
        """Put objects on the stage as they are, status and uid included; returns them as stored.

        Takes YAML or JSON text, a dict, or dicts. Definitions, namespaces and classes go first,
        all else in the order given.
        """
        return [self.store.load(obj) for obj in manifests.in_order(objects)]

    def apply(self, objects: Objects) -> list[Json]:
        """Create or change objects as ``kubectl apply`` does; returns them as stored.

        What is new is defaulted, admitted and validated, and has no status. What is there takes
        on what the manifest says, and loses what only an earlier manifest had.
        """
        return [self._applier.apply(self.store, obj) for obj in manifests.in_order(objects)]

    def run(self, duration: str | int) -> None:
        """Let virtual time pass: ``"10m"``, or nanoseconds."""
        if isinstance(duration, str):
            try:
                duration = durations.parse_duration(duration)
            except ValueError as error:
                raise InputError(str(error), fix="write it as 90s, 10m or 1h30m") from error
        with few_collections():
            self.environment.run(until_ns=self.clock.now_ns + duration)
            self._check()

    def run_until(
        self, is_over: Callable[[], bool], on_progress: Callable[[], None] = _ignore
    ) -> None:
        """Let virtual time pass until something is over; `on_progress` is called now and then.

        `is_over` is called after every few thousand movements, so time may go on a little longer.
        """
        with few_collections():
            while not is_over():
                due_ns = self.environment.next_movement_time
                if due_ns is None:
                    raise SimulationError("nothing is going to happen, and it is not over")
                self.environment.run_some(due_ns + _SLICE_NS, _MOVEMENTS)
                on_progress()
            self._check()

    def resumed(self, past: Past, *, seed: int | None = None, history: int = 100_000) -> Self:
        """A new stage, made as this one was, that goes on from a past; nothing is at work there."""
        store = self.store
        resumed = type(self)(
            self.seed if seed is None else seed,
            past=past,
            implicit_namespaces=store.implicit_namespaces,
            admission=store.admission,
            checks=store.checks,
            garbage=store.garbage_mode,
            history=history,
            seeded_by=store.seeded_by,
            allow_privileged=store.allow_privileged,
        )
        resumed.bootstrap, resumed.store.bootstrap = self.bootstrap, store.bootstrap
        if store.shows_definitions:
            resumed.store.show_definitions()
        return resumed

    def fork(self) -> Self:
        """An independent copy that goes on as this one would."""
        # NOTE: all objects of a copy are new, and none is part of a cycle that could go.
        with few_collections():
            copy: Self = pickle.loads(pickle.dumps(self, pickle.HIGHEST_PROTOCOL))
        return copy

    def _check(self) -> None:
        """Raise what went wrong while time passed."""
