"""The tables of ``kubestage analyze``, one line about each: for its help, and for a shell."""

from __future__ import annotations

from typing import Final

SCENARIO: Final = {
    "summary": "the run in a few numbers: pods, nodes, waiting, attempts",
    "steps": "what happened in each step, and what was there at its end",
    "allocation": "requested and allocatable of each resource, by step",
    "nodes": "how full each node was, by step",
    "pods": "each pod: status, node, when created and bound, attempts",
    "pending": "each pod that ended a step without a node, and why",
    "balance": "how even the nodes are filled: min, max, mean, stddev",
    "fragmentation": "free capacity where typical or pending pods do not fit",
    "preemptions": "each victim, its node, and the pod that took its place",
    "attempts": "scheduling attempts, counted by the keys of --by",
    "timings": "how long scheduling took, by extension point and plugin",
}
LIFE: Final = {
    "summary": "the run in a few numbers: requests, replicas, nodes, cost",
    "replicas": "pods of each workload over time: desired, launching, active",
    "requests": "requests of each Traffic per second, and how they ended",
    "responses": "a sample of completed requests with their response times",
    "percentiles": "response times p50, p95 and p99 over time",
    "utilization": "how busy the active replicas were",
    "metrics": "what each HPA measured, and its target",
    "recommendations": "what each VPA recommended, and what pods requested",
    "nodes": "nodes of each node group over time",
    "cluster": "pods by state, nodes, and CPU over time",
    "decisions": "each rescale, eviction, resize, node added or removed",
    "timings": "how long scheduling took, by extension point and plugin",
}


def words(incomplete: str) -> list[tuple[str, str]]:
    """What a shell offers in the place of a table, with what each has."""
    known = {**LIFE, **SCENARIO}
    return [(name, about) for name, about in known.items() if name.startswith(incomplete)]


def listed(tables: dict[str, str]) -> str:
    """A paragraph of the help with a line for each table."""
    return "\n".join(f"  {name:15}  {about}" for name, about in tables.items())
