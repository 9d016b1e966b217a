"""CustomResourceDefinitions of our own kinds, as data: what each field may hold, and the columns.

They are served like built-in kinds, whether or not a cluster has their definition as an object.
"""

from __future__ import annotations

import functools
import importlib.resources
from typing import TYPE_CHECKING, Final

from kubestage import lazy

# NOTE: YAML is slow to load, and rarely needed.
with lazy.imports():
    from kubestage.objects import manifest

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind


@functools.cache
def definition(plural: str) -> Json:
    """The definition of a kind (``scenarios``, ``traffics``), shared: for reading only."""
    name = f"{plural}.yaml"
    data = importlib.resources.files("kubestage.objects.data").joinpath(name)
    (document,) = manifest.load_text(data.read_bytes(), name)
    return document.object


TREATED_BY_DEFINITION: Final = frozenset(
    {
        ("karpenter.k8s.aws/v1", "EC2NodeClass"),
        ("karpenter.sh/v1", "NodeClaim"),
        ("karpenter.sh/v1", "NodePool"),
        ("karpenter.sh/v1alpha1", "NodeOverlay"),
    }
)
"""Built-in kinds whose objects are read and validated by their definition, as custom resources."""


def version(kind: Kind) -> Json | None:
    """The version of a definition that states what a kind holds: one that a cluster has, or ours.

    None for kinds that are not treated by their definition.
    """
    if kind.definition is None and (kind.api_version, kind.kind) in TREATED_BY_DEFINITION:
        (found,) = definition(kind.plural)["spec"]["versions"]
        return found  # type: ignore[no-any-return] # JSON
    return kind.definition


@functools.cache
def schema(plural: str, part: str) -> Json:
    """The structural schema of a kind's ``spec`` or ``status``."""
    (version,) = definition(plural)["spec"]["versions"]
    found: Json = version["schema"]["openAPIV3Schema"]["properties"][part]
    return found
