from __future__ import annotations

import pytest

from kubestage.errors import InputError
from kubestage.stage import Stage
from kubestage.store import admission
from kubestage.store.admission import plugins

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p"},
    "spec": {"containers": [{"name": "c", "image": "x"}]},
}


def test_nothing_is_left_out_unless_it_is_named() -> None:
    assert plugins.without([]) == (admission.DEFAULT, admission.CHECKS)


def test_a_cluster_can_do_without_a_plugin() -> None:
    stage = Stage(**plugins.without(["ServiceAccount"])._asdict())
    assert "serviceAccountName" not in stage.store.create(POD)["spec"]
    assert Stage().store.create(POD)["spec"]["serviceAccountName"] == "default"


def test_each_name_switches_something_off() -> None:
    for name in plugins.NAMES:
        assert plugins.without([name]) != plugins.without([])


def test_a_misspelt_plugin_is_told_with_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean ResourceQuota"):
        plugins.without(["ResourceQuotas"])
