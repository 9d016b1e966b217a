from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects import own_definitions
from kubestage.objects.tables import custom
from kubestage.objects.validation import rules

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _catalog(*entries: Json, **spec: Any) -> Json:
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "PriceCatalog",
        "metadata": {"name": "aws"},
        "spec": {"prices": list(entries), **spec},
    }


def _problems(obj: Json) -> list[str]:
    return [str(error) for error in rules.validate_create(obj)]


LARGE = {"instanceType": "m5.large", "price": 0.096}


def test_a_price_needs_no_more_than_a_type_and_an_amount() -> None:
    assert _problems(_catalog(LARGE)) == []


def test_all_that_can_be_said_is_allowed() -> None:
    resources = {"cpu": "1930m", "memory": "7Gi", "pods": 29, "nvidia.com/gpu": "1"}
    full = {
        **LARGE,
        "zone": "us-east-1a",
        "capacityType": "spot",
        "architecture": "arm64",
        "resources": resources,
    }
    assert _problems(_catalog(LARGE, full, currency="EUR")) == []


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"price": 1}, "spec.prices[0].instanceType: Required value"),
        ({"instanceType": "a"}, "spec.prices[0].price: Required value"),
        ({"instanceType": "", "price": 1}, "spec.prices[0].instanceType: Invalid value"),
        ({**LARGE, "price": -1}, "spec.prices[0].price: Invalid value: -1"),
        ({**LARGE, "price": "0.1"}, "spec.prices[0].price: Invalid value"),
        ({**LARGE, "price": 1e300}, "spec.prices[0].price: Invalid value: "),
        (
            {**LARGE, "capacityType": "spott"},
            'spec.prices[0].capacityType: Unsupported value: "spott": supported values: "on-dem',
        ),
        ({**LARGE, "zon": "a"}, "spec.prices[0].zon: Forbidden: unknown field; did you mean zone?"),
        (
            {**LARGE, "resources": {"cpu": "many"}},
            'spec.prices[0].resources.cpu: Invalid value: "many": must be an amount',
        ),
        (
            {**LARGE, "resources": {"memory": "-1Gi"}},
            'spec.prices[0].resources.memory: Invalid value: "-1Gi"',
        ),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_place(entry: Json, problem: str) -> None:
    (found,) = _problems(_catalog(entry))
    assert found.startswith(problem)


def test_a_price_is_stated_once() -> None:
    (found,) = _problems(_catalog(LARGE, {**LARGE, "price": 2}))
    assert found == 'spec.prices[1]: Duplicate value: "m5.large"'
    assert _problems(_catalog(LARGE, {**LARGE, "zone": "a"})) == []


def test_a_currency_is_a_code() -> None:
    (found,) = _problems(_catalog(LARGE, currency="dollars"))
    assert found.startswith('spec.currency: Invalid value: "dollars"')


def test_a_catalog_needs_prices() -> None:
    assert _problems({**_catalog(), "spec": {}}) == ["spec.prices: Required value"]
    without = _catalog()
    del without["spec"]
    assert _problems(without) == ["spec: Required value: list at least one price in spec.prices"]


def test_the_columns_are_those_of_the_definition() -> None:
    (version,) = own_definitions.definition("pricecatalogs")["spec"]["versions"]
    stated = [{"priority": 0, **each} for each in version["additionalPrinterColumns"]]
    assert custom.OWN["kubestage.dev/v1alpha1", "PriceCatalog"] == stated
