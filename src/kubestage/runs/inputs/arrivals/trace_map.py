"""Which columns of a trace say what of a pod.

======================== ======================================================
``name``                 its name; by default a number
``cpu``, ``memory``      requests, in cores and bytes
``resource.NAME``        the request of any other resource
``at``                   when it arrives, in seconds
``duration``             how long it runs, in seconds
``label.KEY``            a label
``annotation.KEY``       an annotation; an empty cell or 0 is left out
======================== ======================================================
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.objects import yaml_documents
from kubestage.runs.inputs import text_files
from kubestage.runs.inputs.arrivals.expressions import Expression

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

OPTION: Final = "--trace-map"
GPU: Final = "alibabacloud.com/gpu"
FIELDS: Final = ("name", "cpu", "memory", "at", "duration")
PREFIXES: Final = ("label.", "annotation.", "resource.")
_FORM: Final = "write it as in cpu=cpu_milli/1000,memory=memory_mib*1048576, or name a YAML file"

OPENB: Final[Mapping[str, str]] = {
    "name": "name",
    "cpu": "cpu_milli/1000",
    "memory": "memory_mib*1048576",
    f"annotation.{GPU}-count": "num_gpu",
    f"annotation.{GPU}-milli": "gpu_milli",
    f"annotation.{GPU}-card-model": "gpu_spec",
    "at": "creation_time",
    "duration": "deletion_time-creation_time",
}
SWF: Final[Mapping[str, str]] = {
    "name": "job",
    "cpu": "processors",
    "memory": "memory_kb*processors*1024",
    "label.user": "user",
    "at": "submit",
    "duration": "run",
}

TraceMap = dict[str, Expression]


def known(columns: Collection[str]) -> TraceMap:
    """The map of a trace that is known by its columns; InputError if it is none of these."""
    for each in (OPENB, SWF):
        found = parsed(each)
        if all(column in columns for one in found.values() for column in one.columns):
            return found
    fix = f"say what its columns mean with {OPTION} cpu=COLUMN,memory=COLUMN,..."
    raise InputError("has columns of no known trace: " + ", ".join(columns), fix=fix)


def read(text: str) -> TraceMap:
    """The map of ``cpu=cpu_milli/1000,...`` or of a YAML file."""
    if "=" not in text:
        found: Any = next(iter(yaml_documents.values(text_files.read(text, OPTION), text)), None)
        if not isinstance(found, dict):
            raise InputError("is no map of fields", file=text, fix=_FORM)
        return parsed({str(key): str(value) for key, value in found.items()})
    pairs = [each.partition("=") for each in text.split(",") if each.strip()]
    return parsed({field.strip(): value for field, _, value in pairs})


def parsed(fields: Mapping[str, str]) -> TraceMap:
    """Expressions by field; InputError if a field is unknown."""
    for field in fields:
        if field not in FIELDS and not field.startswith(PREFIXES):
            near = difflib.get_close_matches(field, (*FIELDS, *PREFIXES), n=1)
            listed = ", ".join((*FIELDS, *(f"{each}KEY" for each in PREFIXES)))
            fix = f"did you mean {near[0]}?" if near else f"use {listed}"
            raise InputError(f'there is no field "{field}"', path=OPTION, fix=fix)
    return {field: Expression(value, field) for field, value in fields.items()}
