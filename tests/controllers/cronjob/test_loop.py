from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects import timestamps
from tests.controllers.job.batch_cluster import CRON_JOB, JOB, TEMPLATE, BatchCluster

if TYPE_CHECKING:
    from kubestage.aliases import Json

HOUR = 3600
SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp"


def _cluster(start: str = "2026-01-01T00:30:00Z", **spec: Any) -> BatchCluster:
    cluster = BatchCluster(start)
    cluster.create(
        {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": "c", "namespace": "default"},
            "spec": {
                "schedule": "0 * * * *",
                "jobTemplate": {
                    "metadata": {"labels": {"from": "c"}, "annotations": {"a": "b"}},
                    "spec": {"template": TEMPLATE},
                },
                **spec,
            },
        }
    )
    return cluster


def _cronjob(cluster: BatchCluster) -> Json:
    return cluster.store.get(CRON_JOB, "c", "default")


def _status(cluster: BatchCluster) -> Json:
    found: Json = _cronjob(cluster).get("status") or {}
    return found


def _jobs(cluster: BatchCluster) -> list[Json]:
    return list(cluster.store.read(JOB).values())


def _end_all(cluster: BatchCluster, code: int = 0) -> None:
    for pod in cluster.working():
        cluster.finish(pod, code)
    cluster.run(2)


def _run_hours(cluster: BatchCluster, hours: int, code: int | None = 0) -> None:
    for _ in range(hours):
        cluster.run(HOUR - 10)
        if code is not None:
            _end_all(cluster, code)
            cluster.run(8)
        else:
            cluster.run(10)


def test_a_job_is_made_a_tenth_of_a_second_after_its_moment() -> None:
    cluster = _cluster()
    cluster.run(HOUR / 2 - 0.01 + 0.09)
    assert _jobs(cluster) == []
    cluster.run(0.02)
    (job,) = _jobs(cluster)
    minute = timestamps.parse_time("2026-01-01T01:00:00Z") // 60_000_000_000
    metadata = job["metadata"]
    assert metadata["name"] == f"c-{minute}"
    assert metadata["labels"]["from"] == "c"
    assert metadata["annotations"] == {"a": "b", SCHEDULED: "2026-01-01T01:00:00Z"}
    (reference,) = _status(cluster)["active"]
    assert (reference["name"], reference["uid"]) == (metadata["name"], metadata["uid"])
    assert _status(cluster)["lastScheduleTime"] == "2026-01-01T01:00:00Z"
    assert cluster.events("CronJob") == [f"SuccessfulCreate: Created job {metadata['name']}"]


def test_a_job_that_is_over_leaves_the_active_ones() -> None:
    cluster = _cluster()
    cluster.run(HOUR / 2 + 5)
    _end_all(cluster)
    assert _status(cluster) == {
        "lastScheduleTime": "2026-01-01T01:00:00Z",
        "lastSuccessfulTime": "2026-01-01T01:00:06Z",
    }
    assert cluster.events("CronJob")[-1].endswith("condition: Complete")


def test_only_so_many_jobs_of_the_past_are_kept_the_oldest_go() -> None:
    cluster = _cluster(successfulJobsHistoryLimit=2, failedJobsHistoryLimit=0)
    _run_hours(cluster, 5)
    hours = sorted(job["metadata"]["annotations"][SCHEDULED][11:13] for job in _jobs(cluster))
    assert hours == ["04", "05"]
    assert len(cluster.pods()) == 2
    assert cluster.reasons("CronJob").count("SuccessfulDelete") == 3


def test_jobs_run_beside_one_another_if_that_is_allowed() -> None:
    cluster = _cluster()
    _run_hours(cluster, 3, code=None)
    assert len(_status(cluster)["active"]) == 3


def test_no_job_starts_beside_another_if_that_is_forbidden() -> None:
    cluster = _cluster(concurrencyPolicy="Forbid")
    _run_hours(cluster, 3, code=None)
    assert len(_jobs(cluster)) == 1
    words = "Not starting job because prior execution is running and concurrency policy is Forbid"
    assert cluster.events("CronJob")[-1] == f"JobAlreadyActive: {words}"
    _end_all(cluster)
    assert len(_jobs(cluster)) == 2


def test_a_job_that_still_runs_is_replaced_if_so_told() -> None:
    cluster = _cluster(concurrencyPolicy="Replace")
    _run_hours(cluster, 2, code=None)
    (job,) = _jobs(cluster)
    assert job["metadata"]["annotations"][SCHEDULED] == "2026-01-01T02:00:00Z"
    assert len(_status(cluster)["active"]) == 1
    assert cluster.reasons("CronJob") == [
        "SuccessfulCreate",
        "SuccessfulDelete",
        "SuccessfulCreate",
    ]


def test_a_suspended_cronjob_starts_nothing_and_then_what_is_due() -> None:
    cluster = _cluster(suspend=True)
    _run_hours(cluster, 3)
    assert _jobs(cluster) == []
    cluster.store.patch(CRON_JOB, "c", {"spec": {"suspend": False}}, "default")
    cluster.run(1)
    (job,) = _jobs(cluster)
    assert job["metadata"]["annotations"][SCHEDULED] == "2026-01-01T03:00:00Z"


def test_what_is_past_the_deadline_is_not_started() -> None:
    cluster = _cluster(suspend=True, startingDeadlineSeconds=100)
    _run_hours(cluster, 3)
    cluster.store.patch(CRON_JOB, "c", {"spec": {"suspend": False}}, "default")
    cluster.run(60)
    assert _jobs(cluster) == []
    cluster.run(HOUR)
    assert len(_jobs(cluster)) == 1


def test_too_many_missed_moments_are_told_and_the_latest_is_started() -> None:
    cluster = _cluster(suspend=True, schedule="* * * * *")
    cluster.run(3 * HOUR)
    cluster.store.patch(CRON_JOB, "c", {"spec": {"suspend": False}}, "default")
    cluster.run(1)
    assert cluster.reasons("CronJob")[0] == "TooManyMissedTimes"
    assert len(_jobs(cluster)) == 1


def test_a_job_that_was_deleted_goes_missing() -> None:
    cluster = _cluster()
    cluster.run(HOUR / 2 + 5)
    (job,) = _jobs(cluster)
    cluster.store.delete(JOB, job["metadata"]["name"], "default")
    cluster.run(5)
    assert "active" not in _status(cluster)
    name = job["metadata"]["name"]
    assert cluster.events("CronJob")[-1] == f"MissingJob: Active job went missing: {name}"
    assert _jobs(cluster) == []


def test_moments_are_those_of_the_time_zone_and_are_written_so() -> None:
    cluster = _cluster("2026-07-01T00:00:00Z", schedule="30 2 * * *", timeZone="America/New_York")
    cluster.run(12 * HOUR)
    (job,) = _jobs(cluster)
    assert job["metadata"]["annotations"][SCHEDULED] == "2026-07-01T02:30:00-04:00"
    assert _status(cluster)["lastScheduleTime"] == "2026-07-01T06:30:00Z"


def test_another_schedule_holds_at_once() -> None:
    cluster = _cluster()
    cluster.store.patch(CRON_JOB, "c", {"spec": {"schedule": "*/5 * * * *"}}, "default")
    cluster.run(301)
    assert len(_jobs(cluster)) == 1


def test_a_schedule_without_moments_is_told_once_and_nothing_loops() -> None:
    cluster = _cluster(schedule="0 0 31 2 *")
    cluster.run(100 * HOUR)
    words = "time difference between two schedules is less than 1 second"
    assert cluster.events("CronJob") == [f"InvalidSchedule: invalid schedule: 0 0 31 2 * : {words}"]
    assert cluster.runner.syncs < 5


def test_bad_recorded_schedules_and_zones_are_told() -> None:
    cluster = _cluster(suspend=True)
    stored = _cronjob(cluster)
    for name, spec, event in (
        ("x", {"schedule": "61 * * * *"}, "UnparseableSchedule"),
        ("y", {"schedule": "@daily", "timeZone": "Nowhere"}, "UnknownTimeZone"),
        ("z", {"schedule": "TZ=UTC @daily"}, "UnsupportedSchedule"),
    ):
        changed = {
            **stored,
            "metadata": {**stored["metadata"], "name": name, "uid": name},
            "spec": {**stored["spec"], "suspend": False, **spec},
        }
        cluster.store.put(cluster.store.kind(CRON_JOB), f"default/{name}", changed)
        cluster.store.settle()
        cluster.run(1)
        assert cluster.reasons("CronJob")[-1] == event
    texts = cluster.events("CronJob")
    assert '"61 * * * *" : end of range (61) above maximum (59): 61' in texts[0]
    assert 'invalid timeZone: "Nowhere": unknown time zone Nowhere' in texts[1]


def test_a_name_that_is_taken_by_another_is_left_to_it() -> None:
    cluster = _cluster()
    minute = timestamps.parse_time("2026-01-01T01:00:00Z") // 60_000_000_000
    stranger = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": f"c-{minute}", "namespace": "default"},
        "spec": {"template": TEMPLATE},
    }
    cluster.create(stranger)
    cluster.run(HOUR)
    assert _status(cluster) == {}
    assert cluster.events("CronJob") == []


def test_a_deleted_cronjob_takes_its_jobs_with_it() -> None:
    cluster = _cluster()
    cluster.run(HOUR / 2 + 5)
    cluster.store.delete(CRON_JOB, "c", "default")
    cluster.run(5)
    assert _jobs(cluster) == []
    assert cluster.pods() == []


def test_a_week_of_hours_is_a_week_of_jobs() -> None:
    cluster = _cluster()
    made: set[str] = set()
    for _ in range(24 * 7):
        _run_hours(cluster, 1)
        made |= {job["metadata"]["name"] for job in _jobs(cluster)}
    assert len(made) == 24 * 7
    assert len(_jobs(cluster)) == 3
    assert cluster.runner.failures == {}
