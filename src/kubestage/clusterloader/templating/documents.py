"""Rendered text as the values that ClusterLoader2 decodes it to."""

from __future__ import annotations

from typing import Any

from kubestage.errors import InputError
from kubestage.objects import json_documents, yaml_documents


def values(text: str) -> list[Any]:
    """Each document of a YAML or JSON text that is not empty."""
    data = yaml_documents.as_bytes(text)
    if json_documents.looks_like_json(data):
        try:
            return [value for value, _ in json_documents.read(data) if value is not None]
        except InputError:
            if not json_documents.may_be_yaml(data):
                raise
    try:
        return [value for value, _, _ in yaml_documents.Reader(data).documents()]
    except RecursionError:
        raise InputError("nested too deeply") from None


def first(text: str) -> Any:
    """The first document; the others are not looked at. None if there is none."""
    return next(iter(values(text)), None)


def objects(text: str, file: str) -> list[dict[str, Any]]:
    """The objects of a text; InputError if something in it is none."""
    try:
        found = values(text)
    except InputError as error:
        error.file = file
        raise
    for value in found:
        if not isinstance(value, dict):
            raise InputError("an object with apiVersion and kind is expected", file=file)
        if not isinstance(value.get("kind"), str) or not value["kind"]:
            raise InputError("Object 'Kind' is missing", file=file, path="kind")
        if not isinstance(value.get("metadata") or {}, dict):
            raise InputError("expected an object with a name", file=file, path="metadata")
    return found
