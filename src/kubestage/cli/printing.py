"""Objects as kubectl prints them in YAML, JSON and by name."""

from __future__ import annotations

import json
from typing import Any, Final

# Go's encoder writes these so that JSON can stand inside HTML.
_HTML_SAFE: Final = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def as_one(objects: list[dict[str, Any]], single: bool) -> dict[str, Any]:
    """The object itself if one was named, else all in a List."""
    if single and len(objects) == 1:
        return objects[0]
    metadata = {"resourceVersion": ""}
    return {"apiVersion": "v1", "items": objects, "kind": "List", "metadata": metadata}


def as_json(obj: dict[str, Any]) -> str:
    """Keys sorted, four spaces, as kubectl does."""
    text = json.dumps(obj, indent=4, sort_keys=True, ensure_ascii=False)
    return text.translate(_HTML_SAFE) + "\n"


def as_yaml(obj: dict[str, Any]) -> str:
    """The YAML that the API machinery writes."""
    from kubestage.objects import yaml_text

    return yaml_text.dump(obj)


def qualified_name(obj: dict[str, Any]) -> str:
    """``pod/web`` or ``deployment.apps/web``."""
    group = obj["apiVersion"].rpartition("/")[0]
    kind = obj["kind"].lower()
    return f"{kind}.{group}/{_name(obj)}" if group else f"{kind}/{_name(obj)}"


def _name(obj: dict[str, Any]) -> str:
    return str(obj["metadata"].get("name", ""))
