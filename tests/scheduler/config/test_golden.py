from __future__ import annotations

import gzip
import pathlib
from typing import Any

import msgspec
import pytest

from kubestage.scheduler import config
from tests.golden import vectors

HERE = pathlib.Path(__file__).parent
CASES = HERE.parents[3] / "shared" / "oracle" / "public"
UNLISTED = ("placementGenerate", "placementScore", "postBind")


def _outcome(text: str) -> dict[str, Any]:
    try:
        configuration = config.load(text, older=False)
        completed = config.complete(configuration)
    except config.ConfigError as error:
        outcome: dict[str, Any] = {"error": error.problem, "stage": error.stage}
        if error.stage == "validate":
            outcome["status"] = list(error.errors)
        return outcome
    return {
        "out": {
            "configuration": configuration.to_dict(),
            "writtenConfiguration": completed.configuration.to_dict(),
            "profiles": [profile.to_dict() for profile in completed.profiles],
        }
    }


@pytest.mark.parametrize("entry", vectors.load("schedulerconfig"), ids=lambda entry: entry["id"])
def test_a_configuration_has_the_outcome_that_it_has_in_kube_scheduler(
    entry: dict[str, Any],
) -> None:
    expected = {key: entry[key] for key in ("error", "stage", "status", "out") if key in entry}
    assert _outcome(entry["in"]["yaml"]) == expected


def test_the_default_configuration_is_that_of_kube_scheduler() -> None:
    (entry,) = vectors.load("schedulerconfig", "default")
    assert config.default().to_dict() == entry["out"]["configuration"]


def _recorded() -> list[dict[str, Any]]:
    """Configurations of recorded decisions, with the plugins that the real scheduler then ran."""
    if not CASES.exists():
        packed = (HERE / "recorded_profiles.json.gz").read_bytes()
        recorded: list[dict[str, Any]] = msgspec.json.decode(gzip.decompress(packed))
        return recorded
    cases = (
        msgspec.json.decode(gzip.decompress(path.read_bytes()))
        for path in sorted(CASES.glob("*.json.gz"))
    )
    return [
        {
            "configuration": case.get("kubeSchedulerConfiguration"),
            "profiles": case["expected"]["profiles"],
        }
        for case in cases
    ]


def _listed(profile: config.ProfilePlugins) -> dict[str, Any]:
    return {
        point: plugins if point == "score" else [plugin["name"] for plugin in plugins]
        for point, plugins in profile.to_dict()["plugins"].items()
        if point not in UNLISTED
    }


def test_profiles_of_recorded_decisions_resolve_to_the_plugins_that_were_run() -> None:
    for case in _recorded():
        stated = case["configuration"]
        configuration = config.default() if stated is None else config.from_dict(stated)
        completed = config.complete(configuration)
        resolved = {profile.scheduler_name: _listed(profile) for profile in completed.profiles}
        assert resolved == case["profiles"]
