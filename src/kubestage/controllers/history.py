"""The past of StatefulSets and DaemonSets: their templates, kept as ControllerRevisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.store.store import Store


REVISION: Final = ("apps/v1", "ControllerRevision")


def in_order(revisions: Iterable[Json]) -> list[Json]:
    """Revisions, the oldest first."""
    return sorted(revisions, key=_rank)


def _rank(revision: Json) -> tuple[int, str, str]:
    metadata = revision["metadata"]
    return number_of(revision), metadata["creationTimestamp"], metadata["name"]


def number_of(revision: Json) -> int:
    """Which revision of its owner it is; an owner that goes back to it gives it a new number."""
    number: int = revision.get("revision") or 0
    return number


def template_data(template: Json) -> Json:
    """What a revision records of its owner: a patch that restores the template."""
    return {"spec": {"template": {**template, "$patch": "replace"}}}


def in_key_order(value: Any) -> Any:
    """What a revision records, with the keys of all its parts in order.

    Clients compare it byte for byte with what they encode themselves, from maps of Go.
    """
    if isinstance(value, dict):
        return {key: in_key_order(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [in_key_order(each) for each in value]
    return value


def renumber(store: Store, revision: Json, number: int) -> Json:
    """Give a revision another number, and return it as it is then."""
    if number_of(revision) == number:
        return revision
    return store.update({**revision, "revision": number})


def delete(store: Store, revision: Json) -> None:
    """Forget a revision."""
    metadata = revision["metadata"]
    store.delete(REVISION, metadata["name"], metadata["namespace"])
