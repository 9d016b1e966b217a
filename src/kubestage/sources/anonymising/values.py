"""Values that may be of any type: replaced where they are what a rule expects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.sources.anonymising import label_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json


def is_private(reference: Json) -> bool:
    """Whether something refers to a kind that says who has defined it."""
    group = str(reference.get("apiVersion") or "").rpartition("/")[0]
    return "." in group and not label_rules.is_public_domain(group)


def public_finalizers(value: Any) -> Any:
    """Finalizers of controllers that may be there; private ones would never be removed."""
    return [
        each
        for each in (value if isinstance(value, list) else ())
        if isinstance(each, str)
        and ("/" not in each or label_rules.is_public_domain(each.partition("/")[0]))
    ]


def text(value: Any, replace: Callable[[str], str]) -> Any:
    """A text replaced; anything else as it is."""
    return replace(value) if isinstance(value, str) and value else value


def each(value: Any, replace: Callable[[Any], Any]) -> Any:
    """The items of a list replaced."""
    return [replace(each) for each in value] if isinstance(value, list) else value


def each_text(value: Any, replace: Callable[[str], str]) -> Any:
    """A text, or the texts of a list, replaced; the word None stays."""
    if isinstance(value, list):
        return [each_text(each, replace) for each in value]
    return value if value == "None" else text(value, replace)
