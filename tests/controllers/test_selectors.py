from __future__ import annotations

import pickle

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


def test_what_labels_matched_is_found_again_until_a_selector_changes() -> None:
    selectors, found = Selectors(), {"app": "web"}
    selectors.set("one", "one/a", labels.parse("app=web"))
    selectors.matching("one", found).append("mine")
    assert selectors.matching("one", found) == ["one/a"]
    assert selectors.matching("two", found) == []
    selectors.set("one", "one/b", labels.parse("app"))
    assert selectors.matching("one", found) == ["one/a", "one/b"]
    selectors.set("one", "one/a", labels.parse("app=db"))
    assert selectors.matching("one", found) == ["one/b"]
    assert pickle.loads(pickle.dumps(selectors)).matching("one", found) == ["one/b"]
    selectors.drop("one", "one/b")
    assert selectors.matching("one", found) == []
