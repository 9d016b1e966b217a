"""CustomResourceDefinitions of our own kinds, as data: what each field may hold, and the columns.

They are served like built-in kinds, whether or not a cluster has their definition as an object.
"""

from __future__ import annotations

import functools
import importlib.resources
from typing import Any

Json = dict[str, Any]


@functools.cache
def scenario() -> Json:
    """The definition of the Scenario, shared: for reading only."""
    from kubestage.objects import manifest  # noqa: PLC0415 - YAML is slow to load, and rarely needed

    data = importlib.resources.files("kubestage.objects.data").joinpath("scenarios.yaml")
    (document,) = manifest.load_text(data.read_bytes(), "scenarios.yaml")
    return document.object


@functools.cache
def scenario_schema(part: str) -> Json:
    """The structural schema of a Scenario's ``spec`` or ``status``."""
    (version,) = scenario()["spec"]["versions"]
    schema: Json = version["schema"]["openAPIV3Schema"]["properties"][part]
    return schema
