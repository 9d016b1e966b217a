"""Types as columns answer as each type by itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.instance_types import InstanceType, types
from kubestage.controllers.karpenter.instance_types.catalogue import Catalogue
from kubestage.controllers.karpenter.instance_types.types import Offering
from kubestage.controllers.karpenter.requirements import Requirements, requirement

ZONES = ("zone-1", "zone-2", "zone-3")

_requirement = st.builds(
    requirement.new,
    st.sampled_from([labels.ZONE, labels.CAPACITY_TYPE, "family", "cpu", labels.HOSTNAME]),
    st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist", "Gt"]),
    st.lists(st.sampled_from([*ZONES, "spot", "on-demand", "a", "b", "2", "4"]), min_size=1),
)
_requirements = st.lists(_requirement, max_size=3).map(Requirements)


@st.composite
def _types(draw: st.DrawFn) -> InstanceType:
    own = [requirement.new("cpu", "In", [draw(st.sampled_from(["2", "4", "8"]))])]
    if draw(st.booleans()):
        own.append(requirement.new("family", "In", [draw(st.sampled_from("ab"))]))
    places = st.tuples(st.sampled_from(ZONES), st.sampled_from(["spot", "on-demand"]))
    offerings = [
        Offering(
            Requirements(
                [
                    requirement.new(labels.ZONE, "In", [zone]),
                    requirement.new(labels.CAPACITY_TYPE, "In", [capacity_type]),
                ]
            ),
            1.0,
            draw(st.booleans()),
            capacity_override=draw(st.sampled_from([{}, {}, {"gpu": 1000}])),
        )
        for zone, capacity_type in draw(st.lists(places, max_size=4))
    ]
    capacity = {"cpu": 2000, "memory": 4000}
    return types.new("t", Requirements(own), offerings, capacity, {"cpu": 100})


def _is_offered(each: InstanceType, required: Requirements) -> bool:
    return any(
        required.is_compatible(offering.requirements, labels.WELL_KNOWN)
        for offering in each.available
    )


@given(st.lists(_types(), max_size=6), _requirements)
def test_types_meet_requirements_as_each_by_itself(
    offered: list[InstanceType], required: Requirements
) -> None:
    catalogue = Catalogue(offered, labels.WELL_KNOWN)
    met = catalogue.met(required)
    own = required.without(labels.HOSTNAME)
    assert met.types.tolist() == [each.requirements.intersects(own) for each in offered]
    assert catalogue.any_of_rows(met.rows).tolist() == [_is_offered(each, own) for each in offered]


def test_offerings_with_more_capacity_are_a_row_of_their_own() -> None:
    plain = Offering(Requirements([requirement.new(labels.ZONE, "In", ["zone-1"])]), 1.0)
    more = Offering(
        Requirements([requirement.new(labels.ZONE, "In", ["zone-2"])]),
        1.0,
        capacity_override={"gpu": 1000},
        overhead_override={"cpu": 500},
    )
    one = types.new("t", Requirements(), [plain, more], {"cpu": 2000}, {"cpu": 100})
    assert [group.allocatable for group in one.groups] == [
        {"cpu": 1900},
        {"cpu": 1400, "gpu": 1000},
    ]
    assert one.allocatable == {"cpu": 1900}
    catalogue = Catalogue([one], labels.WELL_KNOWN)
    assert catalogue.resources == ["cpu", "gpu"]
    assert catalogue.allocatable.tolist() == [[1900, 0], [1400, 1000]]


def test_huge_pages_are_taken_from_the_memory() -> None:
    capacity = {"memory": 3000, "hugepages-2Mi": 1000}
    one = types.new("t", Requirements(), [], capacity, {"memory": 500})
    assert one.allocatable["memory"] == 1500
    all_pages = types.new("t", Requirements(), [], {**capacity, "hugepages-1Gi": 9000}, {})
    assert all_pages.allocatable["memory"] == 0
