from __future__ import annotations

import pathlib

from kubestage.scheduler import config
from tests.scheduler.config.texts import args, scores

FOLDER = pathlib.Path(__file__).parents[3] / "examples" / "04-profiles"


def _completed(name: str) -> config.Completed:
    return config.complete(config.load((FOLDER / name).read_text(), name))


def test_the_profiles_of_the_example_spread_pack_and_take_anything() -> None:
    completed = _completed("scheduler.yaml")
    spread, pack, anything = completed.profiles
    assert scores(spread) == scores(config.complete(config.default()).profiles[0])
    assert scores(pack)[0] == ("NodeResourcesFit", 10)
    assert anything.points["score"] == anything.points["preScore"] == ()
    strategy = args(completed.configuration, "NodeResourcesFit", profile=1)["scoringStrategy"]
    assert strategy["type"] == "MostAllocated"


def test_the_older_file_of_the_example_packs_with_the_same_plugin() -> None:
    completed = _completed("scheduler-v1alpha2.yaml")
    assert [profile.scheduler_name for profile in completed.profiles] == [
        "default-scheduler",
        "packer",
        "no-scoring",
    ]
    assert scores(completed.profiles[1])[-1] == ("NodeResourcesFit", 10)
    strategy = args(completed.configuration, "NodeResourcesFit", profile=1)["scoringStrategy"]
    assert strategy["type"] == "MostAllocated"
