"""Configurations for tests of reading: texts, and what is said of them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kubestage.clusterloader.config_loading import LoadedConfig, Parameters, load
from kubestage.clusterloader.files import Texts
from kubestage.clusterloader.reading.problems import InvalidConfig

POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{.Name}}\n"
FILES = {
    "pod.yaml": POD,
    "other.yaml": POD,
    "deployment.yaml": POD.replace("v1", "apps/v1").replace("Pod", "Deployment"),
}
METHODS = frozenset(("Sleep", "Timer"))
TUNING = "tuningSets: [{name: Fast, qpsLoad: {qps: 10}}]\n"


def loaded(text: str, files: dict[str, str] | None = None, **given: Any) -> LoadedConfig:
    """A configuration that is loaded from texts."""
    is_strict = given.pop("is_strict", False)
    parameters = Parameters(**{"nodes": 2, **given})
    everything = {**FILES, **(files or {}), "main.yaml": text}
    return load(
        "main.yaml",
        Texts(everything),
        parameters,
        methods=METHODS,
        random=random.Random(1),
        is_strict=is_strict,
    )


def problems(text: str, files: dict[str, str] | None = None, **given: Any) -> list[str]:
    """What is wrong with a configuration, a line for each."""
    with pytest.raises(InvalidConfig) as caught:
        loaded(text, files, **given)
    assert str(caught.value) == "\n".join(map(str, caught.value.problems))
    return [str(each) for each in caught.value.problems]


def steps(*phases: str) -> str:
    """A configuration with a step for each phase, written as a flow mapping."""
    lines = "".join(f"- phases: [{phase}]\n" for phase in phases)
    return f"{TUNING}steps:\n{lines}"


def phase(replicas: int, path: str = "pod.yaml", more: str = "", basename: str = "x") -> str:
    """A phase of one object in the only namespace."""
    where = more or "namespaceRange: {min: 1, max: 1}"
    return (
        f"{{replicasPerNamespace: {replicas}, tuningSet: Fast, {where}, "
        f"objectBundle: [{{basename: {basename}, objectTemplatePath: {path}}}]}}"
    )
