"""A text of manifests, checked against the cluster; nothing is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage import lazy
from kubestage.errors import BadRequest, RequestTooLarge
from kubestage.server import background, slices
from kubestage.server.kubestage_api.editing_shapes import TextCheck

with lazy.imports():
    from kubestage.runs import text_check

if TYPE_CHECKING:
    from kubestage.server.kubestage_api.call import ApiCall

_MOST_BYTES: Final = 4 << 20
_VERBS: Final = ("apply", "replace")


async def check(call: ApiCall) -> TextCheck:
    """Every problem of the text, and how each object of it would be sent."""
    existing = call.choice("existing", _VERBS)
    body = call.request.body
    if len(body) > _MOST_BYTES:
        raise RequestTooLarge(f"Request entity too large: limit is {_MOST_BYTES}")
    if b"\0" in body:
        raise BadRequest("the body is not text: send YAML or JSON")
    text = await background.run(text_check.read, body)
    verb: text_check.Verb = "apply" if existing == "apply" else "replace"
    found = await slices.result_of(text_check.pieces(text, call.live.store, verb))
    return TextCheck(
        objects=msgspec.to_builtins(found.objects), problems=msgspec.to_builtins(found.problems)
    )
