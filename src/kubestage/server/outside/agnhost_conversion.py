"""``agnhost crd-conversion-webhook``: the conversion webhook of Kubernetes' own tests, modelled.

Its v1 has one field ``hostPort``, its v2 has ``host`` and ``port``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import MalformedValue
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from kubestage.aliases import Json

_PATH: Final = "/crdconvert"
_V1, _V2 = "stable.example.com/v1", "stable.example.com/v2"
_SUCCESS: Final[Json] = {"metadata": {}, "status": "Success"}


class _CannotConvert(MalformedValue):
    """An object that the webhook does not know how to convert."""


async def answer(path: str, review: Json) -> Json | None:
    """The review that is answered with; None if nothing is served at the path."""
    if path != _PATH:
        return None
    request = review["request"]
    desired = request["desiredAPIVersion"]
    try:
        found = [_converted(each, desired) for each in request["objects"]]
        response: Json = {"convertedObjects": found, "result": _SUCCESS}
    except _CannotConvert as error:
        result = {"metadata": {}, "status": "Failure", "message": str(error)}
        response = {"convertedObjects": None, "result": result}
    own: Json = {"kind": review["kind"], "apiVersion": review["apiVersion"]}
    return {**own, "response": {**response, "uid": request["uid"]}}


def _converted(obj: Json, desired: str) -> Json:
    own = obj["apiVersion"]
    if own == desired:
        why = f"conversion from a version to itself should not call the webhook: {desired}"
        raise _CannotConvert(why)
    for version, other, convert in ((_V1, _V2, _split), (_V2, _V1, _joined)):
        if own == version:
            if desired != other:
                raise _CannotConvert(f"unexpected conversion version {field.quote(desired)}")
            return {**convert(obj), "apiVersion": desired}
    raise _CannotConvert(f"unexpected conversion version {field.quote(own)}")


def _split(obj: Json) -> Json:
    rest = {name: part for name, part in obj.items() if name != "hostPort"}
    if "hostPort" not in obj:
        return rest
    parts = obj["hostPort"].split(":")
    if len(parts) != 2:
        raise _CannotConvert(f"invalid hostPort value `{obj['hostPort']}`")
    return {**rest, "host": parts[0], "port": parts[1]}


def _joined(obj: Json) -> Json:
    rest = {name: part for name, part in obj.items() if name not in ("host", "port")}
    if "host" not in obj and "port" not in obj:
        return rest
    return {**rest, "hostPort": f"{obj.get('host', '')}:{obj.get('port', '')}"}
