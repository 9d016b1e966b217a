"""The definition of the Scenario as a CustomResourceDefinition, for clusters that want one.

kubestage serves the kind without it. It is what another API server, or a tool that reads schemas,
needs to know the kind; ours checks scenarios by the same schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import own_definitions, shape

if TYPE_CHECKING:
    from kubestage.aliases import Json


def custom_resource_definition() -> Json:
    """The definition, a copy of the caller's own."""
    copied: Json = shape.copy_json(own_definitions.definition("scenarios"))
    return copied
