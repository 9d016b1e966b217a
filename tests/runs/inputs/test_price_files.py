"""Prices from CSV and YAML, and the catalog that comes with kubestage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from kubestage.errors import InputError
from kubestage.objects import prices
from kubestage.runs import file_checks
from kubestage.runs.inputs import file_kinds, manifests, price_files
from kubestage.runs.inputs.sources import Source
from kubestage.testing import make_node

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json

TYPE = "node.kubernetes.io/instance-type"


def spec(text: str, name: str = "prices.csv") -> Json:
    (catalog,) = price_files.parse(text, name)
    found: Json = catalog["spec"]
    return found


def test_a_table_of_two_columns_is_enough() -> None:
    assert spec("instance_type,price\nm5.large,0.096\n") == {
        "currency": "USD",
        "prices": [{"instanceType": "m5.large", "price": 0.096}],
    }


def test_all_columns_in_other_spellings() -> None:
    text = (
        "Instance Type,Zone,capacity-type,Price,currency,arch,cpu,memory,nvidia.com/gpu,family\n"
        "g5.xlarge,a,spot,$0.4,EUR,amd64,3920m,15Gi,1,g5\n"
    )
    notes: list[str] = []
    (catalog,) = price_files.parse(text, "my prices.csv", notes)
    assert catalog["metadata"]["name"] == "my-prices"
    assert catalog["spec"] == {
        "currency": "EUR",
        "prices": [
            {
                "instanceType": "g5.xlarge",
                "zone": "a",
                "capacityType": "spot",
                "architecture": "amd64",
                "price": 0.4,
                "resources": {"cpu": "3920m", "memory": "15Gi", "nvidia.com/gpu": "1"},
            }
        ],
    }
    assert notes == ["my prices.csv: ignored columns: family"]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "is empty"),
        ("instance_type,price\n", 1, "has a header and no rows"),
        ("instance_type,prise\na,1\n", 1, "no column price"),
        ("instance_type,price,Price\na,1,2\n", 1, "two columns mean price"),
        ("instance_type,price\na,cheap\n", 2, '"cheap" is no price'),
        ("instance_type,price\na,-1\n", 2, '"-1" is no price'),
        ("instance_type,price\na,nan\n", 2, '"nan" is no price'),
        ("instance_type,price\na,\n", 2, "price is empty"),
        ("instance_type,price\na,1,2\n", 2, "has 3 cells, the header 2"),
        ("instance_type,price,currency\na,1,money\n", 2, '"MONEY" is no currency'),
        ("instance_type,price,currency\na,1,EUR\nb,1,USD\n", 3, "USD beside EUR"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        price_files.parse(text, "prices.csv")
    assert (caught.value.file, caught.value.line) == ("prices.csv", line)
    assert caught.value.problem == problem
    assert caught.value.fix


def test_the_likely_column_is_named() -> None:
    with pytest.raises(InputError) as caught:
        price_files.parse("instance_type,prise\na,1\n", "prices.csv")
    assert caught.value.fix == "is prise meant? begin with: instance_type,price"


@pytest.mark.parametrize(
    "text",
    [
        "- {instanceType: a, price: 1}\n",
        "prices:\n- {instanceType: a, price: 1}\n",
        (
            "apiVersion: kubestage.dev/v1alpha1\nkind: PriceCatalog\nmetadata: {name: p}\n"
            "spec: {prices: [{instanceType: a, price: 1}]}\n"
        ),
        '[{"instanceType": "a", "price": 1}]',
    ],
)
def test_yaml_in_three_shapes(text: str) -> None:
    assert spec(text, "p.yaml")["prices"] == [{"instanceType": "a", "price": 1}]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- {instanceType: a, prise: 1}\n", "Required value"),
        ("kind: Pod\n", "is no price catalog"),
        ("", "has no prices"),
        ("a: [", "not valid YAML"),
    ],
)
def test_yaml_that_has_no_prices(text: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        price_files.parse(text, "p.yaml")
    assert caught.value.file == "p.yaml"
    assert caught.value.problem.startswith(problem)


def test_the_built_in_catalog_has_public_prices() -> None:
    assert price_files.built_in() == ["aws-us-east-1"]
    (catalog,) = price_files.load("aws-us-east-1")
    entries = {each.instance_type: each for each in prices.entries(catalog)}
    assert len(entries) > 1000
    large = entries["m5.large"]
    assert (large.price, large.architecture) == (0.096, "amd64")
    assert large.resources["cpu"] == "1930m"
    assert "nvidia.com/gpu" in entries["g5.xlarge"].resources


def test_a_name_that_is_neither_file_nor_catalog() -> None:
    with pytest.raises(InputError) as caught:
        price_files.load("aws-us-est-1")
    assert (caught.value.path, caught.value.fix) == ("--prices", "did you mean aws-us-east-1?")


def loaded(*types: str) -> manifests.LoadedManifests:
    found = manifests.LoadedManifests()
    nodes = [make_node(f"n-{each}", labels={TYPE: each}) for each in types]
    text = msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": nodes}).decode()
    return manifests.load_sources([Source("nodes.yaml", text.encode())]) if types else found


def test_only_prices_that_may_be_needed_are_taken() -> None:
    found = loaded("m5.large", "c5.xlarge")
    assert price_files.add(found, "aws-us-east-1") == []
    catalog = found.documents[-1].object
    assert [each["instanceType"] for each in catalog["spec"]["prices"]] == ["c5.xlarge", "m5.large"]


def test_prices_without_effect_are_noted() -> None:
    (note,) = price_files.add(loaded("toaster"), "aws-us-east-1")
    assert note == "--prices aws-us-east-1 has no effect: it has no price for toaster"
    (note,) = price_files.add(loaded(), "aws-us-east-1")
    assert "no node has the label node.kubernetes.io/instance-type" in note


def test_types_without_a_price_are_noted() -> None:
    (note,) = price_files.add(loaded("m5.large", "toaster"), "aws-us-east-1")
    assert note == "--prices aws-us-east-1 has no price for toaster"


def test_a_catalog_of_the_files_is_not_replaced(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "aws.csv"
    file.write_text("instance_type,price\nm5.large,1\n")
    found = loaded("m5.large")
    price_files.add(found, str(file))
    with pytest.raises(InputError, match='a PriceCatalog "aws" already'):
        price_files.add(found, str(file))


def test_a_file_of_prices_is_recognised_and_checked() -> None:
    text = b"instance_type,price,colour\nm5.large,0.096,red\n"
    kind = file_kinds.recognise("x.csv", text)
    assert kind is file_kinds.FileKind.PRICES
    found = file_checks.check(kind, Source("x.csv", text), ())
    assert not found.problems
    assert [each.problem for each in found.warnings] == ["x.csv: ignored columns: colour"]
    bad = b"instance_type,price\nm5.large,dear\n"
    (problem,) = file_checks.check(kind, Source("x.csv", bad), ()).problems
    assert problem.line == 2


def test_a_price_that_nobody_pays_is_refused() -> None:
    with pytest.raises(InputError, match='"1e300" is no price'):
        price_files.parse("instance_type,price\na,1e300\n", "prices.csv")
