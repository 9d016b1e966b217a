"""Whole histories of updates and applies, recorded from the real field manager."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage import errors
from kubestage.objects import defaulting
from kubestage.objects.ownership import checking, tracking
from kubestage.objects.ownership.tracking import Writer
from tests.golden import vectors
from tests.objects.ownership import kinds_seen

if TYPE_CHECKING:
    from kubestage.aliases import Json


class Recorded:
    """One object and what the steps of a recording do to it; nothing else looks at it."""

    def __init__(self, api_version: str, kind: str) -> None:
        self._type = (api_version, kind)
        self._empty = kinds_seen.empty(api_version, kind)
        self._live: Json | None = None

    def run(self, number: int, step: Json) -> Json:
        writer = Writer(step["manager"], step.get("subresource", ""), f"T+{number}s")
        change = self._applied if step["op"] == "apply" else self._updated
        try:
            obj, entries = change(step, writer)
        except errors.ApiError as refused:
            status = refused.status
            if refused.message.startswith("failed"):
                return {"error": refused.message}
            shown = {key: status[key] for key in status if key not in ("kind", "apiVersion")}
            return {"error": refused.message, "status": shown}
        metadata = {**obj["metadata"], "uid": "uid-1"}
        if entries:
            metadata["managedFields"] = entries
        self._live = {**obj, "metadata": metadata}
        return {"object": self._live}

    def _applied(self, step: Json, writer: Writer) -> tuple[Json, list[Json]]:
        view = kinds_seen.view(*self._type, writer.subresource)
        config = step["object"]
        metadata = config.get("metadata") or {}
        if metadata.get("managedFields") is not None:
            raise errors.BadRequest("metadata.managedFields must be nil")
        misfits = checking.check(view.atom, config)
        if misfits:
            group, _, version = self._type[0].rpartition("/")
            who = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
            raise errors.BadRequest(
                f"failed to create typed patch object ({who}; {group}/{version}, "
                f"Kind={self._type[1]}): {checking.text(misfits)}"
            )
        live = self._live or self._empty
        force = step.get("force", False)
        applied = tracking.applied(view, live, config, self._empty, writer, force=force)
        if applied.object is not None:
            return defaulting.stored(applied.object), applied.entries
        kept = live if self._live else _through_internal(live)
        return tracking.without_entries(kept), applied.entries

    def _updated(self, step: Json, writer: Writer) -> tuple[Json, list[Json]]:
        view = kinds_seen.view(*self._type, writer.subresource)
        new, live = defaulting.stored(step["object"]), self._live or self._empty
        sent = step["object"]["metadata"].get("managedFields")
        fresh = self._live is None
        entries = tracking.updated(view, live, new, writer, sent=sent, fresh=fresh)
        return tracking.without_entries(new), entries


def _through_internal(obj: Json) -> Json:
    """An object that says nothing, as it comes back from the internal version."""
    if obj["kind"] == "Pod":
        return {**obj, "spec": {**obj["spec"], "securityContext": {}}}
    if obj["kind"] != "Deployment":
        return obj
    template = obj["spec"]["template"]
    inner = {**template, "spec": {**template["spec"], "securityContext": {}}}
    return {**obj, "spec": {**obj["spec"], "replicas": 0, "template": inner}}


@pytest.mark.parametrize("kind", ["Deployment", "Pod", "Node", "ConfigMap", "Service"])
def test_objects_and_managers_are_as_recorded(kind: str) -> None:
    entries = [each for each in vectors.load("serversideapply") if each["in"]["kind"] == kind]
    assert entries
    for entry in entries:
        recorded = Recorded(entry["in"]["apiVersion"], kind)
        results = [recorded.run(at, step) for at, step in enumerate(entry["in"]["steps"], 1)]
        assert results == entry["out"]["results"], entry["id"]
