"""Several requirements together: what goes together, and the words when it does not."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.requirements import Requirements, requirement, requirements
from kubestage.controllers.karpenter.requirements.requirement import Requirement

_single = st.builds(
    requirement.new,
    st.sampled_from(["x", "y", "z", labels.ZONE]),
    st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist"]),
    st.lists(st.sampled_from(["a", "b", "c"]), max_size=2),
)
_sets = st.lists(_single, max_size=4).map(Requirements)


def _of(**stated: tuple[str, ...]) -> Requirements:
    return Requirements(
        requirement.new(key, operator, values) for key, (operator, *values) in stated.items()
    )


@given(_sets, _sets)
def test_two_sets_together_require_what_both_require(
    one: Requirements, other: Requirements
) -> None:
    both = one.plus(other)
    for key in ("x", "y", "z", labels.ZONE):
        assert both.get(key).values == one.get(key).intersection(other.get(key)).values
    assert set(both.keys()) == {*one.keys(), *other.keys()}
    assert both == other.plus(one)
    assert hash(both) == hash(other.plus(one))


@given(_sets, _sets, st.sampled_from([frozenset[str](), labels.WELL_KNOWN]))
def test_there_are_words_exactly_where_sets_do_not_go_together(
    one: Requirements, other: Requirements, allowed: frozenset[str]
) -> None:
    assert one.is_compatible(other, allowed) is (one.incompatibility(other, allowed) == "")


@given(_sets, _sets)
def test_sets_that_intersect_do_so_in_both_directions(
    one: Requirements, other: Requirements
) -> None:
    assert one.intersects(other) is other.intersects(one)


@given(_sets)
def test_sets_survive_pickling(one: Requirements) -> None:
    again = pickle.loads(pickle.dumps(one))
    assert again == one
    assert again.has_min_values is one.has_min_values


def test_a_label_that_is_not_defined_is_met_by_absence_only() -> None:
    node = _of(x=("In", "a"))
    assert node.is_compatible(_of(y=("NotIn", "b")))
    assert node.is_compatible(_of(y=("DoesNotExist",)))
    assert node.incompatibility(_of(y=("Exists",))) == 'label "y" does not have known values'
    zone = Requirements([requirement.new(labels.ZONE, "In", ["a"])])
    assert not node.is_compatible(zone)
    assert node.is_compatible(zone, labels.WELL_KNOWN)


def test_a_label_that_looks_like_a_typo_is_hinted_at() -> None:
    node = _of(x=("In", "a"))
    typo = _of(zone=("In", "a"))
    found = node.incompatibility(typo, labels.WELL_KNOWN)
    assert found == (
        'label "zone" does not have known values (typo of "topology.kubernetes.io/zone"?)'
    )
    own = Requirements([requirement.new("example.com/team", "In", ["a"])])
    other = Requirements([requirement.new("example.org/team", "In", ["a"])])
    assert own.incompatibility(other).endswith('(typo of "example.com/team"?)')


def test_all_labels_that_do_not_go_together_are_named() -> None:
    found = _of(x=("In", "a"), y=("In", "a")).incompatibility(_of(x=("In", "b"), y=("NotIn", "a")))
    assert found == "key x, x In [b] not in x In [a]; key y, y NotIn [a] not in y In [a]"


def test_two_sides_that_allow_absence_go_together() -> None:
    absent, excluded = _of(x=("DoesNotExist",)), _of(x=("NotIn", "a"))
    assert absent.is_compatible(excluded)
    assert excluded.is_compatible(absent)
    assert not absent.is_compatible(_of(x=("Exists",)))


def test_a_host_is_not_shown() -> None:
    host = requirement.new(labels.HOSTNAME, "In", ["h"])
    assert str(_of(x=("In", "a")).plus(Requirements([host]))) == "x In [a]"


def test_only_determined_labels_are_labels() -> None:
    assert _of(x=("In", "a"), y=("In", "a", "b"), z=("Exists",)).labels() == {"x": "a"}


def test_a_requirement_can_be_replaced_or_left_out() -> None:
    one = _of(x=("In", "a"), y=("In", "a"))
    replaced = one.with_replaced(Requirement("x", values=frozenset({"b"})))
    assert str(replaced) == "x In [b], y In [a]"
    assert str(one.without("x")) == "y In [a]"
    assert one.without("missing") is one
    assert requirements.of_labels(None) == requirements.NONE
