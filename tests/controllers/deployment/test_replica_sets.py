from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.deployment import replica_sets

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _template(image: str, **labels: str) -> Json:
    return {
        "metadata": {"labels": {"app": "web", **labels}},
        "spec": {"containers": [{"name": "c", "image": image}]},
    }


def _set(uid: str, template: Json) -> Json:
    return {"metadata": {"uid": uid}, "spec": {"template": template}}


def test_templates_are_the_same_whatever_their_hash() -> None:
    hashed = _template("v1", **{"pod-template-hash": "abc"})
    assert replica_sets.have_same_template(_template("v1"), hashed)
    assert not replica_sets.have_same_template(_template("v2"), hashed)
    assert replica_sets.without_hash(hashed) == _template("v1")


def test_quantities_are_compared_by_what_they_mean() -> None:
    one, other = _template("v1"), _template("v1")
    one["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1"}}
    other["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1000m"}}
    assert replica_sets.have_same_template(one, other)


def test_the_oldest_with_the_template_is_the_new_one() -> None:
    comparisons = replica_sets.Comparisons()
    sets = [_set("a", _template("v1")), _set("b", _template("v2")), _set("c", _template("v2"))]
    deployment = {"spec": {"template": _template("v2")}}
    assert comparisons.find_new(deployment, sets) is sets[1]
    assert comparisons.find_new(deployment, sets) is sets[1]
    assert comparisons.find_new({"spec": {"template": _template("v3")}}, sets) is None


def test_a_comparison_is_made_again_when_a_template_has_changed() -> None:
    comparisons = replica_sets.Comparisons()
    deployment = {"spec": {"template": _template("v2")}}
    assert comparisons.find_new(deployment, [_set("a", _template("v1"))]) is None
    assert comparisons.find_new(deployment, [_set("a", _template("v2"))]) is not None
    comparisons.forget("a")
    assert comparisons.find_new(deployment, [_set("a", _template("v1"))]) is None
