"""ConversionReviews: what a conversion webhook is sent, and what its answer says.

Messages are upstream's; a list is worded otherwise than a single object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.errors import ApiError, MalformedValue
from kubestage.golang import formatting
from kubestage.objects.conversion import converted_metadata
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json

_GROUP: Final = "apiextensions.k8s.io"
_KIND: Final = "ConversionReview"
_VERSIONS: Final = ("v1", "v1beta1")
_SUCCESS: Final = "Success"


class ConversionFailed(ApiError):
    """Custom resources could not be converted into another version; the API gives no reason."""

    reason = ""


class ConvertedBatch(NamedTuple):
    """What is converted: objects of one kind, into one version, as a list or one alone.

    `list_kind` is empty for a single object.
    """

    objects: Sequence[Json]
    api_version: str
    list_kind: str = ""

    @property
    def subject(self) -> str:
        """How messages name it."""
        if self.list_kind:
            return _type_text(self.api_version, self.list_kind)
        obj = self.objects[0]
        return _type_text(obj["apiVersion"], obj["kind"])


class _AnswerError(MalformedValue):
    """An answer that is none."""


def request(versions: Sequence[str], batch: ConvertedBatch, uid: str) -> Json:
    """The review in the first version that both sides know."""
    version = next((each for each in versions if each in _VERSIONS), None)
    if version is None:
        raise ConversionFailed("no supported conversion review versions")
    return {
        "kind": _KIND,
        "apiVersion": f"{_GROUP}/{version}",
        "request": {
            "uid": uid,
            "desiredAPIVersion": batch.api_version,
            "objects": list(batch.objects),
        },
        "response": {"uid": "", "convertedObjects": None, "result": {"metadata": {}}},
    }


def failed(batch: ConvertedBatch, why: str) -> ConversionFailed:
    """The refusal of what a webhook did not convert."""
    return ConversionFailed(f"conversion webhook for {batch.subject} failed: {why}")


def converted(sent: Json, received: Any, batch: ConvertedBatch) -> list[Json]:
    """The converted objects of an answer, each with the metadata that it had; refused if wrong."""
    try:
        found = _objects(sent, received)
    except _AnswerError as error:
        raise failed(batch, str(error)) from None
    if len(found) != len(batch.objects):
        counts = f"{len(found)} objects, expected {len(batch.objects)}"
        raise ConversionFailed(f"conversion webhook for {batch.subject} returned {counts}")
    return [
        _checked(batch, index, original, each)
        for index, (original, each) in enumerate(zip(batch.objects, found, strict=True))
    ]


def _objects(sent: Json, received: Any) -> list[Any]:
    if not isinstance(received, dict) or not received.get("kind"):
        text = msgspec.json.encode(received).decode()
        raise _AnswerError(f"Object 'Kind' is missing in '{text}'")
    response = received.get("response")
    if sent["apiVersion"] == f"{_GROUP}/v1":
        expected = _type_text(sent["apiVersion"], _KIND)
        got = _type_text(str(received.get("apiVersion") or ""), str(received["kind"]))
        if got != expected:
            raise _AnswerError(f"expected webhook response of {expected}, got {got}")
        uid = sent["request"]["uid"]
        own = str(response.get("uid") or "") if isinstance(response, dict) else uid
        if own != uid:
            why = f"expected response.uid={field.quote(uid)}, got {field.quote(own)}"
            raise _AnswerError(why)
    if not isinstance(response, dict):
        raise _AnswerError("no response provided")
    result = response.get("result")
    result = result if isinstance(result, dict) else {}
    if result.get("status") != _SUCCESS:
        status = formatting.show(result.get("status") or "")
        why = f"response.result.status was '{status}', not '{_SUCCESS}'"
        raise _AnswerError(str(result.get("message") or why))
    found = response.get("convertedObjects")
    return found if isinstance(found, list) else []


def _checked(batch: ConvertedBatch, index: int, original: Json, converted: Any) -> Json:
    """A converted object with the metadata that it is to have."""
    about = f"conversion webhook for {batch.subject} returned invalid"
    what = "converted object" if batch.list_kind else "object"
    at = f" at index {index}"
    if not isinstance(converted, dict) or not converted.get("kind"):
        why = f"Object 'Kind' is missing in '{msgspec.json.encode(converted).decode()}'"
        raise ConversionFailed(f"{about} {what}{at}: {why}" if batch.list_kind else why)
    own = str(converted.get("apiVersion") or "")
    for name, expected, got in (
        ("groupVersion", batch.api_version, own),
        ("kind", original["kind"], converted["kind"]),
    ):
        if expected != got:
            why = f"invalid {name} (expected {expected}, received {got})"
            raise ConversionFailed(f"{about} {what}{at}: {why}")
    problem = converted_metadata.difference(original, converted)
    if problem:
        raise ConversionFailed(f"{about} {what}{at if batch.list_kind else ''}: {problem}")
    try:
        return converted_metadata.restored(original, converted)
    except converted_metadata.MetadataError as error:
        place = f" in object{at}" if batch.list_kind else ""
        raise ConversionFailed(f"{about} metadata{place}: {error}") from None


def _type_text(api_version: str, kind: str) -> str:
    group, _, version = api_version.rpartition("/")
    return f"{group}/{version}, Kind={kind}"
