from __future__ import annotations

import pytest

from kubestage.promql.recording import Rule, RuleBook
from tests.promql.written import ask, store

RULES = (
    Rule("double", "a * 2", {"kind": "made"}),
    Rule("quadruple", "double * 2"),
    Rule("other", "sum(a)"),
)


def test_a_rule_is_evaluated_at_all_instants_up_to_the_question() -> None:
    made = store({'a{i="1"}': [1, 2, 3, 4]})
    book = RuleBook(made, RULES, interval_ms=30_000, begin_ms=10_000)
    book.catch_up("double", 95_000)
    assert ask(made, "double", 95) == {"__name__=double,i=1,kind=made": 4}
    assert ask(made, "count_over_time(double[5m])", 95) == {"i=1,kind=made": 3}
    assert ask(made, "first_over_time(double[5m])", 95) == {"__name__=double,i=1,kind=made": 2}


def test_catching_up_twice_gives_the_same_as_once() -> None:
    counts = []
    for stops in ((180_000,), (60_000, 70_000, 180_000, 180_000)):
        made = store({"a": [1, 2, 3, 4]})
        book = RuleBook(made, RULES, interval_ms=30_000, begin_ms=0)
        for stop in stops:
            book.catch_up("rate(double[5m])", stop)
        counts.append(ask(made, "sum_over_time(double[5m])", 180))
    assert counts[0] == counts[1]


def test_instants_beyond_those_that_are_evaluated_together_follow() -> None:
    values = [float(minute * minute % 97) for minute in range(600)]
    made = store({'a{i="1"}': values, 'a{i="2"}': [*[None] * 300, *values[:300]]})
    rules = (Rule("rates", "rate(a[5m])"),)
    RuleBook(made, rules, interval_ms=60_000, begin_ms=0).catch_up("rates", 599 * 60_000)
    for minute in (1, 255, 256, 257, 512, 599):
        expected = ask(made, "rate(a[5m])", minute * 60)
        found = ask(made, "rates", minute * 60)
        assert found == {f"__name__=rates,{key}": value for key, value in expected.items()} != {}


def test_a_rule_brings_along_those_it_builds_on_and_no_others() -> None:
    made = store({"a": [1]})
    RuleBook(made, RULES, interval_ms=30_000, begin_ms=0).catch_up("sum(quadruple)", 0)
    assert made.names() == ["a", "double", "quadruple"]
    assert ask(made, "quadruple") == {"__name__=quadruple,kind=made": 4}


def test_a_name_that_is_not_sure_brings_all_that_it_may_mean() -> None:
    made = store({"a": [1]})
    RuleBook(made, RULES, interval_ms=30_000, begin_ms=0).catch_up('{__name__=~"do.*|ot.*"}', 0)
    assert made.names() == ["a", "double", "other"]


def test_a_series_that_a_rule_no_longer_gives_has_ended() -> None:
    made = store({"a": [1, "stale", None, 3]})
    book = RuleBook(made, RULES, interval_ms=60_000, begin_ms=0)
    book.catch_up("other", 240_000)
    assert ask(made, "other", 100) == {}
    assert ask(made, "sum_over_time(other[1h])", 240) == {"": 1 + 3 + 3}


def test_a_rule_that_names_itself_does_not_go_round_for_ever() -> None:
    made = store({"a": [1]})
    rule = Rule("a", "a + 1")
    RuleBook(made, (rule,), interval_ms=60_000, begin_ms=60_000).catch_up("a", 59_999)
    assert ask(made, "a") == {"__name__=a": 1}


@pytest.mark.parametrize("begin_ms", [0, 1, 30_000])
def test_instants_are_multiples_of_the_interval(begin_ms: int) -> None:
    made = store({"a": [1, 1]})
    RuleBook(made, RULES, interval_ms=30_000, begin_ms=begin_ms).catch_up("other", 60_000)
    first = {0: 0, 1: 30, 30_000: 30}[begin_ms]
    assert ask(made, "ts_of_first_over_time(other[1h])", 60) == {"": first}
