from __future__ import annotations

from kubestage.controllers.selectors import Selectors
from kubestage.objects import labels


def test_owners_of_the_namespace_that_mean_the_labels_are_found() -> None:
    selectors = Selectors()
    selectors.set("one", "one/a", labels.parse("app=web"))
    selectors.set("one", "one/b", labels.parse("app"))
    selectors.set("two", "two/c", labels.parse("app=web"))
    assert selectors.matching("one", {"app": "web"}) == ["one/a", "one/b"]
    assert selectors.matching("one", {"app": "db"}) == ["one/b"]
    assert selectors.matching("none", {"app": "web"}) == []
    assert str(selectors.get("one", "one/a")) == "app=web"


def test_an_owner_that_would_mean_everything_means_nothing() -> None:
    selectors = Selectors()
    selectors.set("one", "one/a", labels.EVERYTHING)
    assert selectors.matching("one", {"app": "web"}) == []


def test_an_owner_that_is_gone_means_nothing() -> None:
    selectors = Selectors()
    selectors.set("one", "one/a", labels.parse("app=web"))
    assert not selectors.is_empty
    selectors.drop("one", "one/a")
    selectors.drop("one", "one/a")
    assert selectors.matching("one", {"app": "web"}) == []
    assert selectors.is_empty
