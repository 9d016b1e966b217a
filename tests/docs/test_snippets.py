"""Every Python snippet of the guides runs, and prints what its comment says."""

from __future__ import annotations

import contextlib
import doctest
import io
import pathlib
import re
import sys
import types

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"])
BLOCK = re.compile(r"^```(?:python|pycon)\n(.*?)^```", re.DOTALL | re.MULTILINE)
PROMISE = re.compile(r"^print\(.*\)\s+# (.*)$", re.MULTILINE)


def _snippets(page: pathlib.Path) -> list[str]:
    return BLOCK.findall(page.read_text())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_snippets_of_a_page_run_one_after_the_other(
    page: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide = types.ModuleType("guide")
    monkeypatch.setitem(sys.modules, "guide", guide)
    with contextlib.chdir(tmp_path):
        for snippet in _snippets(page):
            if ">>>" in snippet:
                continue
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(snippet, page.name, "exec"), vars(guide))
            for promise in PROMISE.findall(snippet):
                assert promise in printed.getvalue()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_dialogues_of_a_page_go_as_written(page: pathlib.Path) -> None:
    dialogue = "\n".join(snippet for snippet in _snippets(page) if ">>>" in snippet)
    examples = doctest.DocTestParser().get_doctest(dialogue, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    report = io.StringIO()
    runner.run(examples, out=report.write)
    assert not report.getvalue()


def test_there_are_snippets_to_run() -> None:
    assert sum(len(_snippets(page)) for page in PAGES) > 10
