"""Custom resources of other versions: converted by the webhooks of their definitions.

A request asks about each object once. Lists and watches use what was answered before about the
same content, as long as the definition is the same; upstream has a cache for them as well.
"""

from __future__ import annotations

import asyncio
import hashlib
import uuid
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import BadRequest
from kubestage.objects.conversion import conversion_review
from kubestage.objects.conversion.conversion_review import ConversionFailed, ConvertedBatch
from kubestage.objects.custom import rows
from kubestage.server.outside.asking import Question
from kubestage.server.outside.remembered import RememberedObjects
from kubestage.store import definitions
from kubestage.store.admission.webhook.call_failed import CallFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.server.outside.asking import Outside
    from kubestage.store.store import Store

_TIMEOUT_S: Final = 30.0


class Conversions:
    """Converts objects of one cluster."""

    def __init__(self, store: Store, outside: Outside) -> None:
        self._store = store
        self._outside = outside
        self.remembered = RememberedObjects()
        # What is being asked about for lists and watches.
        self._under_way: dict[bytes, asyncio.Future[Json]] = {}

    async def shown_alone(self, kind: Kind, obj: Json) -> Json:
        """A stored object in the version of a kind, as its webhook converts it now."""
        return (await self.convert(kind, ConvertedBatch([obj], kind.api_version)))[0]

    async def shown(
        self, kind: Kind, objects: Sequence[Json], *, is_list: bool = True
    ) -> list[Json]:
        """Stored objects in the version of a kind, as far as possible all in one review.

        Only those are sent that need it, and are neither remembered nor being converted.
        """
        others = {
            index: self._key(kind, obj, kind.api_version)
            for index, obj in enumerate(objects)
            if obj["apiVersion"] != kind.api_version
        }
        known = {key: self.remembered.get(key) for key in others.values()}
        missing = {
            key: objects[index]
            for index, key in others.items()
            if known[key] is None and key not in self._under_way
        }
        if missing:
            list_kind = kind.list_kind if is_list else ""
            batch = ConvertedBatch(list(missing.values()), kind.api_version, list_kind)
            self._begin(kind, list(missing), batch)
        awaited = {key: self._under_way[key] for key, obj in known.items() if obj is None}
        for key, future in awaited.items():
            # Another request may wait for the same; it does not fail if this one is given up.
            known[key] = await asyncio.shield(future)
        return [
            known[others[index]] or obj if index in others else obj
            for index, obj in enumerate(objects)
        ]

    def _begin(self, kind: Kind, keys: Sequence[bytes], batch: ConvertedBatch) -> None:
        """Have objects converted for all who want them."""
        loop = asyncio.get_running_loop()
        futures = {key: loop.create_future() for key in keys}
        self._under_way |= futures
        task = loop.create_task(self.convert(kind, batch))

        def end(done: asyncio.Task[list[Json]]) -> None:
            for index, (key, future) in enumerate(futures.items()):
                del self._under_way[key]
                if done.cancelled():
                    future.cancel()
                elif (error := done.exception()) is not None:
                    future.set_exception(error)
                    # Not all need be awaited: the first is enough.
                    future.exception()
                else:
                    future.set_result(done.result()[index])

        task.add_done_callback(end)

    async def convert(self, kind: Kind, batch: ConvertedBatch) -> list[Json]:
        """Objects in another version, by one call of the webhook; `ConversionFailed` if not."""
        keys = [self._key(kind, obj, batch.api_version) for obj in batch.objects]
        definition = self._definition(kind)
        webhook = _webhook(definition) or kind.conversion_webhook or {}
        _check_versions(definition, batch)
        versions = webhook.get("conversionReviewVersions") or ()
        sent = conversion_review.request(versions, batch, str(uuid.uuid4()))
        question = Question(webhook.get("clientConfig") or {}, sent, _TIMEOUT_S)
        try:
            received = await self._outside.ask(question)
        except CallFailed as error:
            raise conversion_review.failed(batch, str(error)) from None
        answered = conversion_review.converted(sent, received, batch)
        try:
            found = [self._shaped(kind, obj) for obj in answered]
        except BadRequest as error:
            raise ConversionFailed(error.message) from None
        for key, obj in zip(keys, found, strict=True):
            self.remembered.put(key, obj)
        return found

    def _shaped(self, kind: Kind, obj: Json) -> Json:
        """A converted object in the shape of its version, which adds no defaults to it."""
        row = self._store.kinds.get(obj["apiVersion"], kind.kind)
        return obj if row is None else rows.compiled(row).pruned(obj)[0]

    def _definition(self, kind: Kind) -> Json:
        found = self._store.read(definitions.DEFINITION).get(kind.resource)
        return {"metadata": {}, "spec": {}} if found is None else found

    def _key(self, kind: Kind, obj: Json, api_version: str) -> bytes:
        metadata = self._definition(kind)["metadata"]
        about = [metadata.get("uid"), metadata.get("generation"), api_version, obj]
        return hashlib.blake2b(msgspec.json.encode(about, order="sorted")).digest()


def _webhook(definition: Json) -> Json | None:
    conversion: Json = definition["spec"].get("conversion") or {}
    webhook: Json | None = conversion.get("webhook")
    return webhook


def _check_versions(definition: Json, batch: ConvertedBatch) -> None:
    """Refuse versions that a definition no longer has."""
    group = definition["spec"].get("group")
    valid = {f"{group}/{each['name']}" for each in definition["spec"].get("versions") or ()}
    for index, obj in enumerate(batch.objects):
        own = obj["apiVersion"]
        if own in valid:
            continue
        if batch.list_kind:
            why = f"request to convert CR list failed, list index {index} has"
            raise ConversionFailed(f"{why} invalid group/version: {own}")
        raise ConversionFailed(f"request to convert CR from an invalid group/version: {own}")
    if batch.api_version not in valid:
        why = "request to convert CR to an invalid group/version"
        raise ConversionFailed(f"{why}: {batch.api_version}")
