"""The records of Scenarios that ran on this server: a file each, in a directory of their own."""

from __future__ import annotations

import hashlib
import pathlib
import shutil
import tempfile
import weakref
from typing import TYPE_CHECKING, Final

import kubestage
from kubestage import lazy
from kubestage.errors import InputError
from kubestage.results.history.attempt_rows import pack
from kubestage.scenario.resource import SCENARIO
from kubestage.scenario.settings import Detail
from kubestage.server.kubestage_api.attempts import ExplanationBudget
from kubestage.store.log import DELETED

# NOTE: loaded with the first Scenario, as is the database behind it.
with lazy.imports():
    from kubestage.results import run_record

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.aliases import Json
    from kubestage.results.run_record import RunRecord
    from kubestage.scheduler.measuring import MeasuredValue
    from kubestage.scheduler.record import Decision
    from kubestage.server.live import Live
    from kubestage.store.log import Change


_KEPT: Final = 100
_BYTES: Final = 64 * 1024 * 1024
_ENDED: Final = ("Succeeded", "Failed")
_GROUP: Final = SCENARIO[0].partition("/")[0]


class RunRecords:
    """Records Scenarios: a sink for all of them, one after the other.

    Files are named after hashes, so that no name of an object is ever a path. The file of the
    current Scenario cannot be read yet: `uid` is its uid, `rows` and `explanations` are its
    attempts. At detail `full`, explanations are in its status as well, where clients find them.
    """

    stores_details = False

    def __init__(self, live: Live, directory: pathlib.Path | None) -> None:
        self._live = live
        self._clean_up: Callable[[], object] | None = None
        if directory is None:
            directory = pathlib.Path(tempfile.mkdtemp(prefix="kubestage-runs-"))
            # Also when the server that was to close the records is dropped.
            self._clean_up = weakref.finalize(self, shutil.rmtree, directory, ignore_errors=True)
        self._directory = directory
        try:
            directory.mkdir(0o700, parents=True, exist_ok=True)
            for left_over in directory.glob(".*.partial"):
                left_over.unlink(missing_ok=True)
        except OSError as error:
            problem = f"cannot be used: {error.strerror or error}"
            fix = "free some space, or use another data directory"
            raise InputError(problem, file=str(directory), fix=fix) from None
        self._record: RunRecord | None = None
        self.uid = ""
        self.explanations: dict[int, bytes] = {}
        self._bytes = 0
        self.rows: list[tuple[int, Decision]] = []
        self._budget = ExplanationBudget(at_once=500_000, each_second=20_000)
        live.store.subscribe(self.on_change, {(_GROUP, SCENARIO[1])})

    def attempt(self, step: int, decision: Decision, uid: str, explanation: Json | None) -> None:
        """An attempt has ended."""
        attempts = self._live.state.attempts
        if attempts is not None:
            attempts.add_of_scenario(decision, uid)
        record = self._open()
        if record is None:
            return
        self.rows.append((step, decision))
        if explanation is not None:
            self._store_explanation(decision.number, pack(explanation))
        self._budget.spend(0 if explanation is None else decision.evaluated)
        self._set_detail()
        try:
            record.attempt(step, decision, uid, explanation)
        except InputError:
            self._give_up()

    def event(self, step: int, event: Json) -> None:
        """The timeline has one more event."""
        record = self._open()
        if record is None:
            return
        self._set_detail()
        try:
            record.event(step, event)
        except InputError:
            self._give_up()

    def measured(self, values: Sequence[MeasuredValue]) -> None:
        """Measures were computed."""
        record = self._open()
        if record is None:
            return
        try:
            record.measured(values)
        except InputError:
            self._give_up()

    def step_finished(self, step: int, at_ns: int) -> None:
        """A step has ended."""
        record = self._open()
        if record is None:
            return
        try:
            record.step_finished(step, at_ns)
        except InputError:
            self._give_up()

    def on_change(self, change: Change) -> None:
        """Handle a change of a Scenario: the record of one that has ended is complete."""
        if change.new["metadata"]["uid"] != self.uid:
            return
        phase = (change.new.get("status") or {}).get("phase")
        if change.type == DELETED or phase in _ENDED:
            self._finish()

    def close(self) -> None:
        """Keep what there is, and let go of everything."""
        self._live.store.unsubscribe(self.on_change)
        self._finish()
        if self._clean_up is not None:
            self._clean_up()

    def has(self, uid: str) -> bool:
        """Whether anything is kept of a Scenario."""
        return uid == self.uid or bool(self.paths(uid))

    def all_paths(self) -> list[pathlib.Path]:
        """The files of all Scenarios that have ended, the oldest first."""
        return sorted(self._directory.glob("*.sqlite"), key=_age)

    def paths(self, uid: str) -> list[pathlib.Path]:
        """The files of a Scenario, in order: one for each process that it was run by."""
        return sorted(self._directory.glob(f"{_stem(uid)}-*.sqlite"))

    def _open(self) -> RunRecord | None:
        """The record of the Scenario that is under way."""
        controller = self._live.stage.scenarios
        name = None if controller is None else controller.current
        scenario = None if name is None else self._live.store.read(SCENARIO).get(name)
        if scenario is None:
            return None
        uid: str = scenario["metadata"]["uid"]
        if uid != self.uid:
            self._finish()
            self.uid = uid
            self._begin(scenario["metadata"]["name"], uid)
        return self._record

    def _store_explanation(self, number: int, packed: bytes) -> None:
        """Keep an explanation at hand; the oldest make room, as the file has them."""
        self.explanations[number] = packed
        self._bytes += len(packed)
        while self._bytes > _BYTES:
            self._bytes -= len(self.explanations.pop(next(iter(self.explanations))))

    def _begin(self, name: str, uid: str) -> None:
        for old in self.all_paths()[: -_KEPT + 1]:
            old.unlink(missing_ok=True)
        path = self._directory / f"{_stem(uid)}-{len(self.paths(uid)):04}.sqlite"
        about = {"name": name, "uid": uid, "kubestage": kubestage.__version__}
        try:
            self._record = run_record.RunRecord(path, about)
        except InputError:
            self._record = None

    def _finish(self) -> None:
        record, self._record = self._record, None
        self.uid = ""
        self.explanations.clear()
        self._bytes = 0
        self.rows.clear()
        if record is not None:
            try:
                record.close()
            except (InputError, OSError):
                record.discard()

    def _give_up(self) -> None:
        """The disk takes no more: the Scenario goes on without a record."""
        if self._record is not None:
            self._record.discard()
            self._record = None

    def _set_detail(self) -> None:
        """Have the next attempts recorded in full, if requested, else as far as the budget goes."""
        stage = self._live.stage
        if stage.scheduler is not None and stage.scenarios is not None:
            attempts = stage.scenarios.attempts
            in_full = attempts.detail is Detail.FULL or self._budget.spend(0)
            stage.scheduler.record.hand_on(attempts, in_full=in_full)


def _stem(uid: str) -> str:
    return hashlib.sha256(uid.encode()).hexdigest()[:32]


def _age(path: pathlib.Path) -> tuple[float, str]:
    return path.stat().st_mtime, path.name
