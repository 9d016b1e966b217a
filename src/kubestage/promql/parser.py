"""Parses a query into a tree whose types have been checked."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.promql import lexer, limits, nodes, types
from kubestage.promql.lexer import TokenReader
from kubestage.promql.matchers import NAME, Matcher
from kubestage.promql.signatures import AGGREGATIONS, WITH_PARAMETER

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.promql.nodes import Matching, Node

_LEVELS: Final = (
    ("or",),
    ("and", "unless"),
    types.COMPARISONS,
    ("+", "-"),
    ("*", "/", "%", "atan2"),
)
_MATCH_OPERATORS: Final = ("=", "!=", "=~", "!~")


@functools.lru_cache(maxsize=512)
def parse(text: str) -> Node:
    """The tree of a query; a `QueryError` has the position of what is wrong."""
    if len(text) > limits.LONGEST:
        raise limits.QueryLimitError(f"a query may have {limits.LONGEST:,} characters")
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self._reader = TokenReader(text)

    def whole(self) -> Node:
        """All of the text as one expression."""
        if self._reader.peek().kind == "end":
            raise self._reader.error("no expression found in input")
        node = self._binary(0)
        if self._reader.peek().kind != "end":
            raise self._reader.unexpected("after the expression")
        return node

    # Operators, from the loosest to the tightest.

    def _binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while True:
            operator = next((each for each in _LEVELS[level] if self._reader.is_next(each)), None)
            if operator is None:
                return left
            left = self._joined(left, operator, functools.partial(self._binary, level + 1))

    def _joined(self, left: Node, operator: str, right: Callable[[], Node]) -> Node:
        self._reader.count_operator()
        at = self._reader.take().at
        is_bool = self._reader.accept("bool") is not None
        matching = self._matching()
        node = nodes.Binary(operator, left, right(), matching, is_bool, at)
        types.check_binary(self._reader.text, node)
        return node

    def _unary(self) -> Node:
        self._reader.enter()
        node = self._signed()
        self._reader.leave()
        return node

    def _signed(self) -> Node:
        sign = self._reader.accept("-") or self._reader.accept("+")
        if sign is None:
            return self._power()
        inner = self._unary()
        if types.value_type(inner) not in ("scalar", "vector"):
            raise self._reader.error(
                "unary expression only allowed on expressions of type scalar or instant vector",
                inner.at,
            )
        return nodes.Negation(inner, sign.at) if sign.text == "-" else inner

    def _power(self) -> Node:
        left = self._postfix(self._primary())
        # The exponent groups to the right, and may have a sign.
        return self._joined(left, "^", self._unary) if self._reader.is_next("^") else left

    def _matching(self) -> Matching:
        matching = nodes.Matching()
        word = self._reader.accept("on") or self._reader.accept("ignoring")
        if word is None:
            return matching
        matching = nodes.Matching(word.text.lower() == "on", self._labels())
        for text, many in (("group_left", "left"), ("group_right", "right")):
            if self._reader.accept(text):
                include = self._labels() if self._reader.is_next("(") else ()
                return msgspec.structs.replace(matching, many=many, include=include)
        return matching

    def _labels(self) -> tuple[str, ...]:
        self._reader.expect("(", "in grouping opts")
        found: list[str] = []
        while not self._reader.accept(")"):
            token = self._reader.take()
            if token.kind not in ("name", "string"):
                self._reader.back()
                raise self._reader.unexpected("in grouping opts, expected label")
            found.append(token.text)
            if not self._reader.accept(",") and not self._reader.is_next(")"):
                raise self._reader.unexpected('in grouping opts, expected "," or ")"')
        return tuple(found)

    # Operands.

    def _primary(self) -> Node:
        token = self._reader.peek()
        if token.kind == "number":
            return nodes.Number(lexer.number(self._reader.take().text), token.at)
        if token.kind == "duration":
            return nodes.Number(self._reader.duration() / 1000, token.at)
        if token.kind == "string":
            return nodes.Text(self._reader.take().text, token.at)
        if self._reader.accept("("):
            inner = self._binary(0)
            self._reader.expect(")", "in paren expression")
            return nodes.Group(inner, token.at)
        if self._reader.is_next("{"):
            return self._selector("", token.at)
        if token.kind == "name":
            return self._named()
        raise self._reader.unexpected("where an expression is expected")

    def _named(self) -> Node:
        token = self._reader.peek()
        word = token.text.lower()
        if word in AGGREGATIONS and (
            self._reader.is_next("(", 1)
            or self._reader.is_next("by", 1)
            or self._reader.is_next("without", 1)
        ):
            return self._aggregation()
        if self._reader.is_next("(", 1):
            return self._call()
        if word in ("inf", "nan") and not self._reader.is_next("{", 1):
            self._reader.take()
            return nodes.Number(float(word), token.at)
        return self._selector(self._reader.take().text, token.at)

    def _call(self) -> Node:
        name = self._reader.take()
        call = nodes.Call(name.text, self._arguments(name.text), name.at)
        types.check_call(self._reader.text, call)
        return call

    def _arguments(self, name: str) -> tuple[Node, ...]:
        self._reader.expect("(", f"in call to {name}")
        found: list[Node] = []
        while not self._reader.accept(")"):
            found.append(self._binary(0))
            if not self._reader.accept(","):
                self._reader.expect(")", f"in call to {name}")
                break
        return tuple(found)

    def _aggregation(self) -> Node:
        name = self._reader.take()
        operation = name.text.lower()
        grouping = self._grouping()
        arguments = self._arguments(operation)
        grouping = grouping or self._grouping() or ((), False)
        expected = 2 if operation in WITH_PARAMETER else 1
        if len(arguments) != expected:
            raise self._reader.error(
                f"wrong number of arguments for aggregate expression provided, "
                f"expected {expected}, got {len(arguments)}",
                name.at,
            )
        types.require_type(self._reader.text, arguments[-1], "vector", "aggregation expression")
        if expected == 2:
            kind: nodes.ValueType = "string" if operation == "count_values" else "scalar"
            types.require_type(self._reader.text, arguments[0], kind, "aggregation parameter")
        return nodes.Aggregation(
            operation, arguments[-1], arguments[0] if expected == 2 else None, *grouping, name.at
        )

    def _grouping(self) -> tuple[tuple[str, ...], bool] | None:
        for word in ("by", "without"):
            if self._reader.accept(word):
                return self._labels(), word == "without"
        return None

    def _selector(self, name: str, at: int) -> Node:
        matchers = [Matcher(NAME, "=", name)] if name else []
        if self._reader.accept("{"):
            while not self._reader.accept("}"):
                matchers.append(self._matcher(bool(name)))
                if not self._reader.accept(",") and not self._reader.is_next("}"):
                    raise self._reader.unexpected('in label matching, expected "," or "}"')
        if all(each.matches("") for each in matchers):
            raise self._reader.error(
                "vector selector must contain at least one non-empty matcher", at
            )
        return nodes.Selector(tuple(matchers), at)

    def _matcher(self, has_name: bool) -> Matcher:
        label = self._reader.take()
        if label.kind not in ("name", "string"):
            self._reader.back()
            raise self._reader.unexpected('in label matching, expected identifier or "}"')
        if (
            label.kind == "string"
            and (self._reader.is_next(",") or self._reader.is_next("}"))
            and not has_name
        ):
            return Matcher(NAME, "=", label.text)
        operator = next((each for each in _MATCH_OPERATORS if self._reader.is_next(each)), None)
        if operator is None:
            raise self._reader.unexpected("in label matching, expected label matching operator")
        self._reader.take()
        value = self._reader.take()
        if value.kind != "string":
            self._reader.back()
            raise self._reader.unexpected("in label matching, expected string")
        if has_name and label.text == NAME and operator == "=":
            raise self._reader.error("metric name must not be set twice", label.at)
        try:
            return Matcher(label.text, operator, value.text)
        except ValueError as error:
            raise self._reader.error(str(error), value.at) from error

    # What may follow an operand.

    def _postfix(self, node: Node) -> Node:
        while True:
            if self._reader.is_next("["):
                self._reader.count_operator()
                node = self._ranged(node)
            elif self._reader.is_next("offset") or self._reader.is_next("@"):
                node = self._moved(node)
            else:
                return node

    def _ranged(self, node: Node) -> Node:
        at = self._reader.take().at
        range_ms = self._reader.positive_duration()
        if self._reader.accept(":"):
            step_ms = 0 if self._reader.is_next("]") else self._reader.positive_duration()
            self._reader.expect("]", "in subquery selector")
            if types.value_type(node) != "vector":
                raise self._reader.error(
                    "subquery is only allowed on instant vector, "
                    f"got {types.value_type(node)} instead",
                    node.at,
                )
            return nodes.Subquery(node, range_ms, step_ms, at)
        self._reader.expect("]", "in range selector")
        if not isinstance(node, nodes.Selector):
            raise self._reader.error("ranges only allowed for vector selectors", at)
        if node.when != nodes.NOW:
            raise self._reader.error("no offset or @ modifiers allowed before range", at)
        return nodes.Range(node, range_ms, node.at)

    def _moved(self, node: Node) -> Node:
        what = node.selector if isinstance(node, nodes.Range) else node
        if not isinstance(what, nodes.Selector | nodes.Subquery):
            raise self._reader.error(
                "offset and @ must be preceded by an instant vector selector or "
                "range vector selector or a subquery"
            )
        if self._reader.accept("@"):
            when = msgspec.structs.replace(what.when, fixed_ms=self._fixed())
        else:
            self._reader.take()
            sign = -1 if self._reader.accept("-") else 1
            when = msgspec.structs.replace(what.when, offset_ms=sign * self._reader.duration())
        moved = msgspec.structs.replace(what, when=when)
        return msgspec.structs.replace(node, selector=moved) if what is not node else moved

    def _fixed(self) -> int | str:
        for word in ("start", "end"):
            if self._reader.accept(word):
                self._reader.expect("(", "after @")
                self._reader.expect(")", "after @")
                return word
        sign = -1 if self._reader.accept("-") else 1
        return sign * self._reader.duration()
