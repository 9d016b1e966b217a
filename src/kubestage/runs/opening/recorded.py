"""Runs whose history was recorded: rehearsals, and loads on a stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

import kubestage
from kubestage.errors import InputError
from kubestage.files import reading as file_reading
from kubestage.objects import timestamps
from kubestage.results import kept_test, run_place
from kubestage.results.history import history_directory
from kubestage.results.history.cluster_history import ClusterHistory, HistoryStart
from kubestage.results.load import reading
from kubestage.runs.opening.opened_run import OpenedRun
from kubestage.scheduler import config
from kubestage.scheduler.record import Recording
from kubestage.stage import Stage, few_collections
from kubestage.store.restoring import ObjectKey, Past

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.results.history.history_file import RecordedHistory
    from kubestage.runs.observer import Observer
    from kubestage.runs.opening.opened_run import RunKind

_STAGE: Final = "stage"
_SAVED_EARLIER: Final = "it was kept by an earlier kubestage: make it again"


def open_load(path: pathlib.Path) -> OpenedRun:
    """The history of a load on a stage; of one on a real cluster there is none."""
    report = reading.open_report(path)
    try:
        cluster = report.facts.get("cluster", _STAGE)
        names = [each["identifier"] or each["name"] for each in report.tests()]
    finally:
        report.close()
    if cluster != _STAGE:
        fix = f"open {path / 'report.html'}, or run the load on a stage: leave out --kubeconfig"
        problem = f"is a load on a real cluster, {cluster}, of which no history was recorded"
        raise InputError(problem, file=str(path), fix=fix)
    recorded = history_directory.read(path)
    if recorded is None:
        raise _not_kept(path)
    return _opened("load", ", ".join(map(str, names)) or path.name, recorded)


def open_test(path: pathlib.Path) -> OpenedRun:
    """The history of the cluster of a test that failed."""
    test = kept_test.read(path)
    recorded = history_directory.read(path)
    if recorded is None:
        raise _not_kept(path)
    opened = _opened("test", test.test, recorded)
    if test.plugins:
        note = f"the test's own plugins ({', '.join(test.plugins)}) are not at work here"
        opened.notes = [*opened.notes, note]
    return opened


def open_rehearsals(path: pathlib.Path, observer: Observer) -> list[OpenedRun]:
    """The history of a rehearsal, or those of all rehearsals of a survey."""
    answer = _answer(path)
    parts = answer.get("rehearsals")
    if parts is None:
        recorded = history_directory.read(path)
        if recorded is None:
            raise _not_kept(path)
        return [_opened("rehearsal", _title(answer), recorded)]
    found = []
    with observer.progress("reading histories", len(parts), noticeable=2) as advance:
        for number, part in enumerate(parts, 1):
            recorded = history_directory.read_one(path, number)
            if recorded is not None:
                found.append(_opened("rehearsal", _title(part), recorded))
            advance(number)
    if not found:
        raise _not_kept(path)
    return found


def _answer(path: pathlib.Path) -> Json:
    place = path / run_place.REHEARSAL
    try:
        answer = msgspec.json.decode(file_reading.read(place), type=dict)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"is no rehearsal: {error}", file=str(place), fix="make it again"
        ) from None
    return answer


def _title(answer: Json) -> str:
    return f"{answer.get('rehearsal', 'rehearsal')} {answer.get('subject', '')}".strip()


def _not_kept(path: pathlib.Path) -> InputError:
    return InputError("has no history in it", file=str(path), fix=_SAVED_EARLIER)


def _opened(kind: RunKind, title: str, recorded: RecordedHistory) -> OpenedRun:
    """The cluster as it was at the end of a history, with that history."""
    notes = list(_notes(recorded))
    with few_collections():
        stage = _stage_at_end(recorded, notes)
    history = ClusterHistory(stage.store, stage.clock)
    start = HistoryStart(recorded.header.begin_ns, recorded.header.revision, recorded.first)
    history.restore(start, recorded.times, recorded.changes)
    return OpenedRun(
        name="",
        title=title,
        kind=kind,
        stage=stage,
        history=history,
        attempts=recorded.attempts,
        notes=notes,
    )


def _stage_at_end(recorded: RecordedHistory, notes: list[str]) -> Stage:
    objects = [
        (ObjectKey(*place, key), obj)
        for place, there in recorded.last.items()
        for key, obj in there.items()
    ]
    past = Past(recorded.end.revision, recorded.end_ns, 0, objects)
    stage = Stage(recorded.header.seed, past=past, implicit_namespaces=False)
    configuration = recorded.header.configuration
    if configuration is not None:
        try:
            known = config.from_dict(configuration)
            stage.add_scheduler(known, recording=Recording.NONE)
        except (config.ConfigError, InputError) as error:
            notes.append(f"its scheduler's configuration cannot be used, the default is: {error}")
            stage.add_scheduler(recording=Recording.NONE)
    return stage


def _notes(recorded: RecordedHistory) -> Iterator[str]:
    header, end = recorded.header, recorded.end
    if header.version != kubestage.__version__:
        yield f"it was made by kubestage {header.version}, this is {kubestage.__version__}"
    if end.reduced_ns is not None:
        when = timestamps.format_time(header.begin_ns + end.reduced_ns)
        kinds = "pods, nodes, workloads and Events"
        yield f"there were many changes: from {when} on only those of {kinds} were recorded"
    if end.stopped_ns is not None:
        when = timestamps.format_time(header.begin_ns + end.stopped_ns)
        yield f"there were too many changes to record: the history ends at {when}"
