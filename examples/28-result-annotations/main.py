"""The results of the scheduler, in annotations of pods and in the status of a Scenario."""

import json

from kubestage import Stage
from kubestage.scenario.resource import API_VERSION, SCENARIO
from kubestage.testing import make_node, make_pod

PREFIX = "kube-scheduler-simulator.sigs.k8s.io/"


def create(step, obj):
    return {"step": step, "operation": "Create", "createOperation": {"object": obj}}


EVENTS = [
    create(0, make_node("node-1", cpu="2")),
    create(0, make_node("node-2", cpu="4")),
    create(1, make_pod("web", cpu="1")),
    create(1, make_pod("huge", cpu="8")),
    create(2, make_node("node-3", cpu="16")),
    {"step": 3, "operation": "Done", "doneOperation": {"done": True}},
]

stage = Stage(seed=7)
stage.annotates_results = True
stage.add_scheduler()
stage.store.create(
    {
        "apiVersion": API_VERSION,
        "kind": "Scenario",
        "metadata": {"name": "annotated"},
        "spec": {"detail": "full", "resultStrategy": "OnDone", "events": EVENTS},
    }
)
stage.run_scenarios()

pod = stage.store.get(("v1", "Pod"), "huge")
annotations = pod["metadata"]["annotations"]
print("selected-node:", annotations[f"{PREFIX}selected-node"])
for number, result in enumerate(json.loads(annotations[f"{PREFIX}result-history"]), 1):
    verdicts = json.loads(result[f"{PREFIX}filter-result"])
    fits = {node: each.get("NodeResourcesFit") for node, each in verdicts.items()}
    print(f"result {number}:", fits)

timeline = stage.store.get(SCENARIO, "annotated")["status"]["scenarioResult"]["timeline"]
for event in timeline["2"]:
    if event["operation"] == "PodScheduled":
        for attempt in event["podScheduled"]["scheduleResult"]:
            print(attempt["step"], attempt["allCandidateNodes"], attempt["allFilteredNodes"])
