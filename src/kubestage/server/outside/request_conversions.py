"""The conversions that one request needs while the store works on it."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.objects.conversion.conversion_review import ConversionFailed, ConvertedBatch
from kubestage.server.outside.outside_call import OutsideCall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.server.outside.conversions import Conversions


class RequestConversions:
    """The conversions that one request needs, as far as they are known."""

    def __init__(self, conversions: Conversions) -> None:
        self._conversions = conversions
        self._known: dict[bytes, Json | ConversionFailed] = {}

    def converted(self, row: Kind, objects: Sequence[Json], api_version: str) -> list[Json]:
        """The objects in another version; `OutsideCall` if the webhook has to be called first."""
        keys = [_content(obj, api_version) for obj in objects]
        missing = [obj for key, obj in zip(keys, objects, strict=True) if key not in self._known]
        if missing:
            list_kind = row.list_kind if len(objects) > 1 else ""
            batch = ConvertedBatch(missing, api_version, list_kind)
            names = [obj["metadata"].get("name") or "" for obj in missing]
            about = f"{row.resource}/{api_version}/{','.join(names)}"
            raise OutsideCall(about, functools.partial(self._fetch, row, batch))
        return [_result(self._known[key]) for key in keys]

    async def _fetch(self, row: Kind, batch: ConvertedBatch) -> None:
        answers: Sequence[Any]
        try:
            answers = await self._conversions.convert(row, batch)
        except ConversionFailed as error:
            answers = [error] * len(batch.objects)
        for obj, answer in zip(batch.objects, answers, strict=True):
            self._known[_content(obj, batch.api_version)] = answer


def _result(answer: Json | ConversionFailed) -> Json:
    if isinstance(answer, ConversionFailed):
        raise ConversionFailed(answer.message)
    return answer


def _content(obj: Json, api_version: str) -> bytes:
    return msgspec.json.encode([api_version, obj], order="sorted")
