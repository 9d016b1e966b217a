"""JSONPath as kubectl has it: templates of text and ``{.path}``, with ranges, filters and unions.

Parsing and evaluation follow client-go, error texts included. Where Go walks a map in random
order, keys come sorted here.
"""

from __future__ import annotations

from kubestage.objects.jsonpath.evaluation import find
from kubestage.objects.jsonpath.failures import JSONPathError
from kubestage.objects.jsonpath.parser import parse
from kubestage.objects.jsonpath.printing import as_json, as_text

__all__ = ["JSONPathError", "as_json", "as_text", "find", "parse"]
