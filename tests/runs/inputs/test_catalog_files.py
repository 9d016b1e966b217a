"""Instance types from files of several forms, and the option that names them."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.karpenter.provider import catalog
from kubestage.errors import InputError
from kubestage.objects import prices
from kubestage.runs import run
from kubestage.runs.inputs import catalog_files, manifests
from kubestage.runs.run_options import RunOptions
from tests.golden.cases import SHARED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.instance_types.types import InstanceType

DATA = SHARED / "data"
OWN = """
- name: m5.large
  labels: {example.com/family: m5}
  capacity: {cpu: 2, memory: 8Gi, pods: 29}
  overhead: {cpu: 70m, memory: 1Gi}
  offerings:
  - {zone: a, capacityType: spot, price: 0.04}
  - {zone: a, price: 0.096, available: false}
"""
KWOK = [
    {
        "name": "c-1x-amd64-linux",
        "architecture": "amd64",
        "operatingSystems": ["linux"],
        "resources": {"cpu": "1", "memory": "2Gi", "pods": "16"},
        "offerings": [
            {
                "Price": 0.019,
                "Available": False,
                "Requirements": [
                    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]},
                    {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["z"]},
                ],
            }
        ],
    }
]
CSV = (
    "instance_type,price,spot_price,zone,cpu,memory,capacity:cpu,label:disk,available,os\n"
    "big,2,0.5,a,3500m,15Gi,4,ssd,no,windows\n"
)
AWS = (
    "instance_type,arch,on_demand_usd_per_hour,cpu,memory_mib,allocatable_cpu,allocatable_memory\n"
    "m5.large,amd64,0.096,2,8192,1930m,6903Mi\n"
    "old.large,amd64,,2,8192,1930m,6903Mi\n"
)


def types_of(path: pathlib.Path, notes: list[str] | None = None) -> list[InstanceType]:
    catalogs = catalog_files.load(str(path), [] if notes is None else notes)
    return catalog.instance_types(catalogs, catalog.Terms())


def written(folder: pathlib.Path, name: str, text: str) -> pathlib.Path:
    path = folder / name
    path.write_text(text)
    return path


def test_types_with_offerings(tmp_path: pathlib.Path) -> None:
    (found,) = types_of(written(tmp_path, "types.yaml", OWN))
    assert found.capacity["cpu"] == 2000
    assert found.allocatable["cpu"] == 1930
    assert [(each.zone, each.capacity_type, each.price, each.available)
            for each in found.offerings] == [
        ("a", "spot", 0.04, True), ("a", "on-demand", 0.096, False)]  # fmt: skip
    assert found.requirements.get("example.com/family").sorted_values == ["m5"]
    nested = "instanceTypes:" + OWN
    assert [each.name for each in types_of(written(tmp_path, "more.yaml", nested))] == ["m5.large"]


def test_the_file_of_karpenters_kwok_provider(tmp_path: pathlib.Path) -> None:
    (found,) = types_of(written(tmp_path, "kwok.json", json.dumps(KWOK)))
    (offering,) = found.offerings
    assert (offering.zone, offering.capacity_type, offering.price) == ("z", "spot", 0.019)
    assert offering.available
    assert found.allocatable == {"cpu": 900, "memory": 2038 * (1000 << 20), "pods": 16_000}
    assert found.requirements.get("karpenter.kwok.sh/instance-family").sorted_values == ["c"]


@pytest.mark.skipif(not DATA.exists(), reason="the data is not beside the repository")
def test_files_of_others_are_read_as_they_are() -> None:
    kwok = types_of(DATA / "karpenter/kwok_instance_types.json")
    assert (len(kwok), {len(each.offerings) for each in kwok}) == (144, {8})
    aws = types_of(DATA / "instance-types/aws-us-east-1.csv")
    assert len(aws) == len(types_of(pathlib.Path("aws-us-east-1"))) > 1300


def test_a_table_of_prices_with_what_machines_have(tmp_path: pathlib.Path) -> None:
    (found,) = types_of(written(tmp_path, "mine.csv", CSV))
    assert [(each.capacity_type, each.price, each.available) for each in found.offerings] == [
        ("on-demand", 2.0, False),
        ("spot", 0.5, False),
    ]
    assert (found.capacity["cpu"], found.allocatable["cpu"]) == (4000, 3500)
    assert found.requirements.get("disk").sorted_values == ["ssd"]
    assert found.requirements.get("kubernetes.io/os").sorted_values == ["windows"]


def test_a_table_of_aws_types(tmp_path: pathlib.Path) -> None:
    notes: list[str] = []
    path = written(tmp_path, "aws.csv", AWS)
    (found,) = types_of(path, notes)
    assert found.allocatable["memory"] == 6903 * (1000 << 20)
    assert found.capacity["memory"] == 7577 * (1000 << 20)
    assert notes == [f"{path}: left out 1 instance type without a price"]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.csv", "instance_type,price\nm5.large,1\n", "does not state what machines have"),
        ("a.csv", CSV.replace(",no,", ",perhaps,"), 'available is "perhaps"'),
        ("a.csv", AWS.replace("0.096,2,8192", "0.096,2,much"), 'memory_mib of m5.large is "much"'),
        ("a.yaml", "- {name: a, offerings: []}\n", "object missing required field `capacity`"),
        (
            "a.yaml",
            OWN.replace("price: 0.04", "prise: 0.04"),
            "contains unknown field `prise`",
        ),
        ("a.yaml", OWN.replace("memory: 8Gi", "memory: much"), "quantities must match"),
        ("a.yaml", "kind: Pod\n", "is no price catalog"),
    ],
)
def test_what_is_wrong_is_named_with_its_file(
    tmp_path: pathlib.Path, name: str, text: str, problem: str
) -> None:
    path = written(tmp_path, name, text)
    with pytest.raises(InputError) as caught:
        types_of(path)
    assert problem in caught.value.problem
    assert caught.value.file == str(path)
    assert caught.value.fix


def test_a_name_that_is_neither_file_nor_catalog() -> None:
    with pytest.raises(InputError) as caught:
        catalog_files.load("aws-us-est-1", [])
    assert (caught.value.path, caught.value.fix) == ("--catalogue", "did you mean aws-us-east-1?")


def test_a_catalog_becomes_an_object_that_names_it() -> None:
    found = manifests.LoadedManifests()
    assert catalog_files.add(found, "aws-us-east-1") == []
    added: Json = found.documents[-1].object
    assert added["spec"] == {"builtIn": "aws-us-east-1"}
    assert len(prices.entries(added)) > 2000
    with pytest.raises(InputError, match=r'a PriceCatalog "aws-us-east-1" already'):
        catalog_files.add(found, "aws-us-east-1")


def test_a_run_has_the_catalog(tmp_path: pathlib.Path) -> None:
    node = written(tmp_path, "node.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: one}\n")
    stage = run.run([str(node)], RunOptions(catalogue="aws-us-east-1")).stage
    (catalog_object,) = stage.store.list(prices.PRICE_CATALOG).items
    assert catalog_object["spec"] == {"builtIn": "aws-us-east-1"}


def test_a_table_that_a_spreadsheet_has_written(tmp_path: pathlib.Path) -> None:
    marked = written(tmp_path, "marked.csv", f"\ufeff{CSV}")
    plain = written(tmp_path, "plain.csv", CSV)
    (found,), (expected,) = (catalog_files.load(str(each), []) for each in (marked, plain))
    assert found["spec"] == expected["spec"]


@pytest.mark.parametrize("separator", [";", "\t"])
def test_columns_that_are_not_separated_by_commas(tmp_path: pathlib.Path, separator: str) -> None:
    path = written(tmp_path, "types.csv", CSV.replace(",", separator))
    with pytest.raises(InputError, match="no column instance_type") as caught:
        types_of(path)
    assert str(caught.value.fix).startswith("separate columns by commas")


def test_a_list_without_types(tmp_path: pathlib.Path) -> None:
    with pytest.raises(InputError, match="has no instance types"):
        types_of(written(tmp_path, "types.json", "[]"))
