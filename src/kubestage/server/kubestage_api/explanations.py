"""Why a pod of the living cluster is where it is, or nowhere."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage import lazy
from kubestage.errors import NotFound
from kubestage.objects import gvk, timestamps
from kubestage.results.comparison import attempts
from kubestage.server.kubestage_api import recorders, routes
from kubestage.server.kubestage_api.shapes import FitAdvice, PodAttempts

with lazy.imports():
    from kubestage.runs import fit
    from kubestage.runs.explain import pod_attempts, workloads
    from kubestage.runs.fit import cluster_image, waiting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.results.history.attempt_rows import AttemptRow
    from kubestage.server.kubestage_api.call import ApiCall
    from kubestage.server.live import Live


_CHOICES: Final = ("true", "false")
_NOT_KEPT: Final = (
    "what was found out in some attempts was not kept, as many pods came at once: such attempts "
    "show their outcome only"
)
_NO_SCHEDULER: Final = "no scheduler of kubestage's own is at work, so nothing is known of attempts"


async def get(call: ApiCall) -> PodAttempts:
    """A pod, or a workload by one of its pods, and every attempt at it that is remembered."""
    key = f"{call.path_params['namespace']}/{call.path_params['name']}"
    kind = call.request.parameter("kind")
    if not kind:
        return await _pod(call, key)
    stage = call.live.stage
    workload = workloads.find(stage, f"{kind}/{key}")
    if workload is None:
        raise NotFound(f'no workload "{kind}/{key}": name its kind, as in kind=Deployment')
    pending = workloads.pending_pod(stage, workload)
    if pending is not None:
        return await _pod(call, pending)
    image = cluster_image.image_of(stage, call.live.scheduler)
    advice = await asyncio.to_thread(fit.advise_on, image, waiting.pod_of(workload))
    found = workloads.of_advice(workload, advice, len(stage.store.read(gvk.NODE)))
    return msgspec.convert(found.to_dict(), PodAttempts)


async def _pod(call: ApiCall, key: str) -> PodAttempts:
    live, recorded = call.live, recorders.attempts(call.live)
    pod = live.store.read(gvk.POD).get(key)
    uid = "" if pod is None else pod["metadata"]["uid"]
    rows = list(recorded.attempts_at(key, uid))
    if pod is None and not rows:
        raise NotFound(f'no pod "{key}", and none of that name was tried: name it NAMESPACE/NAME')
    node = None if pod is None else pod["spec"].get("nodeName")
    advice = None
    if call.choice("advice", _CHOICES) == "true" and pod is not None:
        advice = await _advice(live, pod)
    return PodAttempts(
        pod=key,
        uid=uid or rows[-1].uid,
        status="Deleted" if pod is None else "Scheduled" if node else "Pending",
        node=node or None,
        attempts=[_attempt(place, row) for place, row in enumerate(rows, 1)],
        notes=list(_notes(live, rows, key)),
        nodes=len(live.store.read(gvk.NODE)),
        advice=advice,
        reason=_reason(live, key, rows, node),
    )


def _reason(live: Live, key: str, rows: list[AttemptRow], node: str | None) -> str:
    """Why a pod is gone, or why there is no attempt at it."""
    if node and not rows:
        return f"no attempt is remembered: it was created on {node}, or the server was restarted"
    return pod_attempts.reason_of(live.store, key, None)


async def _advice(live: Live, pod: Json) -> FitAdvice | None:
    """What would make a pod fit; None unless it waits for a node.

    What is stored never changes, so that the work can be done beside the requests.
    """
    if not pod_attempts.is_pending(pod):
        return None
    image = cluster_image.image_of(live.stage, live.scheduler)
    advice = await asyncio.to_thread(fit.advise_on, image, pod)
    return msgspec.convert(advice.to_dict(), FitAdvice)


def _attempt(place: int, row: AttemptRow) -> Json:
    tried: Json = msgspec.to_builtins(attempts.of_decision(row.decision, 0))
    del tried["step"]
    return {
        "attempt": place,
        "time": timestamps.format_time(row.unix_ns),
        **tried,
        "explanation": row.explanation,
    }


def _notes(live: Live, rows: list[AttemptRow], key: str) -> Iterator[str]:
    stage = live.stage
    if live.scheduler is None:
        yield _NO_SCHEDULER
    current = None if stage.scenarios is None else stage.scenarios.current
    if current is not None:
        path = f"{routes.ROOT}/runs/{current}/pods/{key}"
        yield f'Scenario "{current}" is running: GET {path} shows its attempts'
    if any(row.packed is None for row in rows):
        yield _NOT_KEPT
