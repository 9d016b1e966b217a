"""The instance types that an option names: a file of them, or a catalog of kubestage's."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage import wording
from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.objects import locator, manifest, prices, shipped_prices, yaml_documents
from kubestage.runs.inputs import aws_tables, instance_type_files, price_files, text_files

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.runs.inputs.manifests import LoadedManifests

OPTION: Final = "--catalogue"
_AWS: Final = "aws-us-east-1"
_NODE_POOL: Final = "NodePool"
_EC2_CLASS: Final = "EC2NodeClass"


def load(name: str, notes: list[str]) -> list[Json]:
    """The PriceCatalogs of a file, or one that refers to a catalog of kubestage's."""
    if not reading.exists(name):
        if name not in shipped_prices.names():
            raise price_files.unknown(name, OPTION)
        return [price_files.named(name, {"builtIn": name})]
    text = text_files.read(name, OPTION)
    if aws_tables.is_header(text.partition("\n")[0]):
        text, unpriced = aws_tables.convert(text, name)
        if unpriced:
            left_out = wording.plural(unpriced, "instance type")
            notes.append(f"{name}: left out {left_out} without a price")
    elif pathlib.Path(name).suffix != ".csv":
        for value in yaml_documents.values(text, name):
            if instance_type_files.are_instance_types(value):
                spec = instance_type_files.read(value, name)
                return [price_files.checked(price_files.named(pathlib.Path(name).stem, spec), name)]
    catalogs = price_files.parse(text, name, notes, OPTION)
    if not any(entries for catalog in catalogs for entries in prices.entries(catalog)):
        fix = "write a list of types, or a CSV with the columns instance_type,price,cpu,memory"
        raise InputError("has no instance types", file=name, path=OPTION, fix=fix)
    if not any(each.resources for catalog in catalogs for each in prices.entries(catalog)):
        fix = "add the columns cpu and memory, or a field resources to each price"
        raise InputError("does not state what machines have", file=name, path=OPTION, fix=fix)
    return catalogs


def add(loaded: LoadedManifests, name: str | None) -> list[str]:
    """Add the catalogs to what was read, as if a manifest had them; what to note."""
    if name is None:
        return []
    notes: list[str] = []
    catalogs = load(name, notes)
    price_files.refuse_taken(loaded, catalogs, OPTION)
    text = msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": catalogs}).decode()
    loaded.documents += manifest.load_text(text, OPTION)
    loaded.locators[OPTION] = locator.Locator(text)
    return notes


def add_default(loaded: LoadedManifests) -> list[str]:
    """Add the types of AWS if NodePools buy there and nothing says what there is to buy."""
    objects = [each.object for each in loaded.documents]
    if not any(map(_buys_of_aws, objects)) or any(map(_is_catalog, objects)):
        return []
    fix = "--catalogue names others"
    return [
        *add(loaded, _AWS),
        f"instance types and prices are those of {_AWS}, spot prices an assumption: {fix}",
    ]


def _buys_of_aws(obj: Json) -> bool:
    """Whether a document, which nothing has checked yet, is a NodePool of AWS."""
    if obj.get("kind") != _NODE_POOL:
        return False
    below: object = obj
    for name in ("spec", "template", "spec", "nodeClassRef", "kind"):
        below = below.get(name) if isinstance(below, dict) else None
    return below == _EC2_CLASS


def _is_catalog(obj: Json) -> bool:
    return obj.get("kind") == "PriceCatalog"
