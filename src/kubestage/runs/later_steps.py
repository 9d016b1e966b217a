"""What happens to a living cluster later: manifests are applied, actions are done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import ApiError, InputError
from kubestage.results.life import wording
from kubestage.runs.inputs import actions, stage_inputs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.stage import Stage


def described(loaded: LoadedManifests) -> str:
    """The objects of manifests, in a few words."""
    objects = [each.object for each in loaded.documents]
    return wording.named([_name(each) for each in objects])


def _name(obj: Json) -> str:
    if actions.is_one(obj):
        return actions.described(obj)
    return f"{str(obj['kind']).lower()}/{obj['metadata'].get('name')}"


def refusals(refused: Sequence[str]) -> list[str]:
    """A note about actions that were refused."""
    if not refused:
        return []
    more = f", and {len(refused) - 1} more" if len(refused) > 1 else ""
    return [f"refused: {refused[0]}{more}"]


def apply(stage: Stage, loaded: LoadedManifests, *, as_written: bool) -> list[str]:
    """Apply manifests; the actions that were refused."""
    refused = []
    for document in stage_inputs.in_order(loaded.documents, as_written=as_written):
        if actions.is_one(document.object):
            problem = actions.perform(stage, document.object)
            refused += [] if problem is None else [problem]
            continue
        try:
            stage.apply([document.object])
        except ApiError as error:
            raise loaded.place(document, stage_inputs.refusal(error)) from error
        except InputError as error:
            raise loaded.place(document, error) from None
    return refused
