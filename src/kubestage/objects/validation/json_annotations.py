"""Annotations that hold JSON: the early form of taints and tolerations.

The server unmarshals them into its working types, which match keys whatever their case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects import go_decoder, go_scanner

if TYPE_CHECKING:
    from kubestage.aliases import Json


def read_list(text: str, go_type: str) -> tuple[list[Json], str | None]:
    """The objects in the annotation with camel-cased keys, or Go's words for what is wrong."""
    try:
        parsed = go_scanner.scan(text.encode())
    except go_scanner.SyntaxProblem as error:
        return [], str(error)
    if parsed is None:
        return [], None
    value = go_decoder.plain(parsed)
    if not isinstance(value, list):
        what = _name(value)
        return [], f"json: cannot unmarshal {what} into Go value of type []core.{go_type}"
    objects = []
    for item in value:
        if not isinstance(item, dict):
            what = _name(item)
            return [], f"json: cannot unmarshal {what} into Go value of type core.{go_type}"
        objects.append({_camel(key): entry for key, entry in item.items()})
    return objects, None


def _camel(key: str) -> str:
    lower = key.lower()
    return "tolerationSeconds" if lower == "tolerationseconds" else lower


def _name(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, dict):
        return "object"
    return "string" if isinstance(value, str) else "number"
