"""Go's ``text/template`` in Python: the language, its built-in functions, its printing.

A template is parsed once to a tree and run on plain JSON values; it reaches nothing but these and
the functions that are passed to it. The functions of a tool belong to the room of that tool; those
of the library Sprig are in `sprig`.
"""

from __future__ import annotations

from kubestage.golang.template.failures import TemplateError, TemplateLimitError
from kubestage.golang.template.functions import Function
from kubestage.golang.template.template import Template, parse
from kubestage.golang.template.values import Number

__all__ = ["Function", "Number", "Template", "TemplateError", "TemplateLimitError", "parse"]
