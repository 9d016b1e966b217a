"""Nodes are named in many ways, and what is misspelt is answered with the likely name."""

from __future__ import annotations

import pytest

from kubestage import InputError
from kubestage.runs.rehearse import targets
from kubestage.testing import make_node
from tests.runs.rehearse.clusters import cluster

POOL = "cloud.google.com/gke-nodepool"
STAGE = cluster(
    make_node("a1", zone="a", labels={POOL: "workers", "disk": "hdd"}),
    make_node("a2", zone="a", labels={POOL: "workers", "disk": "hdd"}),
    make_node("b1", zone="b", labels={POOL: "large"}),
).stage


@pytest.mark.parametrize(
    ("words", "described"),
    [
        (["a1"], "node a1"),
        (["all"], "all 3 nodes"),
        (["a1", "b1"], "nodes a1, b1"),
        (["zone/a"], "zone a (2 nodes)"),
        (["zone/b"], "zone b (1 node)"),
        (["pool/workers"], "pool workers (2 nodes)"),
        (["disk=hdd"], "2 nodes with disk=hdd"),
        (["zone/a", "b1"], "3 nodes (zone/a, b1)"),
    ],
)
def test_what_is_named_is_described_in_words(words: list[str], described: str) -> None:
    assert targets.described(targets.nodes(STAGE, words), words) == described


@pytest.mark.parametrize(
    ("word", "problem", "fix"),
    [
        ("A1", 'there is no node "A1"', "did you mean a1?"),
        ("zone/x", 'there is no zone "x"', "the zones are a, b"),
        ("pool/wrokers", 'there is no pool "wrokers"', "did you mean workers?"),
        ("web-7", 'there is no node "web-7"', "the nodes are a1, a2, b1"),
    ],
)
def test_what_is_not_there_is_answered_with_what_is(word: str, problem: str, fix: str) -> None:
    with pytest.raises(InputError) as error:
        targets.nodes(STAGE, [word])
    assert (error.value.problem, error.value.fix) == (problem, fix)


def test_a_pool_of_an_upgrade_may_be_misspelt() -> None:
    with pytest.raises(InputError, match=r'no pool or node "worker".*did you mean workers'):
        targets.pool_words(STAGE, ["worker"])
    assert targets.pool_words(STAGE, ["workers", "a1", "all"]) == ["pool/workers", "a1", "all"]
