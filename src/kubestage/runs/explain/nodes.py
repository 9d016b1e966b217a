"""Explaining a node, or a NodeClaim: of a kept run, which is repeated, or of a served cluster."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

import msgspec

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.results import kept_test, run_directory
from kubestage.results.life.node_decisions import NodeDecisionRecord
from kubestage.runs import living_run, scenario_run
from kubestage.runs.explain import living, manifests, repetition, staged_nodes
from kubestage.runs.explain.node_explanation import NodeExplanation
from kubestage.runs.inputs import autoscaler_files, file_kinds, plugin_files, python_file
from kubestage.stage import few_collections

with lazy.imports():
    from kubestage.remote import node_explanations
    from kubestage.runs import clock_server

if TYPE_CHECKING:
    from kubestage.runs.explain_options import ExplainOptions
    from kubestage.runs.observer import Observer


def explain(
    path: str | pathlib.Path, name: str, options: ExplainOptions, observer: Observer
) -> NodeExplanation:
    """Explain a node of a kept run at its end, or at a moment of a living one."""
    _refuse_pod_options(options)
    if run_directory.is_life(path):
        return _of_life(path, name, options, observer)
    place = pathlib.Path(path)
    if kept_test.is_one(place) or manifests.are_at(path):
        fix = "name a directory that `kubestage run --out DIR` has written"
        problem = "nodes are explained of living runs and of Scenarios that were kept"
        raise InputError(problem, file=str(path), fix=fix)
    if options.at is not None:
        fix = "leave it out, or name a run of `kubestage run --for`"
        raise InputError("is for living runs", path="--at", fix=fix)
    file_kinds.expect_run(str(path))
    return _of_scenario(path, name, observer)


def explain_served(
    name: str, options: ExplainOptions, *, server: str | None, kubeconfig: str | None
) -> NodeExplanation:
    """Explain a node of a cluster that `kubestage serve` serves, as it is now."""
    _refuse_pod_options(options)
    served = node_explanations.NodeExplanations(clock_server.find(server, kubeconfig))
    return msgspec.convert(served.get(name), NodeExplanation)


def _refuse_pod_options(options: ExplainOptions) -> None:
    if options.attempt is not None or options.node is not None:
        flag = "--node" if options.attempt is None else "--attempt"
        raise InputError("is for pods", path=flag, fix="leave it out")


def _of_life(
    path: str | pathlib.Path, name: str, options: ExplainOptions, observer: Observer
) -> NodeExplanation:
    this = living.repeatable(path, options.at, observer)
    files = autoscaler_files.files(this.plan.autoscalers)
    with plugin_files.error_context(this.settings.plugins), python_file.error_context(*files):
        lived = living_run.live(this.loaded, this.settings, this.plan, observer)
    assert lived.nodes is not None
    found = staged_nodes.of(lived.stage, lived.nodes, name, str(path))
    return msgspec.structs.replace(found, notes=this.warnings)


def _of_scenario(path: str | pathlib.Path, name: str, observer: Observer) -> NodeExplanation:
    with run_directory.open_run(path) as opened:
        if opened.repeat is None:
            problem = "does not say how to repeat the run"
            fix = "run it again with `kubestage run --out DIR`"
            raise InputError(problem, file=str(path), fix=fix)
        this = repetition.repeatable(opened)
    hooks = scenario_run.RunHooks(observer=observer)
    with plugin_files.error_context(this.settings.plugins):
        played = scenario_run.start_scenario(this.inputs, this.settings, watching=hooks)
        stage = played.stage
        record = NodeDecisionRecord(stage.clock)
        decisions = None if stage.controllers is None else stage.controllers.node_decisions
        record.follow(stage.store, decisions)
        with few_collections():
            scenario_run.advance(played.controller)
    found = staged_nodes.of(stage, record, name, str(path))
    return msgspec.structs.replace(found, notes=list(this.warnings))
