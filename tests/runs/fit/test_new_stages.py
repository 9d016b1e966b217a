"""What an advice says holds on a new stage, on which the manifests were edited by hand."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from kubestage.objects import gvk
from kubestage.runs import fit
from kubestage.runs.fit import requests, round_amounts
from tests.runs.fit import pod_parts
from tests.runs.fit.manifests import Manifests, manifests, node_of

_SETTINGS = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
_OWN = ("tolerate-taint", "drop-term", "soften-term", "drop-host-port", "remove-gate")


def _advice(made: Manifests) -> fit.FitAdvice:
    stage = made.run()
    pod = stage.store.read(gvk.POD).get("default/web")
    found = fit.advise(stage, made.pod if pod is None else pod)
    assert found.fits == bool(node_of(stage))
    return found


@_SETTINGS
@given(manifests())
def test_every_change_places_the_pod(made: Manifests) -> None:
    for change in _advice(made).changes:
        assert node_of(made.edited(change.patch).run()), change


@_SETTINGS
@given(manifests())
def test_no_change_has_a_part_that_is_not_needed(made: Manifests) -> None:
    for change in _advice(made).changes:
        whole = made.edited(change.patch)
        lost = whole.lost(whole.run())
        for left_out, without in pod_parts.without_a_part(made, change.patch):
            stage = without.run()
            # With more victims the pod may be placed, but that touches more.
            assert not node_of(stage) or without.lost(stage) > lost, (left_out, change)


@_SETTINGS
@given(manifests())
def test_no_request_is_lowered_further_than_needed(made: Manifests) -> None:
    for change in _advice(made).changes:
        whole = made.edited(change.patch)
        lost = whole.lost(whole.run())
        for resource, before, after in pod_parts.lowered_requests(made.pod, whole.pod):
            amount = requests._value(resource, after)
            more = amount + round_amounts.step_at(resource, amount)
            if more >= requests._value(resource, before):
                continue
            larger = made.edited(change.patch)
            pod_parts.with_request(larger.pod, resource, round_amounts.text(resource, more))
            stage = larger.run()
            assert not node_of(stage) or larger.lost(stage) > lost, (resource, more, change)


@_SETTINGS
@given(manifests())
def test_what_touches_less_comes_first(made: Manifests) -> None:
    changes = _advice(made).changes
    # One change before the same one with another, and the pod's own before that of other pods.
    for place, change in enumerate(changes):
        for later in changes[place + 1 :]:
            assert not _is_part(later.patch, change.patch), (later, change)
    new = [place for place, each in enumerate(changes) if each.kind == "add-node"]
    own = [
        place
        for place, each in enumerate(changes)
        if each.kind in _OWN and "preempting" not in each.text
    ]
    others = [place for place, each in enumerate(changes) if "remove" in each.patch]
    assert not own or not (others or new) or max(own) < min(others + new)


def _is_part(small: dict[str, object], large: dict[str, object]) -> bool:
    """Whether all of one change is in another, which has more."""
    return small != large and all(large.get(name) == each for name, each in small.items())
