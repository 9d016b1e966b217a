"""The shell: what scripts print, how they end, when they wait."""

from __future__ import annotations

import pickle

import pytest

from kubestage.errors import Unmodelled
from kubestage.programs import running
from kubestage.units import SECOND_NS
from tests.programs.programs import printed, shell, started


@pytest.mark.parametrize(
    ("script", "output", "code"),
    [
        ("exit 42", "", 42),
        ("echo x; exit 3", "x\n", 3),
        ("false", "", 1),
        ("false || echo b && echo c", "b\nc\n", 0),
        ("! true", "", 1),
        ("if [ $A = 1 ]; then echo one; elif false; then :; else echo other; fi", "one\n", 0),
        ("for i in 1 2 3; do [ $i = 2 ] && continue; echo $i; done", "1\n3\n", 0),
        ("i=0; while [ $i -lt 9 ]; do i=$((i+1)); [ $i -eq 3 ] && break; done; echo $i", "3\n", 0),
        ("case $A in 2|3) echo no;; 1) echo yes;; esac", "yes\n", 0),
        ("echo \"$A  $B\" '$A' $B ${B:-none} ${A:+set} ${#A}", "1   $A none set 1\n", 0),
        ("x=a.tar.gz; echo ${x%.*} ${x%%.*} ${x#*.}", "a.tar a tar.gz\n", 0),
        ("f() { echo $1; return 4; }; f hello; echo $?", "hello\n4\n", 0),
        ("(A=2; cd /tmp; echo $A); echo $A; pwd", "2\n1\n/\n", 0),
        ("echo b a | tr ' ' '\\n' | sort", "a\nb\n", 0),
        ("echo hi > /tmp/f; echo ho >> /tmp/f; cat /tmp/f; wc -l < /tmp/f", "hi\nho\n2\n", 0),
        ("set -e; false; echo no", "", 1),
        ("set -e; false || true; if false; then :; fi; echo yes", "yes\n", 0),
        ("trap 'echo bye' EXIT; exit 7", "bye\n", 7),
        ("echo $(expr 5 % 3) $((2 * (3 + 4))) $((7 / 2 == 3))", "2 14 1\n", 0),
        ("printf '%s=%d\\n' a 1 b 2", "a=1\nb=2\n", 0),
        ("touch /tmp/b /tmp/a; cd /tmp; echo *; echo '*'", "a b\n*\n", 0),
        ("cat /tmp/none 2>/dev/null || echo none", "none\n", 0),
        ("echo test > /none/x", "sh: can't create /none/x: nonexistent directory\n", 1),
        ("exec echo gone; echo never", "gone\n", 0),
        ("sed 's/a\\(b*\\)/[\\1]/g' /tmp/f; echo abb | sed 's/b/x/'", None, 0),
        ("# nothing\n\necho a # more\n", "a\n", 0),
    ],
)
def test_a_script_prints_and_ends(script: str, output: str | None, code: int) -> None:
    process = shell(script, A="1")
    assert process.unmodelled == ""
    assert process.machine.exit_code == code
    if output is not None:
        assert printed(process) == output


def test_time_passes_only_where_a_script_sleeps() -> None:
    process = shell("echo a; sleep 10; echo b; sleep 1m; echo c", 30)
    assert [(each.now_ns, each.data) for each in process.log] == [
        (0, b"a\n"),
        (10 * SECOND_NS, b"b\n"),
    ]
    assert process.due_ns == 70 * SECOND_NS
    process.advance(100 * SECOND_NS)
    assert (process.ended_ns, process.exit_code) == (70 * SECOND_NS, 0)


def test_a_loop_without_end_is_computed_only_when_somebody_looks() -> None:
    process = shell("i=0; while true; do echo $i; i=$((i+1)); sleep 1; done")
    assert process.due_ns is None
    process.advance(4 * SECOND_NS)
    assert printed(process) == "0\n1\n2\n3\n4\n"


def test_a_loop_that_waits_for_something_is_followed_but_not_for_ever() -> None:
    process = shell("until [ -f /tmp/ready ]; do sleep 1; done; echo go")
    assert process.due_ns == SECOND_NS
    process.execute(["touch", "/tmp/ready"], None, SECOND_NS // 2)
    process.advance(SECOND_NS)
    assert (printed(process), process.is_over) == ("go\n", True)
    process = shell("until [ -f /tmp/ready ]; do sleep 1; done")
    process.visits = 10**6
    assert process.due_ns is None


def test_a_loop_that_never_waits_does_not_hang_the_stage() -> None:
    process = shell("while :; do :; done")
    assert not process.is_over
    assert process.due_ns is None


def test_signals_reach_a_trap_after_the_command_that_runs() -> None:
    process = shell("trap 'echo bye; sleep 5; exit 9' TERM; while true; do sleep 2; done", 3)
    assert process.signal("TERM", 3 * SECOND_NS)
    process.advance(60 * SECOND_NS)
    assert (process.ended_ns, process.exit_code) == (9 * SECOND_NS, 9)
    assert not shell("while true; do sleep 2; done").signal("TERM", 0)


def test_background_jobs_are_waited_for() -> None:
    process = shell("(sleep 3; echo job) & echo first; wait; echo last", 10)
    assert printed(process) == "first\njob\nlast\n"
    assert process.ended_ns == 3 * SECOND_NS


@pytest.mark.parametrize(
    "script",
    [
        "frobnicate", "echo a; if true; then frobnicate; fi", "echo $(frobnicate)", "(echo a",
        "cat <<EOF\na\nEOF", "echo 'a", "((i++))", "for", "echo a | while read x; do echo $x; done",
    ],
)  # fmt: skip
def test_a_script_with_anything_unknown_is_not_run_at_all(script: str) -> None:
    with pytest.raises(Unmodelled):
        running.code_of(("sh", "-c", script))


@pytest.mark.parametrize("script", ["cat /usr/share/x", "ls -Z /tmp", "sleep 1 | cat", "kill 77"])
def test_what_turns_out_unknown_ends_the_model(script: str) -> None:
    process = shell(script)
    assert process.unmodelled
    assert not process.is_over


def test_a_running_program_can_be_stored_and_goes_on() -> None:
    process = shell("for i in 1 2; do echo $i > /tmp/f; sleep 2; done; cat /tmp/f", 1)
    copied = pickle.loads(pickle.dumps(process))
    copied.advance(10 * SECOND_NS)
    assert (printed(copied), copied.ended_ns) == ("2\n", 4 * SECOND_NS)
    assert not process.is_over


def test_words_without_a_shell_are_taken_as_they_are() -> None:
    assert printed(started("echo", "$A", "a  b", A="1")) == "$A a  b\n"
    assert started("/bin/false").exit_code == 1


def test_a_traced_script_shows_its_commands() -> None:
    process = started("sh", "-x", "-c", "echo 'a b' | cat; set +x; echo $1", "name", "one")
    assert printed(process).splitlines() == ["+ echo 'a b'", "+ cat", "a b", "+ set +x", "one"]


def test_only_privileged_containers_add_links() -> None:
    process = shell("ip link add dummy0 type dummy || echo $?")
    assert printed(process) == "ip: RTNETLINK answers: Operation not permitted\n2\n"
