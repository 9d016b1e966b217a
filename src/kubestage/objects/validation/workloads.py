"""Which rules judge which workload: the rows of ``rules`` for objects with pod templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects.validation import (
    cron_jobs,
    daemon_sets,
    deployments,
    job_status,
    jobs,
    label_selectors,
    pod_options,
    pod_update_options,
    stateful_sets,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.validation.field import FieldError

    Rule = Callable[[dict[str, Any]], list[FieldError]]
    UpdateRule = Callable[[dict[str, Any], dict[str, Any]], list[FieldError]]
    TemplateRule = Callable[..., list[FieldError]]


def _with_options(
    rule: TemplateRule,
    path: tuple[str, ...] = ("spec", "template"),
    *,
    lenient_selector: bool = False,
) -> UpdateRule:
    """The rule, loosened where the older template already broke it."""

    def judge(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
        template: Any = old
        for key in path:
            template = (template or {}).get(key)
        template = template or {}
        options = pod_update_options.for_update(
            template.get("spec") or {},
            (template.get("metadata") or {}).get("annotations"),
            pod_options.NEW_TEMPLATE,
        )
        selector = (old.get("spec") or {}).get("selector") if lenient_selector else None
        if label_selectors.has_invalid_value(selector):
            options = msgspec.structs.replace(options, allow_invalid_label_value_in_selector=True)
        return rule(new, old, options)

    return judge


CREATE: Final[dict[tuple[str, str], Rule]] = {
    ("v1", "ReplicationController"): deployments.validate_replication_controller,
    ("v1", "PodTemplate"): deployments.validate_pod_template,
    ("apps/v1", "Deployment"): deployments.validate_deployment,
    ("apps/v1", "ReplicaSet"): deployments.validate_replica_set,
    ("apps/v1", "StatefulSet"): stateful_sets.validate_stateful_set,
    ("apps/v1", "DaemonSet"): daemon_sets.validate_daemon_set,
    ("batch/v1", "Job"): jobs.validate_job,
    ("batch/v1", "CronJob"): cron_jobs.validate_cron_job,
}

UPDATE: Final[dict[tuple[str, str, str], UpdateRule]] = {
    ("v1", "ReplicationController", ""): _with_options(
        deployments.validate_replication_controller_update
    ),
    ("v1", "ReplicationController", "status"): deployments.validate_replicas_status_update,
    ("v1", "PodTemplate", ""): _with_options(
        deployments.validate_pod_template_update, ("template",)
    ),
    ("apps/v1", "Deployment", ""): _with_options(deployments.validate_deployment_update),
    ("apps/v1", "Deployment", "status"): deployments.validate_deployment_status_update,
    ("apps/v1", "ReplicaSet", ""): _with_options(deployments.validate_replica_set_update),
    ("apps/v1", "ReplicaSet", "status"): deployments.validate_replicas_status_update,
    ("apps/v1", "StatefulSet", ""): _with_options(stateful_sets.validate_stateful_set_update),
    ("apps/v1", "StatefulSet", "status"): stateful_sets.validate_stateful_set_status_update,
    ("apps/v1", "DaemonSet", ""): _with_options(
        daemon_sets.validate_daemon_set_update, lenient_selector=True
    ),
    ("apps/v1", "DaemonSet", "status"): daemon_sets.validate_daemon_set_status_update,
    ("batch/v1", "Job", ""): _with_options(jobs.validate_job_update, lenient_selector=True),
    ("batch/v1", "Job", "status"): job_status.validate_job_status_update,
    ("batch/v1", "CronJob", ""): _with_options(
        cron_jobs.validate_cron_job_update, ("spec", "jobTemplate", "spec", "template")
    ),
}
