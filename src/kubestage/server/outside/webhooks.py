"""Requests that webhooks are called for: tried again with each answer, until none is missing."""

from __future__ import annotations

import functools
import uuid
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import msgspec

from kubestage.objects.conversion import webhook_versions
from kubestage.objects.validation import status
from kubestage.server import routing, slices
from kubestage.server.outside.asking import Question
from kubestage.server.outside.outside_call import OutsideCall
from kubestage.server.outside.request_conversions import RequestConversions
from kubestage.server.response import InSlices
from kubestage.store.admission import dynamic
from kubestage.store.admission.webhook.call_failed import CallFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.server.context import RequestContext
    from kubestage.server.outside.asking import Outside

Served = TypeVar("Served")

_TIMEOUT_S: Final = 10
# An object that others change as often while a webhook decides is in conflict.
_MOST_TIMES: Final = 8
_READS: Final = frozenset({"GET", "HEAD"})


class Answers:
    """The answers of webhooks to one request, as far as they are known.

    Where the object has changed since, the review is another one, and is sent again.
    """

    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self._known: dict[bytes, Any] = {}

    def answer(self, configuration: str, hook: Json, review: Json) -> Any:
        """What a webhook answers; `OutsideCall` if it has not been called yet."""
        content = [configuration, hook["name"], hook["clientConfig"], review]
        key = msgspec.json.encode(content, order="sorted")
        if key not in self._known:
            timeout_s = float(hook.get("timeoutSeconds") or _TIMEOUT_S)
            question = Question(hook["clientConfig"], review, timeout_s)
            about = f"{configuration}/{hook['name']}/{review['request']['name']}"
            raise OutsideCall(about, functools.partial(self._fetch, key, question))
        found = self._known[key]
        if isinstance(found, CallFailed):
            raise CallFailed(str(found))
        return found

    async def _fetch(self, key: bytes, question: Question) -> None:
        """Ask, and keep the answer."""
        body = question.body
        # Each review has a uid of its own; it is not part of what is decided about.
        uid = str(uuid.uuid4())
        sent = {**body, "request": {**body["request"], "uid": uid}}
        try:
            received = await self._outside.ask(question._replace(body=sent))
        except CallFailed as error:
            self._known[key] = error
            return
        response = received.get("response") if isinstance(received, dict) else None
        if isinstance(response, dict) and response.get("uid") == uid:
            received = {**received, "response": {**response, "uid": body["request"]["uid"]}}
        self._known[key] = received


def apply(context: RequestContext) -> bool:
    """Whether webhooks may be for a request, or convert what it is about."""
    if context.kind.conversion_webhook is not None:
        return True
    if context.request.method in _READS and not context.target.subresource:
        return False
    return dynamic.has_webhooks(context.live.store, context.kind)


async def served(context: RequestContext, serve: Callable[[RequestContext], Served]) -> Served:
    """Serve a request that webhooks are called for.

    A collection is deleted as far as all answers are known, and then what is left of it.
    """
    live = context.live
    context.caller.calls = Answers(live.outside)
    conversions = RequestConversions(live.conversions)
    warnings = list(context.warnings)
    calls: Counter[str] = Counter()
    while True:
        context.warnings[:] = warnings
        context.caller.audit.clear()
        try:
            with webhook_versions.converting(conversions):
                answer: Any = serve(context)
                if isinstance(answer, InSlices):
                    answer = await slices.result_of(answer.steps)
            return cast("Served", answer)
        except OutsideCall as call:
            calls[call.about] += 1
            if calls[call.about] > _MOST_TIMES:
                raise status.conflict(context.kind, context.target.name) from None
            await call.fetch()
            # The definition of a custom resource may have changed meanwhile.
            context.target = routing.find(live.store.kinds, context.request.path)
