from __future__ import annotations

from typing import Any

from kubestage.objects.validation import pod_options
from tests.objects.validation.pod_specs import container, problems, spec

AT = "spec.resources"
PAGES = "hugepages-2Mi"


def _asking(name: str, cpu: str, **fields: Any) -> dict[str, Any]:
    return container(name, resources={"requests": {"cpu": cpu}}, **fields)


def test_only_some_resources_are_asked_for_by_the_pod_as_a_whole() -> None:
    requirements = {"limits": {"ephemeral-storage": "1Gi", "gpu": "1"}}
    assert problems(spec(resources=requirements)) == [
        (
            f'{AT}.limits[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported '
            'values: "cpu", "hugepages-", "memory"'
        ),
        (
            f'{AT}.limits[gpu]: Invalid value: "gpu": must be a standard resource type or fully '
            "qualified"
        ),
    ]


def test_not_on_windows_and_not_by_claims() -> None:
    requirements = {"limits": {"gpu": "1"}, "claims": [{"name": "a"}]}
    windows = spec(resources=requirements, os={"name": "windows"})
    windows["securityContext"] = None
    assert problems(windows) == [f"{AT}: Forbidden: may not be set for a windows pod"]
    forbidden, *_, missing = problems(spec(resources=requirements))
    assert forbidden == f"{AT}.claims: Forbidden: claims may not be set for Resources at pod-level"
    assert missing.startswith(f'{AT}.claims[0]: Not found: "a"')


def test_the_pod_has_room_for_all_containers_and_for_each_init_container_with_its_sidecars() -> (
    None
):
    given = spec(
        containers=[_asking("a", "100m"), _asking("b", "200m")],
        initContainers=[
            _asking("first", "700m"),
            _asking("sidecar", "100m", restartPolicy="Always"),
            _asking("last", "800m"),
        ],
    )
    assert problems(given | {"resources": {"requests": {"cpu": "900m"}}}) == []
    assert problems(given | {"resources": {"requests": {"cpu": "899m"}}}) == [
        (
            f'{AT}.requests[cpu]: Invalid value: "899m": must be greater than or equal to '
            "aggregate container requests of 900m"
        )
    ]
    assert problems(given | {"resources": {"requests": {"memory": "1"}}}) == []


def test_no_container_may_use_more_than_the_pod() -> None:
    limits = {"cpu": "2", "memory": "1Gi"}
    given = spec(
        containers=[container(resources={"limits": limits})],
        resources={"limits": {"cpu": "1", "memory": "1Gi"}},
    )
    assert problems(given) == [
        (
            f'{AT}.containers[0][cpu].limits: Invalid value: "2": must be less than or equal to '
            "pod limits of 1"
        )
    ]


def test_huge_pages_of_all_containers_fit_together() -> None:
    own = {"limits": {PAGES: "4Mi", "cpu": "1"}, "requests": {PAGES: "4Mi", "cpu": "1"}}
    given = spec(
        containers=[container("a", resources=own), container("b", resources=own)],
        resources={"limits": {PAGES: "6Mi", "cpu": "1"}},
    )
    assert problems(given) == [
        (
            f'{AT}.limits[{PAGES}]: Invalid value: "6Mi": must be greater than or equal to '
            "aggregate container limits of 8Mi"
        )
    ]


def test_an_old_pod_may_keep_parts_of_pages() -> None:
    requirements = {"limits": {PAGES: "3Mi", "cpu": "1"}}
    assert len(problems(spec(resources=requirements))) == 1
    loose = pod_options.PodValidationOptions(allow_indivisible_huge_pages_values=True)
    assert problems(spec(resources=requirements), options=loose) == []
