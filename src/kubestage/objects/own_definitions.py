"""CustomResourceDefinitions of our own kinds, as data: what each field may hold, and the columns.

They are served like built-in kinds, whether or not a cluster has their definition as an object.
"""

from __future__ import annotations

import functools
import importlib.resources
from typing import TYPE_CHECKING

from kubestage import lazy

# NOTE: YAML is slow to load, and rarely needed.
with lazy.imports():
    from kubestage.objects import manifest

if TYPE_CHECKING:
    from kubestage.aliases import Json


@functools.cache
def definition(plural: str) -> Json:
    """The definition of a kind (``scenarios``, ``traffics``), shared: for reading only."""
    name = f"{plural}.yaml"
    data = importlib.resources.files("kubestage.objects.data").joinpath(name)
    (document,) = manifest.load_text(data.read_bytes(), name)
    return document.object


@functools.cache
def schema(plural: str, part: str) -> Json:
    """The structural schema of a kind's ``spec`` or ``status``."""
    (version,) = definition(plural)["spec"]["versions"]
    found: Json = version["schema"]["openAPIV3Schema"]["properties"][part]
    return found
