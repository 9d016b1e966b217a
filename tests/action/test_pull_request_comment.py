"""The comment on a pull request: one, updated, and only ours."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

import pytest
from tools import pull_request_comment

from tests.action.github import PERSON, FakeGitHub, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

MARKER = "<!-- kubestage check -->"


@pytest.fixture
def github(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGitHub]:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("event.json").write_text(json.dumps({"pull_request": {"number": 7}}))
    with serving() as fake:
        monkeypatch.setenv("GITHUB_API_URL", fake.address)
        monkeypatch.setenv("GITHUB_TOKEN", "secret")
        monkeypatch.setenv("GITHUB_REPOSITORY", "shop/deploy")
        monkeypatch.setenv("GITHUB_EVENT_PATH", "event.json")
        yield fake


def _comment(text: str, *words: str) -> int:
    pathlib.Path("verdict.md").write_text(text, encoding="utf-8")
    return pull_request_comment.main(["--file", "verdict.md", *words])


def test_the_first_verdict_is_a_new_comment(
    github: FakeGitHub, capsys: pytest.CaptureFixture[str]
) -> None:
    github.add("looks good", PERSON)
    assert _comment("## ❌ worse\n") == 0
    assert capsys.readouterr().out == "comment created\n"
    assert [each["body"] for each in github.comments] == ["looks good", f"{MARKER}\n## ❌ worse\n"]
    assert github.tokens == {"Bearer secret"}


def test_later_verdicts_update_that_comment(github: FakeGitHub) -> None:
    for text in ("one", "two", "two"):
        assert _comment(text) == 0
    assert [each["body"] for each in github.comments] == [f"{MARKER}\ntwo"]
    assert [method for method, _ in github.requests] == ["GET", "POST", "GET", "PATCH", "GET"]


def test_it_is_found_among_many_comments(github: FakeGitHub) -> None:
    for number in range(150):
        github.add(f"comment {number}", PERSON)
    github.add(f"{MARKER}\nold")
    assert _comment("new") == 0
    assert github.comments[-1]["body"] == f"{MARKER}\nnew"
    assert len(github.comments) == 151


def test_what_others_wrote_is_never_changed(github: FakeGitHub) -> None:
    github.add(f"{MARKER}\nof a person", PERSON)
    github.add(f"quoted: {MARKER}")
    github.add("<!-- kubestage other -->\nof another check")
    assert _comment("mine") == 0
    assert [each["body"] for each in github.comments][:3] == [
        f"{MARKER}\nof a person",
        f"quoted: {MARKER}",
        "<!-- kubestage other -->\nof another check",
    ]
    assert github.comments[3]["body"] == f"{MARKER}\nmine"


def test_several_checks_have_a_comment_each(github: FakeGitHub) -> None:
    for name in ("prod", "test", "prod"):
        assert _comment(f"of {name}", "--name", name) == 0
    assert [each["body"] for each in github.comments] == [
        "<!-- kubestage prod -->\nof prod",
        "<!-- kubestage test -->\nof test",
    ]


def test_a_long_verdict_is_cut(github: FakeGitHub) -> None:
    assert _comment("x" * 100_000) == 0
    body = github.comments[0]["body"]
    assert len(body) <= 65_536
    assert body.endswith("The rest is in the summary of the job.\n")


def test_a_token_that_must_not_comment_is_a_warning(
    github: FakeGitHub, capsys: pytest.CaptureFixture[str]
) -> None:
    github.refusal = (403, "Resource not accessible by integration")
    assert _comment("text") == 0
    out = capsys.readouterr().out
    assert out.startswith("::warning title=kubestage::the comment was refused (403: ")
    assert "pull-requests: write" in out
    assert "secret" not in out


def test_another_event_has_no_comment(
    github: FakeGitHub, capsys: pytest.CaptureFixture[str]
) -> None:
    pathlib.Path("event.json").write_text(json.dumps({"ref": "refs/heads/main"}))
    assert _comment("text") == 0
    assert capsys.readouterr().out == "no pull request: no comment\n"
    assert github.requests == []


def test_outside_of_actions_it_says_what_is_missing(
    github: FakeGitHub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")
    assert _comment("text") == 2
    assert "GITHUB_TOKEN is not set" in capsys.readouterr().err
    assert github.requests == []
