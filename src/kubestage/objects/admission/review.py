"""AdmissionReviews: what is sent_request of a webhook, and what its answer says."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.errors import MalformedValue
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from kubestage.aliases import Json

GROUP: Final = "admission.k8s.io"
VERSIONS: Final = ("v1", "v1beta1")
NO_VERSION: Final = "webhook does not accept known AdmissionReview versions (v1, v1beta1)"
JSON_PATCH: Final = "JSONPatch"
_KIND: Final = "AdmissionReview"


class ReviewError(MalformedValue):
    """An answer that is no answer to a review, in upstream's words."""


class Answer(NamedTuple):
    """What a webhook answers: whether it allows a request, and how it would change it."""

    allowed: bool
    patch: list[Any]
    result: Json | None
    warnings: list[str]
    annotations: dict[str, str]


def request(version: str, uid: str, attributes: Json, obj: Json | None, old: Json | None) -> Json:
    """The review of a request in a version that the webhook knows."""
    sent_request = {"uid": uid, **attributes, "object": obj, "oldObject": old}
    return {"kind": _KIND, "apiVersion": f"{GROUP}/{version}", "request": sent_request}


def answer(sent: Json, received: Any, *, is_mutating: bool) -> Answer:
    """What a webhook answers to a review; `ReviewError` if that is none."""
    is_v1 = sent["apiVersion"] == f"{GROUP}/v1"
    response = received.get("response") if isinstance(received, dict) else None
    if not isinstance(response, dict):
        raise ReviewError("webhook response was absent")
    if is_v1:
        _check(sent, received, response, is_mutating=is_mutating)
    patch = _patch(response) if is_mutating else []
    result = response.get("status")
    warnings, annotations = response.get("warnings"), response.get("auditAnnotations")
    return Answer(
        response.get("allowed") is True,
        patch,
        dict(result) if isinstance(result, dict) else None,
        [str(each) for each in warnings] if isinstance(warnings, list) else [],
        dict(annotations) if isinstance(annotations, dict) else {},
    )


def _check(sent: Json, received: Json, response: Json, *, is_mutating: bool) -> None:
    uid, own = sent["request"]["uid"], response.get("uid") or ""
    if own != uid:
        raise ReviewError(f"expected response.uid={field.quote(uid)}, got {field.quote(str(own))}")
    group, _, version = str(received.get("apiVersion") or "").rpartition("/")
    got = f"{group}/{version}, Kind={received.get('kind') or ''}"
    expected = f"{GROUP}/v1, Kind={_KIND}"
    if got != expected:
        raise ReviewError(f"expected webhook response of {expected}, got {got}")
    patch, kind = response.get("patch"), response.get("patchType")
    if not is_mutating:
        if patch:
            raise ReviewError("validating webhook may not return response.patch")
        if kind is not None:
            raise ReviewError("validating webhook may not return response.patchType")
    elif patch and kind is None:
        raise ReviewError("webhook returned response.patch but not response.patchType")
    elif not patch and kind is not None:
        raise ReviewError("webhook returned response.patchType but not response.patch")
    elif kind is not None and kind != JSON_PATCH:
        raise ReviewError(f"unsupported patch type {field.quote(str(kind))}")


def _patch(response: Json) -> list[Any]:
    text = response.get("patch")
    if not text:
        return []
    undecodable = "received undecodable patch in webhook response"
    try:
        decoded = msgspec.json.decode(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError, TypeError, msgspec.DecodeError) as error:
        raise ReviewError(f"{undecodable}: {error}") from None
    if decoded is None:
        return []
    if not isinstance(decoded, list):
        raise ReviewError(f"{undecodable}: it is not a list of operations")
    return decoded


def denial(name: str, result: Json | None) -> Json:
    """The Status with which a webhook's refusal is answered."""
    status = {"metadata": {}, **(result or {})}
    if not isinstance(status.get("code"), int) or status["code"] < 400:
        status["code"] = 400
    if status.get("status") in (None, "", "Success"):
        status["status"] = "Failure"
    denied_by = f"admission webhook {field.quote(name)} denied the request"
    why = status.get("message") or status.get("reason")
    status["message"] = f"{denied_by}: {why}" if why else f"{denied_by} without explanation"
    return status
