"""Both sides of a change: folders, commits, what kustomize and Helm render."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess

import pytest

from kubestage.errors import InputError
from kubestage.objects import yaml_text
from kubestage.runs.check import CheckOptions, CheckResult, check
from kubestage.testing import make_deployment
from tests.runs.check.clusters import failed, nodes, web, write


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    write("cluster", *nodes())
    return tmp_path


def _git(*words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *who, *words], check=True, capture_output=True, text=True)
    return done.stdout


def _check(**options: object) -> CheckResult:
    rules = ("survival=off", "budgets=off", "spread=off")
    return check(options=CheckOptions(files=("cluster",), rules=rules, **options))  # type: ignore[arg-type]


@pytest.fixture
def repository(folder: pathlib.Path) -> pathlib.Path:
    """A repository: on main three replicas, on the branch more than there is room for."""
    _git("init", "-q")
    write("deploy", web(3))
    _git("add", ".")
    _git("commit", "-qm", "before")
    _git("checkout", "-qb", "branch")
    write("deploy", web(6))
    _git("commit", "-qam", "after")
    return folder


def test_commits_are_compared_and_the_work_tree_is_not_touched(repository: pathlib.Path) -> None:
    write("deploy", web(1))
    (repository / "deploy" / "new.txt").write_text("not tracked")
    status = _git("status", "--porcelain")
    result = _check(base="main", head="branch", paths=("deploy",))
    assert failed(result) == ["pending"]
    assert result.verdict.sides == ["main", "branch"]
    [finding] = result.findings
    assert (finding.file, finding.line) == ("deploy/all.yaml", 1)
    assert _git("status", "--porcelain") == status
    # The other way round it is better.
    assert not _check(base="branch", head="main", paths=("deploy",)).has_failed


def test_without_a_head_the_files_are_those_of_the_work_tree(repository: pathlib.Path) -> None:
    write("deploy", web(5))
    result = _check(base="main", paths=("deploy/all.yaml",))
    assert result.findings[0].after == "1 pending"
    assert result.verdict.sides == ["main", "the working tree"]
    write("deploy", web(4))
    assert not _check(base="main", paths=("deploy",)).has_failed


def test_a_configuration_in_a_folder_of_the_repository_means_that_folder(
    repository: pathlib.Path,
) -> None:
    text = '[cluster]\nfiles = ["../cluster"]\n[change]\nbase = "main"\nhead = "branch"\n'
    (repository / "deploy" / "kubestage.toml").write_text(text)
    result = check("deploy/kubestage.toml", CheckOptions(rules=("survival=off",)))
    assert failed(result) == ["pending"]
    assert result.findings[0].file == "deploy/all.yaml"


def test_the_files_of_the_cluster_are_no_change(repository: pathlib.Path) -> None:
    """Even if nothing says where the change is, both sides run on the cluster that is named."""
    write("cluster", *nodes(3))
    _git("commit", "-qam", "a node less")
    result = _check(base="main", head="branch")
    used = next(each for each in result.verdict.figures if each.name == "nodes used")
    assert used.shown == ["3 of 3", "3 of 3"]
    assert failed(result) == ["pending"]


@pytest.mark.parametrize(
    ("options", "problem", "fix"),
    [
        ({"base": "mian"}, '"mian" is neither a folder nor a commit', "git fetch"),
        ({"base": "main", "head": "HEAD^^^^"}, '"HEAD^^^^" is neither', "a branch or a commit"),
        ({"base": "--all"}, '"--all" is neither', ""),
        ({"base": "main", "paths": ("deplyo",)}, "has none of deplyo", "check the paths"),
        ({"base": "cluster/all.yaml"}, "is a file, not a folder", "--path all.yaml"),
    ],
)
@pytest.mark.usefixtures("repository")
def test_what_is_no_side_is_refused(options: dict[str, str], problem: str, fix: str) -> None:
    with pytest.raises(InputError) as caught:
        _check(**options)
    assert problem in caught.value.problem
    assert fix in (caught.value.fix or "")


def test_outside_of_a_repository_a_commit_is_refused() -> None:
    with pytest.raises(InputError, match="is no folder, and this is no git repository"):
        _check(base="main")


def test_without_git_a_commit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "nowhere")
    with pytest.raises(InputError, match="the program git is not installed"):
        _check(base="main")


def test_what_the_head_lacks_is_deleted_and_what_it_adds_is_created() -> None:
    other = make_deployment("other", replicas=2, cpu="1100m", memory="1Gi")
    write("before", web(3))
    write("after", other)
    result = _check(base="before", head="after")
    # Four nodes: there would be no room for both.
    assert not result.has_failed
    used = next(each for each in result.verdict.figures if each.name == "nodes used")
    assert used.values == [3, 2]
    write("after", web(3), other)
    assert _check(base="before", head="after").has_failed


def test_a_rollout_that_is_stuck_is_found_and_a_fresh_start_is_possible() -> None:
    write("before", web(4))
    changed = web(4, image="web:2")
    changed["spec"]["strategy"] = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    write("after", changed)
    result = _check(base="before", head="after")
    assert failed(result) == ["pending"]
    lines = ("[change]", 'base = "before"', 'head = "after"', "rollout = false")
    pathlib.Path("kubestage.toml").write_text(
        "\n".join(["[cluster]", 'files = ["cluster"]', *lines])
    )
    assert not check(options=CheckOptions(rules=("survival=off",))).has_failed


def test_sides_may_be_whole_clusters() -> None:
    write("before", *nodes(4), web(4))
    write("after", *nodes(3), web(4))
    result = check(options=CheckOptions(base="before", head="after", rules=("survival=off",)))
    assert failed(result) == ["pending"]
    write("after", web(4))
    with pytest.raises(InputError, match="there is no node to run anything on"):
        check(options=CheckOptions(base="before", head="after"))


def test_without_a_base_the_cluster_is_what_the_head_is_measured_by() -> None:
    write("after", web(5))
    result = _check(head="after")
    assert result.verdict.sides == ["the cluster", "after"]
    assert failed(result) == ["pending"]
    result = check(options=CheckOptions(head="after", nodes=9, rules=("survival=off",)))
    assert not result.has_failed


def test_the_scheduler_may_be_what_changes() -> None:
    text = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: STRATEGY, resources: [{name: cpu, weight: 1}]}}
  plugins: {score: {disabled: [{name: NodeResourcesBalancedAllocation}, {name: PodTopologySpread}]}}
"""
    for side, strategy in (("before", "LeastAllocated"), ("after", "MostAllocated")):
        write(side, web(2, cpu="200m"))
        pathlib.Path(side, "scheduler.yaml").write_text(text.replace("STRATEGY", strategy))
    lines = ("[cluster]", 'files = ["cluster"]', "[change]", 'base = "before"', 'head = "after"')
    pathlib.Path("kubestage.toml").write_text("\n".join(lines))
    same = check(options=CheckOptions(rules=("decisions", "survival=off", "spread=off")))
    assert not same.has_failed
    assert "left out, as they are no objects: before/scheduler.yaml" in same.verdict.notes[0]
    pathlib.Path("kubestage.toml").write_text("\n".join([*lines, 'scheduler = "scheduler.yaml"']))
    result = check(options=CheckOptions(rules=("decisions", "survival=off", "spread=off")))
    assert failed(result) == ["decisions"]


KUBECTL = shutil.which("kubectl")


def _kustomization(folder: str, text: str) -> None:
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    pathlib.Path(folder, "kustomization.yaml").write_text(text)


def _program(folder: pathlib.Path, name: str, script: str) -> None:
    """A program on the path that does what a test needs."""
    place = folder / "bin" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)


def _on_path(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")


def test_a_kustomization_is_rendered_and_its_file_found(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for side, replicas in (("before", 3), ("after", 6)):
        write(f"{side}/base", web(1), file="web.yaml")
        _kustomization(f"{side}/base", "resources: [web.yaml]\n")
        counts = f"replicas: [{{name: web, count: {replicas}}}]"
        _kustomization(f"{side}/prod", f"namePrefix: prod-\nresources: [../base]\n{counts}\n")
    if KUBECTL is None:
        # What kubectl prints, for machines without it.
        _program(folder, "kubectl", 'cat "$2/rendered.txt"')
        for side, replicas in (("before", 3), ("after", 6)):
            rendered = make_deployment("prod-web", replicas=replicas, cpu="1100m", memory="1Gi")
            pathlib.Path(side, "prod", "rendered.txt").write_text(yaml_text.dump(rendered))
        _on_path(folder, monkeypatch)
    result = _check(base="before", head="after")
    [finding] = result.findings
    assert finding.subject == "deployment/default/prod-web"
    assert (finding.file, finding.line) == ("after/base/web.yaml", 1)


def test_of_several_kustomizations_one_has_to_be_named() -> None:
    for side in ("before", "after"):
        write(f"{side}/base", web(1), file="web.yaml")
        _kustomization(f"{side}/base", "resources: [web.yaml]\n")
        for each in ("prod", "test"):
            _kustomization(f"{side}/{each}", "resources: [../base]\n")
    with pytest.raises(InputError, match="has several kustomizations: ") as caught:
        _check(base="before", head="after")
    assert caught.value.fix == 'name the one that is deployed: paths = ["prod"]'


def _chart(folder: str) -> None:
    place = pathlib.Path(folder, "chart", "templates")
    place.mkdir(parents=True)
    (place.parent / "Chart.yaml").write_text("apiVersion: v2\nname: shop\nversion: 1.0.0\n")
    (place.parent / "values.yaml").write_text("replicas: 1\n")
    (place / "web.yaml").write_text("replicas: {{ .Values.replicas }}\n")


def test_a_chart_is_rendered_with_its_values(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The fake reads the number of replicas from the file of --values, as a chart would.
    script = """
echo "$@" >> "$HELM_LOG"
replicas=$(sed -n 's/replicas: //p' "$5")
printf -- '---\\n# Source: shop/templates/web.yaml\\n'
sed "s/replicas: 3/replicas: $replicas/" "$WEB"
printf -- '---\\n# Source: shop/templates/role.yaml\\napiVersion: rbac.authorization.k8s.io/v1\\n'
printf -- 'kind: ClusterRole\\nmetadata: {name: shop}\\nrules: []\\n'
"""
    _program(folder, "helm", script)
    _on_path(folder, monkeypatch)
    web_text = web(3)
    del web_text["metadata"]["namespace"]
    (folder / "web.txt").write_text(yaml_text.dump(web_text))
    monkeypatch.setenv("WEB", str(folder / "web.txt"))
    monkeypatch.setenv("HELM_LOG", str(folder / "helm.log"))
    for side, replicas in (("before", 2), ("after", 6)):
        _chart(side)
        pathlib.Path(side, "prod.yaml").write_text(f"replicas: {replicas}\n")
    lines = (
        '[cluster]', 'files = ["cluster"]', '[change]', 'base = "before"', 'head = "after"',
        'paths = ["chart"]', '[change.helm]', 'values = ["prod.yaml"]', 'namespace = "shop"',
    )  # fmt: skip
    pathlib.Path("kubestage.toml").write_text("\n".join(lines))
    result = check(options=CheckOptions(rules=("survival=off",)))
    finding = result.findings[0]
    assert finding.subject == "deployment/shop/web"
    assert (finding.file, finding.line) == ("after/chart/templates/web.yaml", None)
    called = (folder / "helm.log").read_text()
    assert called.startswith("template release ")
    assert "--namespace shop" in called


@pytest.mark.parametrize("program", ["kubectl", "helm"])
def test_a_program_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    write("before", web(1))
    if program == "helm":
        _chart("after")
    else:
        _kustomization("after", "resources: []\n")
    monkeypatch.setenv("PATH", "nowhere")
    with pytest.raises(
        InputError, match=f"needs the program {program}, which is not installed"
    ) as caught:
        _check(base="before", head="after")
    assert caught.value.fix is not None
    assert caught.value.fix.startswith(f"install {program}")


def test_a_program_that_fails_is_quoted(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(folder, "helm", "echo 'Error: no values' >&2; exit 3")
    _on_path(folder, monkeypatch)
    _chart("after")
    with pytest.raises(InputError, match="helm template failed: Error: no values"):
        _check(head="after")


def test_an_object_that_the_api_refuses_is_reported_at_its_line() -> None:
    write("before", web(1))
    broken = web(1)
    broken["spec"]["selector"] = {"matchLabels": {"app": "other"}}
    write("after", web(1), broken, file="web.yaml")
    with pytest.raises(InputError) as caught:
        _check(base="before", head="after")
    assert (caught.value.file, caught.value.path) == (
        "after/web.yaml", "spec.template.metadata.labels",
    )  # fmt: skip


def test_hidden_folders_and_files_that_are_no_objects_are_left_out() -> None:
    write("after", web(1))
    write("after/.github/workflows", {"on": "push", "jobs": {}})
    pathlib.Path("after/docker-compose.yaml").write_text("services: {}\n")
    result = _check(head="after")
    assert result.verdict.notes == [
        "after: left out, as they are no objects: after/docker-compose.yaml"
    ]
