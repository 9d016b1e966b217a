from __future__ import annotations

from tests.controllers.deployment.rollouts import deployment, roll_to, started
from tests.controllers.fleet import DEPLOYMENT, Fleet
from tests.controllers.stages import events

_ROLLBACK_TO = "deprecated.deployment.rollback.to"


def _fleet() -> Fleet:
    made = deployment(replicas=1)
    made["metadata"]["annotations"] = {"cause": "first"}
    fleet = started(made)
    fleet.patch(DEPLOYMENT, "web", {"metadata": {"annotations": {"cause": "second"}}})
    roll_to(fleet, "v2")
    fleet.start_all()
    return fleet


def _roll_back(fleet: Fleet, revision: str) -> None:
    fleet.patch(DEPLOYMENT, "web", {"metadata": {"annotations": {_ROLLBACK_TO: revision}}})
    fleet.start_all()


def _image(fleet: Fleet) -> str:
    found = fleet.get(DEPLOYMENT, "web")
    assert _ROLLBACK_TO not in found["metadata"]["annotations"]
    image: str = found["spec"]["template"]["spec"]["containers"][0]["image"]
    return image


def test_the_template_and_the_annotations_of_a_revision_come_back() -> None:
    fleet = _fleet()
    _roll_back(fleet, "1")
    assert _image(fleet) == "v1"
    annotations = fleet.get(DEPLOYMENT, "web")["metadata"]["annotations"]
    assert annotations["deployment.kubernetes.io/revision"] == "3"
    template = fleet.get(DEPLOYMENT, "web")["spec"]["template"]
    assert "pod-template-hash" not in template["metadata"]["labels"]
    assert events(fleet.stage, "DeploymentRollback") == [
        ("DeploymentRollback", 'Rolled back deployment "web" to revision 1', 1)
    ]


def test_revision_zero_is_the_one_before() -> None:
    fleet = _fleet()
    _roll_back(fleet, "0")
    assert _image(fleet) == "v1"


def test_a_revision_that_is_not_there_is_told() -> None:
    fleet = _fleet()
    _roll_back(fleet, "9")
    assert _image(fleet) == "v2"
    assert events(fleet.stage, "DeploymentRollbackRevisionNotFound") == [
        (
            "DeploymentRollbackRevisionNotFound",
            "Unable to find the revision to rollback to.",
            1,
        )
    ]


def test_without_an_earlier_revision_there_is_nothing_to_go_back_to() -> None:
    fleet = started(deployment(replicas=1))
    _roll_back(fleet, "0")
    assert _image(fleet) == "v1"
    told = events(fleet.stage, "DeploymentRollbackRevisionNotFound")
    assert told[0][1] == "Unable to find last revision."


def test_going_back_to_where_one_is_changes_nothing() -> None:
    fleet = _fleet()
    _roll_back(fleet, "2")
    assert _image(fleet) == "v2"
    assert events(fleet.stage, "DeploymentRollbackTemplateUnchanged") == [
        (
            "DeploymentRollbackTemplateUnchanged",
            'The rollback revision contains the same template as current deployment "web"',
            1,
        )
    ]
