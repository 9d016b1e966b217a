from __future__ import annotations

from kubestage.scheduler import config, framework


class _Vectorised:
    name = "Vectorised"

    def pre_filter(self) -> None: ...

    def filter(self) -> None: ...

    def score(self) -> None: ...


class _Scalar:
    name = "Scalar"

    def filter_node(self) -> None: ...

    def score_node(self) -> None: ...

    def permit(self) -> None: ...


def test_a_class_takes_part_where_it_has_the_method() -> None:
    assert config.points_of(_Vectorised) == {"preFilter", "filter", "score"}
    assert config.points_of(_Scalar) == {"filter", "score", "permit"}


def test_each_protocol_of_the_contract_has_a_point() -> None:
    claims = {
        framework.PreEnqueue: "preEnqueue", framework.QueueSort: "queueSort",
        framework.PreFilter: "preFilter", framework.Filter: "filter",
        framework.NodeFilter: "filter", framework.PostFilter: "postFilter",
        framework.PreScore: "preScore", framework.Score: "score",
        framework.NodeScore: "score", framework.Reserve: "reserve",
        framework.Permit: "permit", framework.PreBind: "preBind",
        framework.Bind: "bind", framework.PostBind: "postBind",
    }  # fmt: skip
    for protocol, point in claims.items():
        assert config.points_of(protocol) == {point}


def test_a_user_adds_rows_to_the_table() -> None:
    rows = config.rows({"Mine": ["filter"]})
    assert rows["Mine"] == {"filter"}
    assert rows["NodeName"] == config.IN_TREE["NodeName"]
