"""A custom resource with many versions."""

from __future__ import annotations

from typing import Any

from kubestage.objects import kinds

VERSIONS = ("late", "v11beta1", "v2", "v12alpha1", "v10", "v1", "early", "v11beta2")

WIDGETS: dict[str, Any] = {
    "spec": {
        "group": "crud.example.com",
        "scope": "Namespaced",
        "names": {
            "kind": "Widget",
            "plural": "widgets",
            "shortNames": ["wd"],
            "categories": ["all"],
        },
        "versions": [
            {
                "name": name,
                "served": True,
                "storage": name == "v1",
                "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas"}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "description": "A widget.",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "required": ["size"],
                                "properties": {"size": {"type": "integer", "maximum": 9}},
                            }
                        },
                    }
                },
            }
            for name in VERSIONS
        ],
    }
}


def widgets() -> kinds.KindTable:
    """A table with widgets in it."""
    table = kinds.KindTable()
    table.register(WIDGETS)
    return table
