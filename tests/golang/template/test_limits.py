"""Templates that would take too many steps, or make too much."""

from __future__ import annotations

import pytest

from kubestage.golang import template as gotemplate
from kubestage.golang.template import TemplateError, TemplateLimitError, sprig
from kubestage.golang.template.limits import GENERAL, Limits

SMALL = Limits(steps=20_000, made=1 << 20, written=1 << 18)
_SHARED = "{{ $x := %s }}{{ range 60 }}{{ $x = %s }}{{ end }}"
_LISTS = _SHARED % ("list 1", "list $x $x")
_MAPS = _SHARED % ("dict", 'dict "a" $x "b" $x')
_ITSELF = '{{ $x := dict }}{{ $_ := set $x "a" $x }}'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{{ repeat 2000000000 "abcdefgh" }}', "error calling repeat: a template may make values"),
        ("{{ range 1000000000 }}{{ end }}", "a template may take 20,000 steps"),
        ("{{ range until 1000000000 }}{{ end }}", "error calling until"),
        ("{{ untilStep 0 2000000000 1 }}", "error calling untilStep"),
        ("{{ seq 1 2000000000 }}", "error calling seq"),
        ('{{ indent 2000000000 "a" }}', "error calling indent"),
        ('{{ nindent 1000 (repeat 2000 "\\n") }}', "error calling nindent"),
        ('{{ printf "%1000000d%1000000d" 1 2 }}', "error calling printf"),
        ('{{ printf "%100000d" (until 100) }}', "error calling printf"),
        ('{{ printf "%.1000000f %.1000000f" 1.0 1.0 }}', "error calling printf"),
        ('{{ replace "" (repeat 2000 "a") (repeat 2000 "a") }}', "error calling replace"),
        ('{{ join (repeat 2000 "a") (until 2000) }}', "error calling join"),
        ('{{ split "" (repeat 100000 "a") }}', "error calling split"),
        ('{{ regexReplaceAll "(a+)" (repeat 900 "a") (repeat 2000 "$1") }}', "regexReplaceAll"),
        ('{{ regexFindAll "a" (repeat 60000 "a") -1 }}', "error calling regexFindAll"),
        ("{{ uniq (until 1000) }}", "error calling uniq: a template may take"),
        (_LISTS + "{{ $x }}", "a template may take"),
        (_LISTS + "{{ toJson $x }}", "error calling toJson"),
        (_LISTS + '{{ printf "%v" $x }}', "error calling printf"),
        (_LISTS + "{{ has $x (list 1 2) }}{{ has $x (list $x) }}", "error calling has"),
        (_MAPS + "{{ $x }}", "a template may take"),
        (_MAPS + _MAPS.replace("$x", "$y") + "{{ merge $x $y }}", "error calling merge"),
        (_MAPS + "{{ deepCopy $x }}", "error calling deepCopy"),
        (_ITSELF + "{{ $x }}", "a template may use values of 200 levels"),
        (_ITSELF + "{{ toPrettyJson $x }}", "200 levels"),
        ('{{ $x := "a" }}{{ range 60 }}{{ $x = print $x $x }}{{ end }}', "error calling print"),
        ("{{ $x := list 1 }}{{ range 60 }}{{ $x = concat $x $x }}{{ end }}", "concat"),
        ('{{ range 3000 }}{{ "0123456789012345678901234567890123456789" }}{{ end }}', None),
        ("{{ range 5000 }}" + "x" * 100 + "{{ end }}", "a template may write 0 MiB"),
        ('{{ $s := repeat 100000 "a" }}{{ range 9 }}{{ contains "b" $s }}{{ end }}', "contains"),
        ("{{ range 9 }}" * 9 + "{{ end }}" * 9, "a template may take"),
        ('{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}', "template depth"),
        ('{{ fromJson (repeat 10000 "[") }}', "nested too deeply"),
    ],
)
def test_a_template_beyond_its_limits_is_an_error(text: str, problem: str | None) -> None:
    template = gotemplate.parse(text, "t", sprig.FUNCTIONS)
    if problem is None:
        template.execute({}, limits=SMALL)
        return
    with pytest.raises(TemplateLimitError, match=problem) as refused:
        template.execute({}, limits=SMALL)
    assert str(refused.value).startswith("template: t")


@pytest.mark.parametrize(
    "text",
    [
        "{{" + "(" * 101 + "1" + ")" * 101 + "}}",
        "{{if 1}}" * 101 + "{{end}}" * 101,
        "{{if 1}}" + "{{else if 1}}" * 300 + "{{end}}",
        "{{with 1}}" * 5000,
    ],
)
def test_nesting_is_counted_when_a_template_is_read(text: str) -> None:
    with pytest.raises(TemplateError, match="max expression depth exceeded"):
        gotemplate.parse(text)


def test_usual_nesting_is_read_and_run() -> None:
    text = "{{if 1}}" * 60 + "{{" + "(" * 30 + "1" + ")" * 30 + "}}" + "{{end}}" * 60
    assert gotemplate.parse(text).execute({}) == "1"


def test_steps_do_not_depend_on_what_ran_before() -> None:
    template = gotemplate.parse("{{ range 1000 }}{{ add 1 2 }}{{ end }}", "t", sprig.FUNCTIONS)

    def least() -> int:
        low, high = 1, GENERAL.steps
        while low < high:
            middle = (low + high) // 2
            try:
                template.execute({}, limits=GENERAL._replace(steps=middle))
                high = middle
            except TemplateLimitError:
                low = middle + 1
        return low

    assert least() == least() == 6_003
