from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage import replay
from kubestage.errors import InputError

if TYPE_CHECKING:
    import pathlib


def recorded(**changes: Any) -> dict[str, Any]:
    event = {
        "object": "Job/j",
        "type": "Normal",
        "reason": "Completed",
        "message": "Job completed",
        "source": "job-controller",
        "count": 1,
    }
    step = {"operation": [], "state": {}, "events": [event], "trace": {}}
    return {
        "name": "a",
        "topic": "job",
        "kubelet": "rounds",
        "kubelet_quiet_seconds": 1.3,
        "nodes": ["n1"],
        "steps": [step],
        **changes,
    }


def test_a_list_is_read_packed_or_not(tmp_path: pathlib.Path) -> None:
    data = json.dumps([recorded()]).encode()
    plain, packed = tmp_path / "a.json", tmp_path / "a.json.gz"
    plain.write_bytes(data)
    packed.write_bytes(gzip.compress(data))
    assert replay.load(plain) == replay.load(packed)
    (found,) = replay.load(plain)
    assert (found.name, found.kubelet, found.steps[0].wait_until) == ("a", "rounds", "")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"kubelet": "lazy"}, "Invalid enum value 'lazy' - at $[0].kubelet"),
        ({"steps": [{}]}, "Object missing required field operation"),
        (
            {"steps": [{"operation": [], "state": {}, "events": [{"type": "x"}], "trace": {}}]},
            "a, step 0: an event lacks object",
        ),
        (
            {"steps": [{"operation": [], "state": {}, "events": [{"object": "x"}], "trace": {}}]},
            "a, step 0: an event lacks type",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(
    changes: dict[str, Any], problem: str, tmp_path: pathlib.Path
) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([recorded(**changes)]))
    with pytest.raises(InputError) as caught:
        replay.load(path)
    assert problem in str(caught.value)
    assert caught.value.file == str(path)
