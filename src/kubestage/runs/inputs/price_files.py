"""The price catalog that an option names: a CSV, YAML, or one that comes with kubestage."""

from __future__ import annotations

import difflib
import pathlib
import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.files import pinned, reading
from kubestage.objects import (
    gvk,
    locator,
    manifest,
    price_tables,
    prices,
    shipped_prices,
    yaml_documents,
)
from kubestage.objects.kinds import price_catalog
from kubestage.results.life import wording
from kubestage.runs.inputs import text_files
from kubestage.scenario import resource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.stage import Stage

OPTION: Final = "--prices"
_DNS: Final = re.compile(r"[^a-z0-9]+")
_PRICED: Final = ("instanceType", "architecture", "price", "resources")
_BEHIND: Final = frozenset({"Node", "NodeGroup"})


def built_in() -> list[str]:
    """The names of the catalogs that come with kubestage."""
    return list(shipped_prices.names())


def load(name: str, notes: list[str] | None = None) -> list[Json]:
    """The PriceCatalogs of a file, or the one of a name; what to note about it is added."""
    if not reading.exists(name):
        if name not in built_in():
            raise unknown(name, OPTION)
        return [named(name, _prices_alone(shipped_prices.spec(name)))]
    text = text_files.read(name, OPTION)
    return parse(text, name, notes)


def parse(text: str, name: str, notes: list[str] | None = None, option: str = OPTION) -> list[Json]:
    """The PriceCatalogs of a text: CSV if it begins with a header of prices, else YAML."""
    stem = pathlib.Path(name).stem
    if pathlib.Path(name).suffix == ".csv" or price_tables.is_header(text.partition("\n")[0]):
        spec = price_tables.read(text, name)
        unknown = price_tables.unknown_columns(text)
        if unknown and notes is not None:
            notes.append(f"{name}: ignored columns: {', '.join(unknown)}")
        return [checked(named(stem, spec), name)]
    catalogs = [checked(each, name, part) for each, part in _documents(text, name, stem, option)]
    if not catalogs:
        raise InputError("has no prices", file=name, path=option, fix=_FIX)
    return catalogs


_FIX: Final = (
    "write a PriceCatalog, a list of {instanceType: ..., price: ...}, or a CSV with the columns "
    "instance_type,price"
)


def add(loaded: LoadedManifests, name: str | None) -> list[str]:
    """Add the catalogs of a file to what was read, as if a manifest had them; what to note."""
    if name is None:
        return []
    objects = [document.object for document in loaded.documents]
    catalogs, notes = _needed(name, [*objects, *(each.scenario for each in loaded.imported)])
    refuse_taken(loaded, catalogs, OPTION)
    text = msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": catalogs}).decode()
    loaded.documents += manifest.load_text(text, OPTION)
    loaded.locators[OPTION] = locator.Locator(text)
    return notes


def refuse_taken(loaded: LoadedManifests, catalogs: Iterable[Json], option: str) -> None:
    """Refuse a catalog whose name is that of one in the files."""
    objects = (document.object for document in loaded.documents)
    taken = {each["metadata"]["name"] for each in objects if _is_catalog(each)}
    for catalog in catalogs:
        if catalog["metadata"]["name"] in taken:
            problem = f'the files have a PriceCatalog "{catalog["metadata"]["name"]}" already'
            raise InputError(problem, path=option, fix=f"leave {option} out, or rename one of them")


def apply(stage: Stage, name: str | None) -> list[str]:
    """Give a stage the catalogs of a file in place of its own; what to note."""
    if name is None:
        return []
    store = stage.store
    objects = [*store.read(gvk.NODE).values(), *store.read(prices.NODE_GROUP).values()]
    catalogs, notes = _needed(name, objects)
    for each in list(store.read(prices.PRICE_CATALOG)):
        store.delete(prices.PRICE_CATALOG, each)
    stage.apply(catalogs)
    return notes


def _needed(name: str, objects: Sequence[Json]) -> tuple[list[Json], list[str]]:
    """The catalogs of a file, with prices of instance types that objects mention, and notes.

    Catalogs of providers have thousands of prices.
    """
    notes: list[str] = []
    catalogs, found = pinned.once(("prices", name), lambda: _load_with_notes(name))
    notes += found
    mentioned = set(_instance_types(objects))
    catalogs = [_with_prices_of(mentioned, each) for each in catalogs]
    priced = {each.instance_type for catalog in catalogs for each in prices.entries(catalog)}
    if not priced:
        notes.append(_nothing_matches(name, mentioned))
    elif mentioned - priced:
        notes.append(f"{OPTION} {name} has no price for {_named(mentioned - priced)}")
    return catalogs, notes


def _load_with_notes(name: str) -> tuple[list[Json], list[str]]:
    notes: list[str] = []
    return load(name, notes), notes


def _prices_alone(spec: Json) -> Json:
    """A catalog for what there is already: not for machines that are yet to be chosen."""
    found = [{name: each[name] for name in _PRICED if name in each} for each in spec["prices"]]
    return {"currency": spec["currency"], "prices": found}


def _with_prices_of(mentioned: set[str], catalog: Json) -> Json:
    stated = catalog["spec"].get("prices") or ()
    used = [each for each in stated if each["instanceType"] in mentioned]
    return {**catalog, "spec": {**catalog["spec"], "prices": used}}


def _nothing_matches(name: str, mentioned: set[str]) -> str:
    label = prices.INSTANCE_TYPES[0]
    if not mentioned:
        return f"{OPTION} {name} has no effect: no node has the label {label}"
    return f"{OPTION} {name} has no effect: it has no price for {_named(mentioned)}"


def _named(types: set[str]) -> str:
    return wording.named(sorted(types))


def _instance_types(objects: Iterable[Json]) -> Iterator[str]:
    """The values of instance-type labels in nodes, NodeGroups, and whatever Scenarios create."""
    for obj in objects:
        if resource.is_scenario(obj) or obj.get("kind") in _BEHIND:
            yield from _labels(obj)


def _labels(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key in prices.INSTANCE_TYPES and isinstance(item, str):
                yield item
            else:
                yield from _labels(item)
    elif isinstance(value, list):
        for item in value:
            yield from _labels(item)


def _documents(text: str, name: str, stem: str, option: str) -> Iterator[tuple[Json, str]]:
    """PriceCatalog objects, or a plain list or mapping of prices in their place.

    With each comes the path in the object that the file does not have.
    """
    for value in yaml_documents.values(text, name):
        if value is None:
            continue
        if isinstance(value, list):
            yield named(stem, {"prices": value}), "spec.prices"
        elif isinstance(value, dict) and "kind" not in value and "prices" in value:
            yield named(stem, value), "spec."
        elif isinstance(value, dict) and _is_catalog(value):
            yield value, ""
        else:
            raise InputError("is no price catalog", file=name, path=option, fix=_FIX)


def checked(catalog: Json, name: str, part: str = "") -> Json:
    """Refuse a catalog that the API would refuse; `part` is what paths in the file begin with."""
    errors = price_catalog.validate(catalog)
    if errors:
        first, *others = errors
        more = f"; {len(others)} more like that" if others else ""
        path = first.field.removeprefix(part)
        raise InputError(f"{first.body}{more}", file=name, path=path)
    return catalog


def _is_catalog(obj: Json) -> bool:
    return (obj.get("apiVersion"), obj.get("kind")) == prices.PRICE_CATALOG


def named(name: str, spec: Json) -> Json:
    """A PriceCatalog of a name, as far as a name allows."""
    api_version, kind = prices.PRICE_CATALOG
    slug = _DNS.sub("-", name.lower()).strip("-") or "prices"
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": slug}, "spec": spec}


def unknown(name: str, option: str) -> InputError:
    """That a name is neither a file nor a catalog of kubestage's."""
    known: Sequence[str] = built_in()
    likely = difflib.get_close_matches(name, known, 1)
    fix = f"did you mean {likely[0]}?" if likely else f"name a file, or one of {', '.join(known)}"
    return InputError("no such file", file=name, path=option, fix=fix)
