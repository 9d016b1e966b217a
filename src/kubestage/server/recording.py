"""A session recorded as a Scenario: the requests to a served cluster, and when they came.

A step is a millisecond of virtual time. What was there when the recording began is there from step
0. What others decide is decided again when the Scenario runs: see `recorded_events`.
"""

from __future__ import annotations

import asyncio
import os
import pathlib
import re
import tempfile
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import timestamps, yaml_text
from kubestage.scenario import resource
from kubestage.scenario.resource import SCENARIO
from kubestage.server import recorded_events, snapshots
from kubestage.store import seeding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.scenario.resource import Event
    from kubestage.server.live import Live, Write


_STEP: Final = "1ms"
_STEP_NS: Final = 1_000_000
# A step is a 32 bit number: what comes after that many is in the last one.
_LAST: Final = 2**31 - 2
_EVERY_S: Final = 3.0
# So many events are written for people; more are written in a line each.
_SPREAD: Final = 1_000
# Harmless in JSON; some readers of YAML take them for the end of a line, or take them not at all.
_BREAKS: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
_ABOUT: Final = """\
# Recorded by `kubestage serve --record`: what was asked of the cluster, and when (a step is 1 ms).
# Left out, as it is decided anew when this runs: bindings, the status of pods, Events, Leases.
"""


class SessionRecorder:
    """Listens to the writes of a served stage; `start` has them written now and then.

    The file is replaced as a whole, so it is a Scenario at every moment. A file that is there and
    is none is left alone. If a Scenario ran, or the
    cluster was emptied, the recording starts again with what was left then.
    """

    def __init__(self, live: Live, path: str | pathlib.Path) -> None:
        self._live = live
        self._path = pathlib.Path(path)
        self.failure = ""
        self._texts: list[str] = []
        self._step = self._revision = 0
        self._began_ns = 0
        self._has_run = self._is_new = False
        self._task: asyncio.Task[None] | None = None
        self.begin_anew()
        try:
            is_taken = _is_taken(self._path)
            if not is_taken:
                self._write()
        except OSError as error:
            problem = f"cannot be written: {error.strerror or error}"
            fix = "name a file in a directory of yours"
            raise InputError(problem, file=str(path), path="--record", fix=fix) from None
        if is_taken:
            problem, fix = "is there already, and is no recording", "name another file"
            raise InputError(problem, file=str(path), path="--record", fix=fix)
        live.listeners.append(self.on_write)
        live.state.recorder = self

    def start(self) -> None:
        """Have the file written every few seconds; a loop must be running."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    def close(self) -> None:
        """Write all that there is, and listen no more."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if self.on_write in self._live.listeners:
            self._live.listeners.remove(self.on_write)
            self._live.state.recorder = None
            # How long the session lasted is known only now.
            self._is_new = True
            self.save()

    def begin_anew(self) -> None:
        """Forget everything: the cluster as it is now is where the recording begins."""
        self._texts = []
        self._step, self._has_run = 0, False
        self._began_ns = self._live.stage.clock.unix_ns
        for obj in snapshots.ordered(snapshots.objects(self._live.store)):
            kind = self._live.store.kinds.of(obj)
            if seeding.is_seeded(kind, obj["metadata"]["name"]):
                continue
            operation = recorded_events.beginning(snapshots.without_version(obj))
            if operation is not None:
                self._add(operation)
        # What comes next finds a cluster in which all that has happened.
        self._step = 1 if self._texts else 0
        self._revision = self._live.store.revision
        self._is_new = True

    def on_write(self, write: Write) -> None:
        """Handle one write."""
        if (write.kind.api_version, write.kind.kind) == SCENARIO:
            self._has_run = True
            return
        if self._has_run:
            self._after_scenario()
            return
        if recorded_events.is_reported(write):
            self._move_on()
            for operation in recorded_events.operations(self._live.store, write, self._revision):
                self._add(operation)
        self._revision = self._live.store.revision

    def imported(self, events: Iterable[Event]) -> None:
        """Handle objects that were imported."""
        self._move_on()
        for event in events:
            self._add({"operation": event.operation, "createOperation": dict(event.body)})
        self._revision = self._live.store.revision

    def save(self) -> None:
        """Write the file, if there is anything new; what goes wrong is the `failure`."""
        if not self._is_new:
            return
        try:
            self._write()
            self.failure = ""
        except OSError as error:
            self.failure = f"{self._path}: cannot be written: {error.strerror or error}"

    def _after_scenario(self) -> None:
        """The cluster is not the one that was recorded: a Scenario empties it."""
        scenarios = self._live.stage.scenarios
        if scenarios is None or scenarios.current is None:
            self.begin_anew()

    def _move_on(self) -> None:
        """Come to the step of this moment; what happened in between is not to be skipped."""
        passed_ns = self._live.stage.clock.unix_ns - self._began_ns
        happened = self._live.store.revision > self._revision + 1
        least = self._step + 1 if happened else self._step
        self._step = min(max(passed_ns // _STEP_NS, least), _LAST)

    def _add(self, operation: Json) -> None:
        number = len(self._texts)
        event = {"id": f"event-{number + 1}", "step": self._step, **operation}
        if number < _SPREAD:
            text = yaml_text.dump([event])
        else:
            text = f"- {_BREAKS.sub(_escaped, msgspec.json.encode(event).decode())}\n"
        self._texts.append(text)
        self._is_new = True

    def _write(self) -> None:
        """Put the file in its place, whole."""
        folder = self._path.parent
        descriptor, name = tempfile.mkstemp(prefix=f".{self._path.name}.", dir=folder)
        beside = pathlib.Path(name)
        try:
            with os.fdopen(descriptor, "wb") as out:
                out.write(self._text().encode())
            beside.replace(self._path)
        except OSError:
            beside.unlink(missing_ok=True)
            raise
        self._is_new = False

    def _text(self) -> str:
        passed = (self._live.stage.clock.unix_ns - self._began_ns) // _STEP_NS
        done = {
            "id": "done",
            "step": min(max(passed, self._step + 1), _LAST + 1),
            "operation": "Done",
            "doneOperation": {"done": True},
        }
        head = {
            "apiVersion": resource.API_VERSION,
            "kind": resource.KIND,
            "metadata": {
                "name": "session",
                "creationTimestamp": timestamps.format_time(self._began_ns),
            },
        }
        events = "".join([*self._texts, yaml_text.dump([done])])
        spec = f"spec:\n  stepDuration: {_STEP}\n  events:\n"
        return _ABOUT + yaml_text.dump(head) + spec + _indented(events)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(_EVERY_S)
            self.save()


def _is_taken(path: pathlib.Path) -> bool:
    """Whether there is something that a recording must not replace: only another one is ours."""
    if not path.exists() or path.is_dir():
        return False
    if not path.is_file():
        return True
    with path.open("rb") as file:
        began = file.read(len(_ABOUT))
    return bool(began) and began != _ABOUT.encode()


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def _indented(text: str) -> str:
    return "".join(f"  {line}\n" if line else "\n" for line in text.removesuffix("\n").split("\n"))
