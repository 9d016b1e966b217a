"""Rules for Traffic: a wrong one is refused in clear words before anything runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects import kinds, own_definitions
from kubestage.objects.tables import custom
from kubestage.objects.validation import rules, structural

if TYPE_CHECKING:
    from kubestage.aliases import Json

STEP: Json = {"step": {"rps": 10}}
CHOICES = "uniform, step, ramp, sinusoidal, poisson, constant, trace"


def _traffic(pattern: Any = None, **more: Any) -> Json:
    spec = {"target": {"kind": "Deployment", "name": "web"}, "pattern": pattern or STEP, **more}
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "Traffic",
        "metadata": {"name": "t", "namespace": "default", "uid": "u", "resourceVersion": "1"},
        "spec": spec,
    }


def _told(obj: Json) -> list[str]:
    return [str(each) for each in rules.validate_create(obj)]


SOUND: list[Json] = [
    {"uniform": {"requests": 1000, "start": "0s", "duration": "10m"}},
    {"step": {"rps": 50, "after": "10s", "arrivals": "Poisson"}},
    {"ramp": {"delta": 1, "max": 50, "arrivals": "Even"}},
    {"sinusoidal": {"amplitude": 50, "period": "60s", "arrivals": "Uniform"}},
    {"poisson": {"rps": 0.5}},
    {"constant": {"rps": 20}},
    {"trace": {"csv": "time,rps\n0,10\n60,20", "scale": 2, "speed": 0.5, "repeat": True}},
    {"trace": {"csv": "arrival\n0.5", "repeat": False}},
]


@pytest.mark.parametrize("pattern", [*SOUND, {"sum": SOUND}], ids=lambda each: next(iter(each)))
def test_every_pattern_is_taken_in(pattern: Json) -> None:
    assert _told(_traffic(pattern)) == []


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "ReplicaSet"])
def test_everything_that_can_be_said_is_taken_in(kind: str) -> None:
    whole = _traffic(
        target={"apiVersion": "apps/v1", "kind": kind, "name": "web"},
        container="web",
        startAfter="0s",
        duration="1h",
        request={"cpu": "exp(10ms)", "io": "0s", "timeout": "forever"},
        routing="Random",
        service={"discipline": "FCFS", "workers": 4, "maxRequests": 100},
    )
    assert _told(whole) == []
    service = {"apiVersion": "v1", "kind": "Service", "name": "web"}
    assert _told(_traffic(target=service)) == []


def _bound(path: str, value: Any, told: str) -> str:
    return f"spec.{path}: Invalid value: {value}: spec.{path} in body should be {told}"


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ({"poisson": {"rps": 0}}, _bound("pattern.poisson.rps", 0, "greater than 0")),
        ({"step": {"rps": -5}}, _bound("pattern.step.rps", -5, "greater than 0")),
        (
            {"constant": {"rps": 1e8}},
            _bound("pattern.constant.rps", 1e8, "less than or equal to 1e+07"),
        ),
        (
            {"uniform": {"requests": 0, "duration": "1s"}},
            _bound("pattern.uniform.requests", 0, "greater than or equal to 1"),
        ),
        ({"step": {}}, "spec.pattern.step.rps: Required value"),
        ({"ramp": {"delta": 1}}, "spec.pattern.ramp.max: Required value"),
        (
            {"sinus": {"amplitude": 5}},
            (
                "spec.pattern.sinus: Forbidden: unknown pattern; did you mean sinusoidal? "
                f"there are {CHOICES}, sum"
            ),
        ),
        (
            {"sum": [STEP, {"sum": [STEP]}]},
            f"spec.pattern.sum[1].sum: Forbidden: unknown pattern; there are {CHOICES}",
        ),
        (
            {"poisson": {"rpss": 5, "rps": 5}},
            "spec.pattern.poisson.rpss: Forbidden: unknown field; did you mean rps?",
        ),
        (
            {"step": {"rps": 5, "arrivals": "Even"}, "poisson": {"rps": 5}},
            (
                'spec.pattern: Invalid value: {"step":{"rps":5,"arrivals":"Even"},'
                '"poisson":{"rps":5}}: exactly one pattern must be set, not step and poisson: '
                f"write sum to add them up ({CHOICES}, sum)"
            ),
        ),
        ({"sum": []}, "spec.pattern.sum: Required value: at least one pattern must be set"),
        (
            {"sum": [STEP, {}]},
            (
                "spec.pattern.sum[1]: Invalid value: {}: exactly one pattern must be set "
                f"({CHOICES})"
            ),
        ),
        (
            {"uniform": {"requests": 5, "duration": "0s"}},
            'spec.pattern.uniform.duration: Invalid value: "0s": must be above 0s',
        ),
        (
            {"uniform": {"requests": 50, "duration": "1us"}},
            (
                "spec.pattern.uniform.requests: Invalid value: 50: more than 10,000,000 requests a "
                "second"
            ),
        ),
        (
            {"uniform": {"requests": 5, "start": "-1s", "duration": "1s"}},
            'spec.pattern.uniform.start: Invalid value: "-1s": must be 0s or more',
        ),
        (
            {"step": {"rps": 5, "after": "soon"}},
            (
                'spec.pattern.step.after: Invalid value: "soon": time: invalid duration "soon": '
                "write such as 90s, 1m30s or 250ms"
            ),
        ),
        (
            {"step": {"rps": 5, "arrivals": "Poison"}},
            (
                'spec.pattern.step.arrivals: Unsupported value: "Poison": supported values: '
                '"Uniform", "Poisson", "Even"'
            ),
        ),
        (
            {"ramp": {"delta": 6, "max": 5}},
            "spec.pattern.ramp.delta: Invalid value: 6: is above max (5): no request would come",
        ),
        (
            {"ramp": {"delta": 0.000001, "max": 5}},
            (
                "spec.pattern.ramp.delta: Invalid value: 1e-6: is too small: max would not be "
                "reached within 1,000,000 seconds"
            ),
        ),
        (
            {"sinusoidal": {"amplitude": 5, "period": "0s"}},
            'spec.pattern.sinusoidal.period: Invalid value: "0s": must be above 0s',
        ),
    ],
)
def test_a_pattern_that_cannot_be_followed_is_refused(pattern: Json, told: str) -> None:
    assert _told(_traffic(pattern)) == [told]


@pytest.mark.parametrize(
    ("trace", "told"),
    [
        ({}, "csv: Required value: rows under time,rps or arrival; or name a file"),
        (
            {"file": "qps.csv"},
            "file: Forbidden: only the command line reads files: put the rows of the file into csv",
        ),
        (
            {"csv": "arrival\n1", "file": "qps.csv"},
            "file: Forbidden: csv is set, too: write one of them",
        ),
        (
            {"csv": "time,rps"},
            (
                'csv: Invalid value: "time,rps": the trace has no rows; add a row below the names '
                "of the columns"
            ),
        ),
        (
            {"csv": "time,rps\n10,1\n5,1" + "\n99,1" * 10},
            (
                'csv: Invalid value: "time,rps\\n10,1\\n5,1\\n99,1\\n99,1\\n99,1\\n99,1\\n99...": '
                "line 3: 5: is before the row above it; sort the rows by time, and add up those "
                "of the same time"
            ),
        ),
        (
            {"csv": "time,rps\n0,5", "repeat": True},
            (
                "repeat: Invalid value: true: a trace of one moment has no length after which it "
                "could repeat: add rows"
            ),
        ),
        (
            {"csv": "arrival\n0\n0", "repeat": True},
            (
                "repeat: Invalid value: true: a trace of one moment has no length after which it "
                "could repeat: add rows"
            ),
        ),
        (
            {"csv": "time,rps\n0,5000", "scale": 5000},
            "scale: Invalid value: 5000: more than 10,000,000 requests a second",
        ),
        (
            {"csv": "arrival\n0" + "\n1" * 200, "scale": 1000000},
            "scale: Invalid value: 1000000: the trace would have more than 100,000,000 requests",
        ),
        (
            {"csv": "arrival\n0\n0.000001", "speed": 20, "repeat": True},
            "speed: Invalid value: 20: more than 10,000,000 requests a second",
        ),
        (
            {"csv": "arrival\n0\n1", "arrivals": "Poisson"},
            "arrivals: Forbidden: the rows state when each request arrives; leave it out",
        ),
    ],
)
def test_a_trace_that_cannot_be_played_is_refused(trace: Json, told: str) -> None:
    assert _told(_traffic({"trace": trace})) == [f"spec.pattern.trace.{told}"]
    summed = _told(_traffic({"sum": [STEP, {"trace": trace}]}))
    assert summed == [f"spec.pattern.sum[1].trace.{told}"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"duration": "0s"}, 'spec.duration: Invalid value: "0s": must be above 0s'),
        ({"startAfter": "-5s"}, 'spec.startAfter: Invalid value: "-5s": must be 0s or more'),
        (
            {"request": {"cpu": "gauss(1s)"}},
            (
                "spec.request.cpu: Invalid value: \"gauss(1s)\": 'gauss(1s)' names no distribution "
                "that there is: 'gauss'; write 5s, normal(5s,1s), lognormal(5s,2s), exp(5s) or "
                "uniform(1s,10s)"
            ),
        ),
        (
            {"request": {"io": "-1s"}},
            (
                "spec.request.io: Invalid value: \"-1s\": '-1s': -1s is below zero; write 5s, "
                "normal(5s,1s), lognormal(5s,2s), exp(5s) or uniform(1s,10s)"
            ),
        ),
        (
            {"request": {"timeout": "0s"}},
            (
                'spec.request.timeout: Invalid value: "0s": must be above 0s; write a duration '
                "such as 10s, or forever"
            ),
        ),
        (
            {"service": {"workers": 2}},
            (
                "spec.service.workers: Forbidden: only the FCFS discipline has workers: add "
                "discipline: FCFS, or leave it out"
            ),
        ),
        (
            {"service": {"maxRequests": 0}},
            _bound("service.maxRequests", 0, "greater than or equal to 1"),
        ),
        (
            {"service": {"discipline": "LIFO"}},
            (
                'spec.service.discipline: Unsupported value: "LIFO": supported values: '
                '"ProcessorSharing", "FCFS", "SkenarioCPU"'
            ),
        ),
        (
            {"routing": "Sticky"},
            (
                'spec.routing: Unsupported value: "Sticky": supported values: "RoundRobin", '
                '"LeastRequests", "Random"'
            ),
        ),
        (
            {"target": {"kind": "DaemonSet", "name": "x"}},
            (
                'spec.target.kind: Unsupported value: "DaemonSet": supported values: '
                '"Deployment", "StatefulSet", "ReplicaSet", "Service"'
            ),
        ),
        ({"target": {"kind": "Service"}}, "spec.target.name: Required value"),
        (
            {"target": {"apiVersion": "v1", "kind": "Deployment", "name": "x"}},
            ('spec.target.apiVersion: Unsupported value: "v1": supported values: "apps/v1"'),
        ),
        ({"containers": "a"}, "spec.containers: Forbidden: unknown field; did you mean container?"),
    ],
)
def test_what_cannot_be_meant_is_refused(more: Json, told: str) -> None:
    assert _told(_traffic(**more)) == [told]


def test_everything_wrong_is_told_at_once() -> None:
    broken = _traffic({"step": {"rps": 5, "after": "x"}}, duration="0s", request={"cpu": "y"})
    assert [each.split(":")[0] for each in _told(broken)] == [
        "spec.duration", "spec.pattern.step.after", "spec.request.cpu",
    ]  # fmt: skip


def test_a_name_that_no_object_can_have_is_refused() -> None:
    (told,) = _told(_traffic(target={"kind": "Service", "name": "Web_1"}))
    assert told.startswith('spec.target.name: Invalid value: "Web_1": a lowercase RFC 1123')


def test_without_a_spec_it_is_told_what_to_say() -> None:
    obj = {key: value for key, value in _traffic().items() if key != "spec"}
    assert _told(obj) == ["spec: Required value: state at least target and pattern"]
    assert _told({**_traffic(), "stauts": {}}) == ["stauts: Forbidden: unknown field"]


def test_a_change_is_judged_as_a_new_object_is() -> None:
    old = _traffic()
    assert rules.validate_update(_traffic({"poisson": {"rps": 5}}), old) == []
    told = rules.validate_update(_traffic({"poisson": {"rps": 0}}), old)
    assert [each.field for each in told] == ["spec.pattern.poisson.rps"]


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("spec.target", {"target": {"kind": "Deployment", "name": "other"}}),
        ("spec.container", {"container": "proxy"}),
        ("spec.routing", {"routing": "Random"}),
        ("spec.service", {"service": {"maxRequests": 5}}),
        ("spec.request.timeout", {"request": {"timeout": "1s"}}),
    ],
)
def test_the_way_that_requests_go_stays(path: str, more: Json) -> None:
    told = rules.validate_update(_traffic(**more), _traffic())
    assert [str(each) for each in told] == [
        f"{path}: Forbidden: cannot be changed: delete the Traffic, and create it again"
    ]


def test_what_requests_cost_may_change() -> None:
    assert rules.validate_update(_traffic(request={"cpu": "1ms", "io": "2s"}), _traffic()) == []


def test_a_status_has_the_shape_that_the_definition_gives_it() -> None:
    status = {
        "observedGeneration": 1,
        "replicas": {"launching": 1, "active": 2, "terminating": 0},
        "requests": {"arrived": 10, "completed": 8, "failed": 1},
        "conditions": [{"type": "TargetFound", "status": "True", "reason": "Found"}],
    }
    new = {**_traffic(), "status": status}
    assert rules.validate_update(new, _traffic(), "status") == []
    broken = {**new, "status": {"replicas": {"actvie": 1}, "requests": {"failed": "1"}}}
    told = [each.field for each in rules.validate_update(broken, _traffic(), "status")]
    assert told == ["status.requests.failed", "status.replicas.actvie"]


def test_the_definition_says_what_the_kind_table_and_the_columns_say() -> None:
    table = kinds.KindTable()
    built_in = table.of(_traffic())
    definition = own_definitions.definition("traffics")
    (defined,) = table.register(definition)
    assert defined == built_in
    (version,) = definition["spec"]["versions"]
    shown = [{"priority": 0, **each} for each in version["additionalPrinterColumns"]]
    assert shown == custom.OWN["kubestage.dev/v1alpha1", "Traffic"]


def test_bounds_are_told_as_the_api_server_does() -> None:
    def told(value: float, **bounds: Any) -> str:
        found = structural.validate({"type": "number", **bounds}, value, "x")
        return found[0].detail if found else ""

    above = {"minimum": 0, "exclusiveMinimum": True}
    below = {"maximum": 5, "exclusiveMaximum": True}
    assert [told(at, **above) for at in (1, 0)] == ["", "x in body should be greater than 0"]
    assert [told(at, **below) for at in (4, 5)] == ["", "x in body should be less than 5"]
    assert told(0, minimum=0) == told(5, maximum=5) == ""
    assert told(6, maximum=5) == "x in body should be less than or equal to 5"
