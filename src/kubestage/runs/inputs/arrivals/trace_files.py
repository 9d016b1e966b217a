"""Rows of trace files: CSV with a header, and SWF, the Standard Workload Format."""

from __future__ import annotations

import csv
import io
import pathlib
from typing import Final

from kubestage.errors import InputError
from kubestage.files import reading

Row = dict[str, str]

_UNKNOWN: Final = "-1"
# The fields of a job that matter here, by their place in a line of SWF.
_SWF_FIELDS: Final = 18
_JOB, _SUBMIT, _RUN, _USED, _REQUESTED, _USER = 0, 1, 3, 4, 7, 11
_USED_MEMORY, _REQUESTED_MEMORY = 6, 9


def read(file: str) -> list[tuple[int, Row]]:
    """The rows of a trace, each with its line; InputError if it cannot be read."""
    data = reading.read(file, may_stream=True)
    if reading.is_packed(data):
        data = reading.unpacked(data, file)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error}", file=file) from None
    names = pathlib.PurePath(file).suffixes
    rows = _swf_rows(text, file) if ".swf" in names else csv_rows(text, file)
    if not rows:
        raise InputError("has no rows", file=file, fix="name a CSV with a header, or an SWF file")
    return rows


def csv_rows(text: str, file: str) -> list[tuple[int, Row]]:
    """The rows of a CSV by the names in its header."""
    reader = csv.DictReader(io.StringIO(text), skipinitialspace=True)
    rows: list[tuple[int, Row]] = []
    try:
        for row in reader:
            if None in row or None in row.values():
                fix = "give each row as many cells as the header has"
                problem = f"has other cells than the {len(reader.fieldnames or ())} of the header"
                raise InputError(problem, file=file, line=reader.line_num, fix=fix)
            rows.append((reader.line_num, dict(row)))
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", file=file, line=reader.line_num) from None
    return rows


def _swf_rows(text: str, file: str) -> list[tuple[int, Row]]:
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        cells = line.split()
        if not cells or line.lstrip().startswith(";"):
            continue
        if len(cells) != _SWF_FIELDS:
            problem = f"has {len(cells)} fields; a job of SWF has {_SWF_FIELDS}"
            raise InputError(problem, file=file, line=number, fix="see the format's definition")
        rows.append((number, _job(cells)))
    return rows


def _job(cells: list[str]) -> Row:
    """A job: what it requested, or else what it used."""
    return {
        "job": f"job-{cells[_JOB]}",
        "submit": cells[_SUBMIT],
        "run": _known(cells[_RUN]),
        "processors": _known(cells[_REQUESTED], cells[_USED]),
        "memory_kb": _known(cells[_REQUESTED_MEMORY], cells[_USED_MEMORY]),
        "user": cells[_USER] if cells[_USER] != _UNKNOWN else "",
    }


def _known(*cells: str) -> str:
    return next((each for each in cells if each != _UNKNOWN), "0")
