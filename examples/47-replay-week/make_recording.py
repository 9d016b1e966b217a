"""Write the recording of this example: a week of a small shop, as a watch would have seen it.

The cluster is a stage whose scheduler breaks ties at random, as a real one does. Run
``python make_recording.py week`` to write it again; the same bytes come out.
"""

import sys

from kubestage import Stage
from kubestage.sources import canonical_kinds, folder
from kubestage.sources.imported import Change, Imported, Origin, reference_of
from kubestage.store.log import ADDED, DELETED

HOUR = 3600 * 10**9
DAYS = 7
NODES = 8
KINDS = {(each.api_version, each.kind) for each in canonical_kinds.KINDS}


def node(number):
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "name": f"node-{number}",
            "labels": {"topology.kubernetes.io/zone": f"zone-{'ab'[number % 2]}"},
        },
        "status": {"allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110"}},
    }  # fmt: skip


def pods(cpu, image, **more):
    resources = {"requests": {"cpu": cpu, "memory": "512Mi"}}
    return {"containers": [{"name": "main", "image": image, "resources": resources}], **more}


def deployment(name, replicas, cpu):
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": pods(cpu, f"registry.example/{name}:1")}
    return {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template},
    }  # fmt: skip


def nightly():
    """A CronJob at two in the morning, of three pods that run for 25 minutes."""
    template = {
        "metadata": {"annotations": {"kubestage.dev/run-duration": "25m"}},
        "spec": pods("2", "registry.example/report:1", restartPolicy="Never"),
    }
    job = {"spec": {"parallelism": 3, "completions": 3, "template": template}}
    return {
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "report"},
        "spec": {"schedule": "0 2 * * *", "jobTemplate": job, "successfulJobsHistoryLimit": 1},
    }  # fmt: skip


def scale(stage, name, replicas):
    patch = {"spec": {"replicas": replicas}}
    stage.store.patch(("apps/v1", "Deployment"), name, patch, "default")


def deploy(stage, name, image):
    container = {"name": "main", "image": image}
    patch = {"spec": {"template": {"spec": {"containers": [container]}}}}
    stage.store.patch(("apps/v1", "Deployment"), name, patch, "default")


def cordon(stage, name, is_cordoned):
    stage.store.patch(("v1", "Node"), name, {"spec": {"unschedulable": is_cordoned}})


def week(stage):
    """What people do, hour by hour: more replicas by day, a rollout, a node under repair."""
    for day in range(DAYS):
        web, api = (8, 4) if day >= 5 else (14, 8)
        plan = {8: [(scale, "web", web)], 9: [(scale, "api", api)]}
        plan[20] = [(scale, "web", 4), (scale, "api", 2)]
        if day == 2:
            plan[14] = [(deploy, "web", "registry.example/web:2")]
        if day == 3:
            plan[7] = [(cordon, "node-3", True)]
            plan[16] = [(cordon, "node-3", False)]
        for hour in range(24):
            for act, name, value in plan.get(hour, ()):
                act(stage, name, value)
            stage.run(HOUR)


def record(stage):
    """The objects now, and a list that all changes will be in."""
    rows = [row for row in stage.store.kinds if (row.api_version, row.kind) in KINDS]
    objects = [obj for row in rows for obj in stage.store.read(row).values()]
    changes = []

    def on_change(change):
        if (change.kind.api_version, change.kind.kind) not in KINDS:
            return
        verb = "create" if change.type == ADDED else "update"
        verb = "delete" if change.type == DELETED else verb
        changes.append(
            Change(
                at_ns=stage.clock.unix_ns,
                verb=verb,
                reference=reference_of(change.new),
                object=None if verb == "delete" else change.new,
            )
        )

    stage.store.subscribe(on_change)
    return objects, changes


def main(out):
    stage = Stage(7, start="2026-03-01T23:00:00Z")
    stage.add_scheduler(tie_break="random")
    stage.add_controllers()
    stage.apply([node(number) for number in range(NODES)])
    stage.apply([deployment("web", 4, "500m"), deployment("api", 2, "1"), nightly()])
    stage.run(HOUR)
    objects, changes = record(stage)
    week(stage)
    folder.write(
        Imported(objects, changes, [Origin(source="a week", format="kubestage recording")]), out
    )


if __name__ == "__main__":
    main(sys.argv[1])
