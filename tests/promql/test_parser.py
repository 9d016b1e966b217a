from __future__ import annotations

import pytest

from kubestage.promql import nodes, parser
from kubestage.promql.query_errors import QueryError
from tests.promql.written import number


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("1 + 2 * 3", 7),
        ("2 ^ 3 ^ 2", 512),
        ("-2 ^ 2", -4),
        ("2 ^ -1", 0.5),
        ("- - 3", 3),
        ("(1 + 2) * 3", 9),
        ("7 % 4 - 1", 2),
        ("10 - 4 - 3", 3),
        ("1 + 1 == bool 2", 1),
        ("0x1F", 31),
        ("1_000", 1000),
        (".5", 0.5),
        ("1e-3", 0.001),
        ("Inf - 1", float("inf")),
        ("5m", 300),
        ("2 > bool 1 + 5", 0),
    ],
)
def test_operators_bind_as_they_should(query: str, value: float) -> None:
    assert number(query) == value


def test_sets_bind_loosest_and_or_looser_than_and() -> None:
    node = parser.parse("a or b and c > 1")
    assert isinstance(node, nodes.Binary)
    assert isinstance(node.right, nodes.Binary)
    assert isinstance(node.right.right, nodes.Binary)
    assert [node.operator, node.right.operator, node.right.right.operator] == ["or", "and", ">"]


def test_a_selector_takes_a_name_matchers_an_offset_and_a_time() -> None:
    node = parser.parse('a{b!="c", d=~"e.*",}[5m] offset -1m @ 12.5')
    assert isinstance(node, nodes.Range)
    assert node.range_ms == 300_000
    assert node.selector.when == nodes.When(-60_000, 12_500)
    assert [(each.name, each.value) for each in node.selector.matchers] == [
        ("__name__", "a"),
        ("b", "c"),
        ("d", "e.*"),
    ]


def test_a_metric_may_be_named_in_braces_and_by_a_keyword() -> None:
    quoted, keyword = parser.parse('{"a.b", c="d"}'), parser.parse("sum{by='x'}")
    assert isinstance(quoted, nodes.Selector)
    assert isinstance(keyword, nodes.Selector)
    assert [each.value for each in quoted.matchers] == ["a.b", "d"]
    assert [each.value for each in keyword.matchers] == ["sum", "x"]


@pytest.mark.parametrize("query", ["sum by (a, b) (c)", "SUM(c) BY (a, b,)"])
def test_a_grouping_stands_before_or_after(query: str) -> None:
    node = parser.parse(query)
    assert isinstance(node, nodes.Aggregation)
    assert (node.operation, node.labels, node.is_without) == ("sum", ("a", "b"), False)


def test_a_subquery_may_leave_its_step_to_the_settings() -> None:
    node = parser.parse("max_over_time(sum(a)[1h:])")
    assert isinstance(node, nodes.Call)
    subquery = node.arguments[0]
    assert isinstance(subquery, nodes.Subquery)
    assert (subquery.range_ms, subquery.step_ms) == (3_600_000, 0)


def test_matching_is_read_with_its_labels() -> None:
    node = parser.parse("a / on (job) group_left (version) b")
    assert isinstance(node, nodes.Binary)
    assert node.matching == nodes.Matching(True, ("job",), "left", ("version",))


@pytest.mark.parametrize(
    ("query", "place", "problem"),
    [
        ("", "1:1", "no expression found in input"),
        ("a b", "1:3", 'unexpected "b" after the expression'),
        ("sum(a", "1:6", "unexpected end of input in call to sum, expected"),
        ("rate(a)", "1:6", "expected type range vector .* got instant vector .*5m"),
        ("a[5m] + 1", "1:1", "must contain only scalar and instant vector types"),
        ("sum(a[5m])", "1:5", "expected type instant vector"),
        ("ratee(a[5m])", "1:1", 'unknown function with name "ratee" .*rate'),
        ("rate(a[5m], 1)", "1:1", r"expected 1 argument\(s\)"),
        ("round()", "1:1", "expected at least 1"),
        ("round(a, 1, 2)", "1:1", "expected at most 2"),
        ("topk(a)", "1:1", "wrong number of arguments for aggregate"),
        ("{}", "1:1", "at least one non-empty matcher"),
        ('{a=~".*"}', "1:1", "at least one non-empty matcher"),
        ('a{__name__="b"}', "1:3", "must not be set twice"),
        ('a{b=~"("}', "1:6", "error parsing regexp"),
        ("a{b}", "1:4", "expected label matching operator"),
        ("a[0s]", "1:3", "duration must be greater than 0"),
        ("a[5]", "1:1", "result must not be a range vector"),
        ("sum(a)[5m]", "1:7", "ranges only allowed for vector selectors"),
        ("a[5m][5m:]", "1:1", "subquery is only allowed on instant vector"),
        ("1 offset 5m", "1:3", "offset and @ must be preceded"),
        ("a offset 1m[5m]", "1:12", "no offset or @ modifiers allowed before range"),
        ("1 == 1", "1:3", "must use BOOL modifier"),
        ("a + bool b", "1:3", "bool modifier can only be used on comparison"),
        ("a and 1", "1:3", "not allowed in binary scalar expression"),
        ("a + on (b) 1", "1:3", "vector matching only allowed between instant vectors"),
        ("a and on (b) group_left c", "1:3", "no grouping allowed"),
        ("a + on (b) group_left (b) c", "1:3", "must not occur in ON and GROUP"),
        ('-"x"', "1:2", "unary expression only allowed"),
        ("a @ b", "1:5", "where a duration is expected"),
        ("sum by (1) (a)", "1:9", "expected label"),
        ("a[1e300]", "1:3", "duration out of range"),
        ("a[1d1h1d]", "1:3", "not a valid duration"),
    ],
)
def test_a_mistake_says_where_it_is(query: str, place: str, problem: str) -> None:
    with pytest.raises(QueryError, match=problem) as caught:
        number(query)
    assert caught.value.path == place
