"""Snapshots on their way out and in."""

from __future__ import annotations

import asyncio
import collections
from typing import TYPE_CHECKING, Final

from kubestage.errors import AlreadyExists, ApiError, BadRequest
from kubestage.server import slices, snapshot_import, snapshots
from kubestage.server.kubestage_api import configuration, lives, resetting
from kubestage.server.kubestage_api.shapes import CreatedKind, ImportResult

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.kubestage_api.call import ApiCall
    from kubestage.server.kubestage_api.configuration import Checked
    from kubestage.server.live import Live
    from kubestage.server.snapshot_import import Import
    from kubestage.store.store import Store


_UNUSED: Final = (
    "the import has a scheduler configuration, and this server has no scheduler of its own"
)


async def export(call: ApiCall) -> Json:
    """All objects that matter, or what has happened."""
    form = call.choice("format", ("list", "kss", "perfetto"))
    if form == "perfetto":
        return await lives.trace(call)
    if "groupBy" in call.request.query:
        raise BadRequest("groupBy: only a trace has groups: add format=perfetto")
    store, scheduler = call.live.store, call.live.stage.scheduler
    # Stored objects never change: other requests are served while these are encoded.
    found = snapshots.objects(store)
    if form == "list":
        return await asyncio.to_thread(snapshots.as_list, found, store.resource_version)
    settings = None if scheduler is None else scheduler.configuration.to_dict()
    return await asyncio.to_thread(snapshots.as_kss_export, found, settings)


async def import_objects(call: ApiCall) -> ImportResult:
    """Put objects there, all or none."""
    live = call.live
    replaces = call.choice("mode", ("add", "replace")) == "replace"
    applies = call.choice("configuration", ("apply", "ignore")) == "apply"
    if not call.request.body:
        raise BadRequest("the body is empty: send a List, several documents of YAML, or an export")
    snapshot = await asyncio.to_thread(snapshot_import.read, call.request.body)
    snapshot = snapshot_import.without_own(live.store, snapshot)
    limit = live.store.object_limit
    (limit.check_whole if replaces else limit.check)(len(snapshot.events))
    checked: Checked | None = None
    if snapshot.configuration is not None and applies and live.stage.scheduler is not None:
        checked = await configuration.check(live, snapshot.configuration)
    found: ImportResult = await resetting.to_the_end(
        live, _import(live, snapshot, checked, replaces=replaces)
    )
    return found


async def _import(
    live: Live, snapshot: Import, checked: Checked | None, *, replaces: bool
) -> ImportResult:
    store = live.store
    async with resetting.standstill(live, "imported to"):
        if not replaces:
            for place in snapshot_import.taken(store, snapshot.events):
                fix = "delete it first, or import with mode=replace"
                raise AlreadyExists(f"{place}: is there already: {fix}")
        # On a stage of its own, so that nothing has happened if something is wrong.
        trial = snapshot_import.rehearsal(store, is_empty=replaces)
        await slices.in_slices(snapshot_import.carry_out(trial, snapshot.events, []))
        with resetting.as_one(live):
            created, removed = await _exchange(live, snapshot, trial, replaces=replaces)
            _notify_recorder(live, snapshot, replaces=replaces)
            if checked is not None:
                configuration.take_over(live, checked)
    if checked is not None:
        await configuration.keep(live)
    return _report(live, snapshot, created, removed, is_configured=checked is not None)


async def _exchange(
    live: Live, snapshot: Import, trial: Store, *, replaces: bool
) -> tuple[list[Json], int]:
    """Put objects there, in the place of all others or beside them; what was created and removed.

    Should one be refused, because of what other clients did meanwhile, all is as it was before.
    """
    store, removed = live.store, 0
    created: list[Json] = []
    before = snapshot_import.present(store) if replaces else []
    try:
        if replaces:
            removed = await resetting.empty(live)
        await slices.in_slices(snapshot_import.carry_out(store, snapshot.events, created, trial))
    except ApiError:
        await slices.in_slices(snapshot_import.undo(store, created, before))
        raise
    return created, removed


def _notify_recorder(live: Live, snapshot: Import, *, replaces: bool) -> None:
    recorder = live.state.recorder
    if recorder is None:
        return
    if replaces:
        recorder.begin_anew()
    else:
        recorder.imported(event for _, event in snapshot.events)


def _report(
    live: Live, snapshot: Import, created: list[Json], removed: int, *, is_configured: bool
) -> ImportResult:
    counts = collections.Counter((obj["apiVersion"], obj["kind"]) for obj in created)
    is_ignored = snapshot.configuration is not None and not is_configured
    notes = [_UNUSED] if is_ignored and live.stage.scheduler is None else []
    return ImportResult(
        created=len(created),
        kinds=[
            CreatedKind(api_version=kind[0], kind=kind[1], count=count)
            for kind, count in sorted(counts.items())
        ],
        removed=removed,
        scheduler_configuration=(
            "applied" if is_configured else "ignored" if is_ignored else "none"
        ),
        resource_version=live.store.resource_version,
        notes=notes,
    )
