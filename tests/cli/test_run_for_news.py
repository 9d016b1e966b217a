"""``run --for`` leads with what went wrong, and is a summary however many pods there are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kubestage.testing import make_deployment, make_node, make_pod
from tests.cli import clusters

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal


def test_of_many_pods_those_that_need_attention_are_listed(terminal: Terminal) -> None:
    nodes = make_node("a"), make_node("b")
    large = (make_pod(f"big-{at}", cpu="64") for at in range(25))
    clusters.write("cluster.json", *nodes, make_deployment("web", replicas=22), *large)
    lines = terminal.run("run", "cluster.json", "--for", "1m").out.splitlines()
    assert lines[0] == "25 of 47 pods are pending:"
    assert lines[4].startswith("up to 25 pods had no node (at 1ms), the longest wait 1m0s (")
    listed = [line for line in lines if line.startswith("pod/")]
    assert len(listed) == 20
    assert all("Pending" in line for line in listed)
    rest = "and 5 more like these, and 22 pods that need no attention: --all lists them"
    assert rest in lines


def test_what_went_wrong_comes_before_the_tables(terminal: Terminal) -> None:
    notes = {"kubestage.dev/fails-after": "2m", "kubestage.dev/recovers-after": "1h"}
    nodes = make_node("n1"), make_node("n2", annotations=notes)
    clusters.write("cluster.json", *nodes, make_deployment("web", replicas=2))
    result = terminal.run("run", "cluster.json", "--for", "4m")
    below, silent, blank, *_ = result.out.splitlines()
    assert below == (
        "deployment/default/web was below its 2 replicas for 1m10s (lowest 1, at 2m50s), and has 1 "
        "of 2 at the end"
    )
    assert (silent, blank) == ("node n2 was NotReady for 1m10s", "")
    summary = json.loads(terminal.run("run", "cluster.json", "--for", "4m", "-o", "json").out)
    assert summary["summary"]["health"]["nodesNotReady"][0]["windows"] == [[170.0, 240.0]]
