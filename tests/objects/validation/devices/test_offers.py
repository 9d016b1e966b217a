from __future__ import annotations

from typing import Any

import pytest

from tests.objects.validation.devices.samples import resource_slice
from tests.objects.validation.judging import changes, problems

AT = "spec.devices[0]"
OWN_PLACE = (
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "
    "`perDeviceNodeSelection` is set to true in the ResourceSlice spec"
)


def found(**device: Any) -> list[str]:
    return problems(resource_slice({"name": "d0", **device}))


@pytest.mark.parametrize(
    ("attributes", "text"),
    [
        ({"a": {}}, f'{AT}.attributes[a]: Invalid value: "": exactly one value must be specified'),
        (
            {"a": {"int": 1, "bool": True}},
            f'{AT}.attributes[a]: Invalid value: {{"IntValue":1,"BoolValue":true,"StringValue":',
        ),
        (
            {"a": {"version": "1.2"}},
            (
                f'{AT}.attributes[a].version: Invalid value: "1.2": must be a string compatible '
                "with semver.org spec 2.0.0"
            ),
        ),
        (
            {"a": {"string": "x" * 65}},
            f"{AT}.attributes[a].string: Too long: may not be more than 64 bytes",
        ),
        ({"?": {"int": 1}}, f'{AT}.attributes: Invalid value: "?": a valid C identifier'),
        ({"a" * 33: {"int": 1}}, f"{AT}.attributes: Too long: may not be more than 32 bytes"),
        ({"/a": {"int": 1}}, f'{AT}.attributes: Invalid value: "": the domain must not be empty'),
        ({"d.x/": {"int": 1}}, f'{AT}.attributes: Invalid value: "": the name must not be empty'),
    ],
)
def test_what_is_wrong_with_an_attribute(attributes: dict[str, Any], text: str) -> None:
    (first,) = found(attributes=attributes)
    assert first.startswith(text)


def test_long_names_are_cut_in_paths() -> None:
    name = f"{'d' * 63}/{'a' * 40}"
    first, second = found(attributes={name: {}})
    assert first == f"{AT}.attributes: Too long: may not be more than 32 bytes"
    shown = f"{'d' * 47}...{'d' * 5}/{'a' * 40}"
    assert second.startswith(f"{AT}.attributes[{shown}]: Invalid value")


def test_a_device_has_32_properties_at_most() -> None:
    attributes = {f"a{number}": {"int": number} for number in range(20)}
    capacity = {f"c{number}": {"value": "1"} for number in range(13)}
    assert found(attributes=attributes, capacity=capacity) == [
        (
            f"{AT}: Invalid value: 33: the total number of attributes and capacities must not "
            "exceed 32"
        )
    ]


def test_old_taints_are_not_judged_again() -> None:
    wrong = {"name": "d0", "taints": [{"key": "?", "effect": "x", "value": "v"}]}
    first, second = problems(resource_slice(wrong))
    assert first.startswith(f'{AT}.taints[0].key: Invalid value: "?": name part')
    assert second == (
        f'{AT}.taints[0].effect: Unsupported value: "x": supported values: "NoExecute", '
        '"NoSchedule", "None"'
    )
    old = resource_slice(wrong)
    assert changes(old, old) == []


def test_a_device_says_where_it_is_only_where_each_does() -> None:
    assert found(allNodes=True) == [
        (
            f"{AT}: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set "
            "if `perDeviceNodeSelection` is set to true in the ResourceSlice spec"
        )
    ]
    own: dict[str, Any] = {"nodeName": None, "perDeviceNodeSelection": True}
    assert problems(resource_slice({"name": "d0", "allNodes": True}, **own)) == []
    assert problems(resource_slice({"name": "d0"}, **own)) == [f"{AT}: Required value: {OWN_PLACE}"]
    both = {"name": "d0", "allNodes": True, "nodeName": "n"}
    assert problems(resource_slice(both, **own)) == [
        f'{AT}: Invalid value: "{{`nodeName`, `allNodes`}}": {OWN_PLACE}'
    ]


def test_a_device_takes_of_two_sets_of_counters_at_most() -> None:
    taken = {"counterSet": "c", "counters": {"m": {"value": "1"}}}
    assert found(consumesCounters=[taken, taken]) == [
        f'{AT}.consumesCounters[1]: Duplicate value: "c"'
    ]
    assert found(consumesCounters=[taken] * 3) == [
        f"{AT}.consumesCounters: Too many: 3: must have at most 2 items"
    ]
    assert found(consumesCounters=[{}]) == [
        f"{AT}.consumesCounters[0].counterSet: Required value",
        f"{AT}.consumesCounters[0].counters: Required value",
    ]
