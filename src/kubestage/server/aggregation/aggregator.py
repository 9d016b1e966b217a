"""Follows the APIServices that other servers are behind: checks them, and knows what they serve."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.errors import ApiError
from kubestage.objects import timestamps
from kubestage.server.bootstrap.local_apis import API_SERVICE
from kubestage.store.admission.webhook.call_failed import CallFailed

# NOTE: what speaks to other servers is loaded with the first of them.
with lazy.imports():
    from kubestage.server.aggregation import checks, fetching, places, remote_api

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.aggregation.checks import Verdict
    from kubestage.server.aggregation.remote_api import RemoteApi
    from kubestage.server.live import Live
    from kubestage.store.log import Change

_REGISTRATIONS: Final = frozenset({("apiregistration.k8s.io", "APIService")})
_BACKENDS: Final = frozenset({("", "Service"), ("discovery.k8s.io", "EndpointSlice")})
_OF_SERVICE: Final = "kubernetes.io/service-name"
_AVAILABLE: Final = "Available"
_MANAGER: Final = "kube-apiserver"
# How long after a check, in real time, the next one is; after failures ever later.
_PERIOD_S: Final = 30.0
_RETRY_S: Final = 0.25
# How long a server may take to answer a check.
_TIMEOUT_S: Final = 5.0


class Aggregator:
    """Checks API servers in real time, each in a task of its own, from `start` to `close`.

    While a Scenario runs there are none: it uses no network.
    """

    def __init__(self, live: Live, timeout_s: float = _TIMEOUT_S) -> None:
        self._live = live
        self._timeout_s = timeout_s
        self._follows_backends = False
        self.remotes: dict[tuple[str, str], RemoteApi] = {}

    def start(self) -> None:
        """Follow APIServices from now on; a loop must be running."""
        self._live.aggregator = self
        self._live.store.subscribe(self.on_change, _REGISTRATIONS)
        self._update()

    async def close(self) -> None:
        """Follow them no more."""
        self._live.aggregator = None
        self._live.store.unsubscribe(self.on_change)
        if self._follows_backends:
            self._live.store.unsubscribe(self.on_backend)
        tasks = [self._drop(each) for each in tuple(self.remotes)]
        await asyncio.gather(*tasks, return_exceptions=True)

    def find(self, path: str) -> RemoteApi | None:
        """The API that serves a path of a group and version, if it is of another server."""
        match path.split("/", 4):
            case ["", "apis", group, version, *_]:
                remote = self.remotes.get((group, version))
                return None if remote is None or remote.is_modelled else remote
        return None

    def on_change(self, _change: Change) -> None:
        """Take APIServices that came, changed or went."""
        self._update()

    def on_backend(self, change: Change) -> None:
        """Check the API servers behind a Service whose endpoints changed."""
        metadata = change.new["metadata"]
        name = metadata["name"]
        if change.kind.kind != "Service":
            name = (metadata.get("labels") or {}).get(_OF_SERVICE)
        for remote in self.remotes.values():
            if remote.backend.key == f"{metadata['namespace']}/{name}":
                remote.changed.set()

    def _update(self) -> None:
        registered = self._registered()
        for key, remote in tuple(self.remotes.items()):
            obj = registered.get(key)
            if obj is None or (remote.uid, remote.spec) != (obj["metadata"]["uid"], obj["spec"]):
                self._drop(key)
            elif _condition(obj) != remote.condition:
                remote.changed.set()
        for key, obj in registered.items():
            if key not in self.remotes:
                self._add(key, obj)

    def _registered(self) -> dict[tuple[str, str], Json]:
        store = self._live.store
        if store.bootstrap is None:
            return {}
        return {
            (each["spec"]["group"], each["spec"]["version"]): each
            for each in store.read(API_SERVICE).values()
            if each["spec"].get("service") is not None and each["spec"].get("group")
        }

    def _add(self, key: tuple[str, str], obj: Json) -> None:
        metadata = obj["metadata"]
        remote = remote_api.RemoteApi(metadata["name"], metadata["uid"], obj["spec"])
        remote.condition = _condition(obj)
        self.remotes[key] = remote
        remote.task = asyncio.get_running_loop().create_task(self._follow(remote))
        if not self._follows_backends:
            self._follows_backends = True
            self._live.store.subscribe(self.on_backend, _BACKENDS)

    def _drop(self, key: tuple[str, str]) -> asyncio.Task[None]:
        task = self.remotes.pop(key).task
        assert task is not None
        task.cancel()
        return task

    async def _follow(self, remote: RemoteApi) -> None:
        """Check an API server again and again."""
        wait_s = _RETRY_S
        while True:
            remote.changed.clear()
            verdict = await self._check(remote)
            self._report(remote, verdict)
            wait_s = min(wait_s * 2, _PERIOD_S) if verdict.is_retried else _RETRY_S
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s if verdict.is_retried else _PERIOD_S):
                    await remote.changed.wait()

    async def _check(self, remote: RemoteApi) -> Verdict:
        """Check it, and know what it serves before others know that it is available."""
        store, urls = self._live.store, self._live.outside.urls
        verdict = await checks.check(store, urls, remote, self._timeout_s)
        if not verdict.is_passed or remote.is_modelled:
            fetching.forget(remote)
            return verdict
        try:
            place = places.find(store, urls, remote.backend)
        except CallFailed:
            fetching.forget(remote)
        else:
            await fetching.discover(remote, place, self._timeout_s)
        return verdict

    def _report(self, remote: RemoteApi, verdict: Verdict) -> None:
        """Write the condition, unless it is written already."""
        live = self._live
        if live.durability.failure is not None or live.store.bootstrap is None:
            return
        live.pace.catch_up()
        obj = live.store.read(API_SERVICE).get(remote.name)
        if obj is None or obj["metadata"]["uid"] != remote.uid:
            return
        known = _condition(obj)
        status = "True" if verdict.is_passed else "False"
        is_same = known.get("status") == status
        now = timestamps.format_time(live.stage.clock.unix_ns)
        remote.condition = {
            "type": _AVAILABLE,
            "status": status,
            "lastTransitionTime": known["lastTransitionTime"] if is_same else now,
            "reason": verdict.reason,
            "message": verdict.message,
        }
        if remote.condition == known:
            return
        conditions = (obj.get("status") or {}).get("conditions") or []
        others = [each for each in conditions if each["type"] != _AVAILABLE]
        changed = {**obj, "status": {**(obj.get("status") or {})}}
        changed["status"]["conditions"] = [*others, remote.condition]
        with contextlib.suppress(ApiError):
            live.store.update(changed, subresource="status", manager=_MANAGER)


def _condition(obj: Json) -> Json:
    conditions: list[Json] = (obj.get("status") or {}).get("conditions") or []
    return next((each for each in conditions if each["type"] == _AVAILABLE), {})
