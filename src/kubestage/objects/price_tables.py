"""Prices as CSV: a header, and a row for each price.

====================== ===========================================================
``instance_type``      the label node.kubernetes.io/instance-type of the nodes
``price``              what a node costs per hour
``zone``               empty or absent: every zone
``capacity_type``      on-demand, spot or reserved; empty or absent: on-demand
``spot_price``         the price as spot, in the same row
``available``          false where the provider has none at the moment
``currency``           an ISO 4217 code, the same in all rows; absent: USD
``architecture``       kubernetes.io/arch of new nodes; absent: amd64
``operating_system``   kubernetes.io/os of new nodes; absent: linux
``cpu``, ``memory`` …  resources that a new node offers to pods, each a column
``capacity:cpu`` …     what it has before anything is reserved; absent: the same
``label:KEY`` …        labels of new nodes of the type
====================== ===========================================================

Names may be spelled in other ways: ``instanceType``, ``Instance Type``, ``capacity-type``.
"""

from __future__ import annotations

import csv
import difflib
import io
import math
import re
from typing import TYPE_CHECKING, Final, NoReturn

from kubestage.errors import InputError
from kubestage.objects import prices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kubestage.aliases import Json

_NAMES: Final = {
    "instancetype": "instanceType",
    "price": "price",
    "zone": "zone",
    "capacitytype": "capacityType",
    "spotprice": "spotPrice",
    "available": "available",
    "currency": "currency",
    "architecture": "architecture",
    "arch": "architecture",
    "operatingsystem": "operatingSystem",
    "os": "operatingSystem",
}
_TEXTS: Final = ("zone", "capacityType", "architecture", "operatingSystem")
_LABEL: Final = "label:"
_CAPACITY: Final = "capacity:"
_BOOLEANS: Final = {"true": True, "yes": True, "false": False, "no": False}
_REQUIRED: Final = {"instanceType": "instance_type", "price": "price"}
_RESOURCES: Final = ("cpu", "memory", "pods", "ephemeral-storage")
_SEPARATORS: Final = re.compile(r"[\s_-]+")
_MOST: Final = 1e9
_ISO_4217: Final = re.compile(r"[A-Z]{3}")


def is_header(line: str) -> bool:
    """Whether the first line of a CSV is one of prices."""
    found = {_field(cell.strip().strip('"')) for cell in line.split(",")}
    return found.issuperset(_REQUIRED)


def read(text: str, file: str) -> Json:
    """The spec of a PriceCatalog; InputError with file and line if something is wrong."""
    reader = csv.reader(io.StringIO(text), skipinitialspace=True)
    try:
        lines = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if any(row)]
    except csv.Error as error:
        _refuse(file, reader.line_num, f"not valid CSV: {error}", "see the line and its quotes")
    if not lines:
        _refuse(file, 1, "is empty", "begin with a header: instance_type,price")
    (number, header), *rest = lines
    fields = [_field(name) for name in header]
    _check_header(header, fields, file, number)
    if not rest:
        _refuse(file, number, "has a header and no rows", "add a row for each price")
    rows = [(line, _cells(fields, cells, file, line)) for line, cells in rest]
    found = [each for line, cells in rows for each in _prices(cells, file, line)]
    return {"currency": _currency(rows, file), "prices": found}


def unknown_columns(text: str) -> list[str]:
    """The columns that mean nothing here."""
    header = next(csv.reader(io.StringIO(text), skipinitialspace=True), [])
    return [name.strip() for name in header if not _field(name.strip())]


def _field(name: str) -> str:
    """The field that a column fills, a resource under its own name; empty for other columns."""
    known = _NAMES.get(_SEPARATORS.sub("", name.lower()))
    if known is not None:
        return known
    if name.startswith((_LABEL, _CAPACITY)):
        return name
    dashed = name.lower().replace("_", "-")
    if dashed in _RESOURCES:
        return dashed
    return name if "/" in name or name.startswith("hugepages-") else ""


def _check_header(header: Sequence[str], fields: Sequence[str], file: str, line: int) -> None:
    for field, column in _REQUIRED.items():
        if field not in fields:
            likely = difflib.get_close_matches(column, header, 1)
            fix = f"is {likely[0]} meant? " if likely else ""
            if len(header) == 1 and any(each in header[0] for each in ";\t"):
                fix = "separate columns by commas; "
            _refuse(file, line, f"no column {column}", f"{fix}begin with: instance_type,price")
    for number, field in enumerate(fields):
        if field and field in fields[:number]:
            _refuse(file, line, f"two columns mean {field}", "leave one out")


def _cells(fields: Sequence[str], cells: Sequence[str], file: str, line: int) -> dict[str, str]:
    if len(cells) > len(fields):
        problem = f"has {len(cells)} cells, the header {len(fields)}"
        _refuse(file, line, problem, "see the line and its commas")
    return {field: cell for field, cell in zip(fields, cells, strict=False) if field and cell}


def _prices(cells: Mapping[str, str], file: str, line: int) -> Iterator[Json]:
    """The price of a row, and that as spot if there is one."""
    for field, column in _REQUIRED.items():
        if field not in cells:
            _refuse(file, line, f"{column} is empty", "fill it in, or leave the row out")
    row: Json = {"instanceType": cells["instanceType"]}
    row |= {name: cells[name] for name in _TEXTS if name in cells}
    row["price"] = _amount(cells["price"], file, line)
    if "available" in cells:
        row["available"] = _boolean(cells["available"], file, line)
    row |= {name: part for name, part in _parts(cells).items() if part}
    yield row
    if "spotPrice" in cells:
        spot = _amount(cells["spotPrice"], file, line)
        yield {**row, "capacityType": prices.SPOT, "price": spot}


def _amount(text: str, file: str, line: int) -> float:
    try:
        amount = float(text.lstrip("$"))
    except ValueError:
        amount = math.nan
    if not 0 <= amount <= _MOST:
        _refuse(file, line, f'"{text}" is no price', "write a number, as in 0.096")
    return amount


def _boolean(text: str, file: str, line: int) -> bool:
    found = _BOOLEANS.get(text.lower())
    if found is None:
        _refuse(file, line, f'available is "{text}"', "write true or false")
    return found


def _parts(cells: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Resources, capacity and labels: what has a column each."""
    known = {*_NAMES.values()}
    resources: dict[str, str] = {}
    capacity: dict[str, str] = {}
    labels: dict[str, str] = {}
    for name, cell in cells.items():
        if name.startswith(_LABEL):
            labels[name.removeprefix(_LABEL)] = cell
        elif name.startswith(_CAPACITY):
            capacity[name.removeprefix(_CAPACITY)] = cell
        elif name not in known:
            resources[name] = cell
    return {"resources": resources, "capacity": capacity, "labels": labels}


def _currency(rows: Sequence[tuple[int, Mapping[str, str]]], file: str) -> str:
    found = ""
    for line, cells in rows:
        each = cells.get("currency", "").upper()
        if each and not _ISO_4217.fullmatch(each):
            _refuse(file, line, f'"{each}" is no currency', "write its ISO 4217 code, as in EUR")
        if found and each and each != found:
            _refuse(file, line, f"{each} beside {found}", "write a file for each currency")
        found = found or each
    return found or prices.DEFAULT_CURRENCY


def _refuse(file: str, line: int, problem: str, fix: str) -> NoReturn:
    raise InputError(problem, file=file, line=line, fix=fix)
