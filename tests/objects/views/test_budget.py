"""The view of a disruption budget."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.views import budget

WEB = {"matchLabels": {"app": "web"}}


def _budget(selector: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "b", "namespace": "shop"},
        "spec": {"selector": selector},
        "status": {"disruptionsAllowed": 2, "disruptedPods": {"web-0": "1970-01-01T00:00:00Z"}},
    }


def test_a_budget_is_read() -> None:
    view = budget.of(_budget(WEB))
    assert (view.name, view.namespace, view.disruptions_allowed) == ("b", "shop", 2)
    assert view.disrupted == {"web-0"}


@pytest.mark.parametrize(
    ("selector", "namespace", "labels", "covered"),
    [
        (WEB, "shop", {"app": "web"}, True),
        (WEB, "other", {"app": "web"}, False),
        (WEB, "shop", {"app": "db"}, False),
        ({}, "shop", {"app": "web"}, False),
        (None, "shop", {"app": "web"}, False),
        ({"matchExpressions": [{"key": "x", "operator": "DoesNotExist"}]}, "shop", {}, False),
        ({"matchExpressions": [{"key": "x", "operator": "Bogus"}]}, "shop", {"x": ""}, False),
    ],
)
def test_a_budget_covers_what_its_selector_names(
    selector: Any, namespace: str, labels: dict[str, str], covered: bool
) -> None:
    assert budget.of(_budget(selector)).covers(namespace, labels) == covered
