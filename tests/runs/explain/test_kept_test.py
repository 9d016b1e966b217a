"""Pods of the cluster of a test that failed, explained from what was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.runs.explain import ExplainOptions, PodAttempts, explain
from kubestage.runs.opening import open_runs
from kubestage.testing import ClusterFactory, make_deployment, make_pod
from kubestage.testing.clusters import keeping

if TYPE_CHECKING:
    import pathlib


@pytest.fixture
def kept(tmp_path: pathlib.Path) -> pathlib.Path:
    cluster = ClusterFactory(records=True)(nodes=2)
    cluster.apply(make_pod("big", cpu="100"), make_deployment("web", replicas=2))
    cluster.run("1m")
    cluster.delete("deploy/web")
    cluster.run("1m")
    place = keeping.place_of(tmp_path, "tests/test_it.py::test_x[a/b]", "cluster")
    keeping.keep_cluster(place, "test_it.py::test_x", "cluster", "assert 0", cluster)
    return place


def test_every_attempt_is_explained(kept: pathlib.Path) -> None:
    found = explain(kept, "big")
    assert isinstance(found, PodAttempts)
    assert (found.pod, found.status, found.nodes) == ("default/big", "Pending", 2)
    assert found.attempts[0]["result"] == "unschedulable"
    assert found.attempts[0]["explanation"]["filter"]
    assert found.advice is not None
    assert "lower its cpu request" in found.advice["lines"][-1]


def test_a_pod_that_is_gone_is_explained(kept: pathlib.Path) -> None:
    (opened,) = open_runs([kept])
    assert (opened.kind, opened.title) == ("test", "test_it.py::test_x")
    gone = next(row.decision.pod for row in opened.attempts.rows if "/web-" in row.decision.pod)
    found = explain(kept, gone)
    assert isinstance(found, PodAttempts)
    assert found.status == "Deleted"
    assert found.attempts[-1]["node"]


def test_what_cannot_be_explained(kept: pathlib.Path) -> None:
    with pytest.raises(InputError, match=r'there is no pod "bog".*did you mean'):
        explain(kept, "bog")
    with pytest.raises(InputError, match="a test is explained as it ended"):
        explain(kept, "big", ExplainOptions(at="1m"))
    (kept / "test.json").write_text("{}")
    with pytest.raises(InputError, match=r"is no kept test.*--kubestage-keep"):
        explain(kept, "big")


def test_a_name_is_one_directory_and_no_others(kept: pathlib.Path) -> None:
    assert kept.name.startswith("test_it.py-test_x-a-b-")
    assert sorted(each.name for each in kept.iterdir()) == ["history.jsonl.gz", "test.json"]
    other = keeping.place_of(kept.parent, "tests/test_it.py::test_x[a-b]", "cluster")
    assert other != kept
