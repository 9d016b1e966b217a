from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects.validation.devices import configuration, device_names, lists

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

UID = "0a1b2c3d-0000-4000-8000-000000000001"
FORM = "uid must be in RFC 4122 normalized form"


@pytest.mark.parametrize(
    ("uid", "text"),
    [
        (UID, ""),
        (UID.replace("-", ""), FORM),
        (f"{{{UID}}}", FORM),
        (f"urn:uuid:{UID}", FORM),
        (UID.upper(), FORM),
        ("g" * 32, "error validating uid: invalid UUID format"),
        (f"({UID})", "error validating uid: invalid bracketed UUID format"),
        (f"urn:uuix:{UID}", 'error validating uid: invalid urn prefix: "urn:uuix:"'),
        (UID.replace("-", "_"), "error validating uid: invalid UUID format"),
        ("x", "error validating uid: invalid UUID length: 1"),
    ],
)
def test_a_uid_has_one_form_though_more_are_understood(uid: str, text: str) -> None:
    found = device_names.validate_uid(uid, "u")
    assert [error.detail.startswith(text) for error in found] == ([True] if text else [])


def test_what_is_just_short_enough_is() -> None:
    assert device_names.validate_pool("p" * 253, "p") == []
    first = device_names.validate_pool("p" * 254, "p")[0]
    assert first.type.reason == "FieldValueTooLong"
    assert device_names.validate_qualified("a" * 32, "a") == []
    raw = {"a": "x" * (configuration.MAX_RAW - 8)}
    assert configuration.validate_raw(raw, "r") == []
    assert len(configuration.validate_raw({"a": raw["a"] + "x"}, "r")) == 1
    entries: dict[str, Any] = {f"k{number}": {} for number in range(3)}
    rule = device_names.validate_label
    assert lists.validate_map(entries, 3, 9, rule, lambda _item, _path: [], "m") == []
    (error,) = lists.validate_map(entries, 2, 9, rule, lambda _item, _path: [], "m")
    assert str(error) == "m: Too many: 3: must have at most 2 items"


def test_all_that_is_wrong_with_a_map_is_told() -> None:
    entries = {"A": 1, "B": 2}
    found = lists.validate_map(entries, None, 9, device_names.validate_label, refuse, "m")
    assert [error.field for error in found] == ["m", "m[A]", "m", "m[B]"]


def refuse(_item: int, path: str) -> list[FieldError]:
    return device_names.validate_label("?", path)


def test_tolerations_know_three_effects() -> None:
    for effect in ("", "NoExecute", "NoSchedule", "None"):
        toleration = {"operator": "Exists", "effect": effect}
        assert configuration.validate_tolerations([toleration], "t") == []
    (error,) = configuration.validate_tolerations([{"operator": "Exists", "effect": "x"}], "t")
    assert error.field == "t[0].effect"
