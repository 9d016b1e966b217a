"""Writes of large objects: worked out in a thread, while others are served, and stored in a moment.

NOTE: to read, default and validate an object and to find out who owns which of its fields takes
some ten microseconds for each of its values; a body may have 250,000 (benchmarks/pauses.py). A
thread takes the interpreter from the event loop for a few milliseconds at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import ApiError, InputError
from kubestage.objects.validation import status
from kubestage.server import background, writing
from kubestage.store.admission import dynamic
from kubestage.store.planner import Outdated, Planner

if TYPE_CHECKING:
    from kubestage.server.context import RequestContext
    from kubestage.server.dispatch import Serve
    from kubestage.server.response import Built
    from kubestage.server.writing import Step, Steps

# A body of fewer bytes is written at once.
_LEAST_BYTES: Final = 8 * 1024
_ATTEMPTS: Final = 5


def is_one(context: RequestContext, serve: Serve) -> bool:
    """Whether a request writes something large."""
    if len(context.request.body) < _LEAST_BYTES or serve not in writing.STEPS:
        return False
    if dynamic.applies(context.live.store, context.kind):
        return False
    # Addresses are given out, and namespaces come into being by the way, as it is worked out.
    return context.kind.kind != "Service" and not context.live.store.implicit_namespaces


async def serve_in_thread(context: RequestContext, serve: Serve) -> Built:
    """Plan a write in a thread, and carry it out; again if it is outdated by then."""
    store, warnings = context.live.store, list(context.warnings)
    for _ in range(_ATTEMPTS):
        context.warnings[:] = warnings
        steps, planner = writing.STEPS[serve](context), Planner(store)
        revision = store.revision
        try:
            step = await background.run(_plan, context, steps, planner)
            result = step(store) if _is_scale(context) else planner.commit()
        except (ApiError, InputError):
            raise
        except Outdated:
            continue
        except Exception:
            # What was being read may have been changed meanwhile.
            if store.revision == revision:
                raise
            continue
        return writing.finished(steps, result)
    raise status.conflict(context.kind, context.target.name)


def _plan(context: RequestContext, steps: Steps, planner: Planner) -> Step:
    step = next(steps)
    if not _is_scale(context):
        step(planner)
    return step


def _is_scale(context: RequestContext) -> bool:
    """Whether only the body is large, and not what is done with it."""
    return context.target.subresource == "scale"
