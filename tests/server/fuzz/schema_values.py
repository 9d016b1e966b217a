"""Values that a schema of our OpenAPI documents allows, mostly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.server.fuzz import values

if TYPE_CHECKING:
    import random

    from kubestage.aliases import Json

DEEPEST = 7
NAMES = ("a", "b", "web", "node-0", "default", "hostile")


class Maker:
    """Makes values from the schemas of one document."""

    def __init__(self, document: Json, rng: random.Random) -> None:
        self._schemas = (document.get("components") or {}).get("schemas") or {}
        self._rng = rng

    def value(self, schema: Json, name: str = "", depth: int = 0) -> Any:
        """Something that fits; now and then something that does not."""
        rng = self._rng
        if rng.random() < 0.01:
            return values.any_value(rng)
        schema = self._resolved(schema)
        if "enum" in schema:
            return rng.choice(schema["enum"])
        for word in ("oneOf", "anyOf"):
            if word in schema:
                return self.value(rng.choice(schema[word]), name, depth)
        match schema.get("type"):
            case "object":
                return self._object(schema, depth)
            case "array":
                count = rng.choice((0, 1, 1, 2)) if depth < DEEPEST else 0
                return [
                    self.value(schema.get("items") or {}, name, depth + 1) for _ in range(count)
                ]
            case "integer":
                return rng.choice((0, 1, 2, 5, 30, 80, rng.choice(values.NUMBERS)))
            case "number":
                return rng.choice((0.5, 1, 2.5))
            case "boolean":
                return rng.random() < 0.5
        return self._text(schema, name)

    def _resolved(self, schema: Json) -> Json:
        for _ in range(10):
            if "$ref" in schema:
                schema = self._schemas.get(schema["$ref"].rpartition("/")[2], {})
            elif "allOf" in schema:
                schema = schema["allOf"][0]
            else:
                break
        if "type" not in schema and "properties" in schema:
            return {**schema, "type": "object"}
        return schema

    def _object(self, schema: Json, depth: int) -> Json:
        rng = self._rng
        made: Json = {}
        required = schema.get("required") or ()
        for name, part in (schema.get("properties") or {}).items():
            likely = 0.9 if name in required else 0.45 / (1 + depth / 2)
            if name in ("metadata", "spec") and not depth:
                likely = 0.97
            if depth < DEEPEST and rng.random() < likely:
                made[name] = self.value(part, name, depth + 1)
        more = schema.get("additionalProperties")
        if isinstance(more, dict) and depth < DEEPEST:
            for _ in range(rng.choice((0, 1, 2))):
                made[rng.choice((*NAMES, "cpu", "memory", "app"))] = self.value(more, "", depth + 1)
        return made

    def _text(self, schema: Json, name: str) -> str:
        rng = self._rng
        match schema.get("format") or name:
            case "date-time" | "creationTimestamp":
                return "2026-01-01T00:00:00Z"
            case "byte":
                return "YQ=="
            case "name" | "namespace" | "uid" | "nodeName":
                return rng.choice(NAMES)
            case "int-or-string":
                return rng.choice(("10%", "80", "http"))
            case "resourceVersion":
                return rng.choice(("", "1", "x"))
        return rng.choice((*NAMES, "1", "100m", "1Gi", "app=web", rng.choice(values.STRINGS)))
