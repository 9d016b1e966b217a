"""Objects written and changed: errors at the line, templates, conflicts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.browser.conftest import Cluster

MAPS = "/api/v1/namespaces/default/configmaps"
HOSTILE = "<img src=x onerror=alert(1)>"


def edit(page: Page, cluster: Cluster, name: str, data: dict[str, str]) -> Locator:
    """Create a ConfigMap, and open it."""
    cluster.call(MAPS, {"metadata": {"name": name}, "data": data})
    page.goto(f"{cluster.address}/ui/#/objects/v1/configmaps?select=default/{name}")
    text = page.get_by_label(f"YAML of default/{name}")
    expect(text).to_have_value(re.compile("kind: ConfigMap"))
    return text


def change(text: Locator, before: str, after: str) -> None:
    assert before in text.input_value()
    text.fill(text.input_value().replace(before, after))


def line_of(text: Locator, words: str) -> int:
    """The line on which these words are."""
    return text.input_value().split(words)[0].count("\n") + 1


def selected(page: Page) -> str:
    found: str = page.evaluate(
        "() => { const it = document.activeElement;"
        " return it.value.slice(it.selectionStart, it.selectionEnd); }"
    )
    return found


def test_an_error_is_shown_at_its_line_as_one_types(page: Page, cluster: Cluster) -> None:
    text = edit(page, cluster, "typed", {"sky": "blue", "sea": "green"})
    change(text, "sky: blue", "sky: [1]")
    marked = page.locator(".line.is-error")
    expect(marked).to_have_count(1)
    expect(marked).to_contain_text("sky: [1]")
    expect(marked.locator(".line-note")).to_have_text("expected a string, got a list")
    expect(page.locator(".numbers .is-error")).to_have_text(str(line_of(text, "sky: [1]")))
    expect(text).to_have_attribute("aria-invalid", "true")
    page.get_by_role("button", name="Line").click()
    assert selected(page) == "sky: [1]"
    change(text, "sky: [1]", "sky: grey")
    expect(marked).to_have_count(0)
    expect(text).to_have_attribute("aria-invalid", "false")


def test_a_text_that_is_no_yaml_is_marked_too(page: Page, cluster: Cluster) -> None:
    text = edit(page, cluster, "broken", {"sky": "blue"})
    change(text, "sky: blue", "sky: blue: grey")
    expect(page.locator(".line.is-error")).to_contain_text("sky: blue: grey")
    expect(page.locator(".problem")).to_contain_text("not valid YAML")


def test_a_refusal_leads_to_its_line(page: Page, cluster: Cluster) -> None:
    text = edit(page, cluster, "refused", {"sky": "blue"})
    change(text, "  name: refused", "  name: refused\n  labels: {a: b c}")
    text.press("Control+s")
    expect(page.locator(".error")).to_contain_text("metadata.labels: Invalid value")
    page.wait_for_function(
        "() => document.activeElement.value?.slice(document.activeElement.selectionStart)"
        ".startsWith('labels: {a: b c}')"
    )
    assert "labels" not in cluster.call(f"{MAPS}/refused")["metadata"]


def write(cluster: Cluster, name: str, data: dict[str, str]) -> None:
    """Somebody else writes."""
    cluster.call(f"{MAPS}/{name}", {"metadata": {"name": name}, "data": data}, "PUT")


def test_changes_of_two_people_are_joined(page: Page, cluster: Cluster) -> None:
    text = edit(page, cluster, "shared", {"a": "one", "m": "one", "z": "one"})
    write(cluster, "shared", {"a": "two", "m": "one", "z": "one"})
    change(text, "z: one", "z: three")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Somebody else has changed it")).to_be_visible()
    theirs = page.get_by_role("group", name="What they changed")
    expect(theirs.locator("ins").filter(has_text="a: two")).to_be_visible()
    assert "z: three" in text.input_value()
    page.get_by_role("button", name="Use both changes").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Applied.")).to_be_visible()
    assert cluster.call(f"{MAPS}/shared")["data"] == {"a": "two", "m": "one", "z": "three"}


def test_of_two_changes_of_one_line_the_user_chooses(page: Page, cluster: Cluster) -> None:
    text = edit(page, cluster, "fought", {"a": "one"})
    write(cluster, "fought", {"a": "two"})
    change(text, "a: one", "a: three")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("You have both changed the same lines")).to_be_visible()
    expect(page.get_by_role("button", name="Use both changes")).to_have_count(0)
    page.get_by_role("button", name="Keep mine").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Applied.")).to_be_visible()
    assert cluster.call(f"{MAPS}/fought")["data"] == {"a": "three"}


def test_an_object_is_created_from_a_template(page: Page, cluster: Cluster) -> None:
    page.goto(f"{cluster.address}/ui/#/objects/v1/configmaps")
    page.get_by_role("button", name="New…").click()
    text = page.get_by_label("YAML of a new ConfigMap")
    expect(text).to_be_focused()
    change(text, "name: web", "name: made")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("heading", name="ConfigMap default/made")).to_be_visible()
    assert cluster.call(f"{MAPS}/made")["data"] == {"key": "value"}


def test_several_documents_are_pasted_and_one_is_wrong(page: Page, cluster: Cluster) -> None:
    page.goto(f"{cluster.address}/ui/#/objects/v1/configmaps?new=1")
    one = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\n"
    text = page.get_by_label("YAML of a new ConfigMap")
    text.fill(one % "p-1" + "---\n" + one % "p-2" + "dato: {}\n")
    page.get_by_role("button", name="Create 2 objects").click()
    expect(page.locator(".line.is-error")).to_contain_text("dato: {}")
    assert {"p-1", "p-2"}.isdisjoint(names(cluster)), "nothing is created while something is wrong"
    change(text, "dato: {}", "data: {}")
    page.get_by_role("button", name="Create 2 objects").click()
    expect(page.locator(".list")).to_contain_text("p-2")
    assert {"p-1", "p-2"} <= names(cluster)


def names(cluster: Cluster) -> set[str]:
    return {each["metadata"]["name"] for each in cluster.call(MAPS)["items"]}


def test_every_template_is_valid(page: Page, cluster: Cluster) -> None:
    page.goto(f"{cluster.address}/ui/css/page.css")
    found: dict[str, Any] = page.evaluate("""async () => {
      const { KINDS, template } = await import("/ui/js/objects/templates.js");
      const { resources } = await import("/ui/js/objects/discovery.js");
      const { ofManifests } = await import("/ui/js/text/checking.js");
      const known = await resources();
      const answers = {};
      for (const plural of KINDS) {
        const resource = known.find((each) => each.plural === plural);
        const check = ofManifests("apply");
        const text = resource && template(resource).replace("  name: web", "  name: new-web");
        answers[plural] = text ? (await check(text)).problems : "not served";
      }
      return answers;
    }""")
    wrong = {
        kind: problems
        for kind, problems in found.items()
        if problems == "not served" or any(each["level"] == "error" for each in problems)
    }
    assert len(found) > 20
    assert not wrong


def test_owned_objects_may_stay_when_their_owner_is_deleted(
    page: Page, own_cluster: Cluster
) -> None:
    page.goto(f"{own_cluster.address}/ui/#/objects/apps/v1/deployments?new=1")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("heading", name="Deployment default/web")).to_be_visible()
    page.get_by_role("button", name="Delete…").click()
    page.get_by_label("Objects that it owns").select_option("Orphan")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator(".list")).to_contain_text("There is no Deployment")
    sets = own_cluster.call("/apis/apps/v1/namespaces/default/replicasets")["items"]
    assert len(sets) == 1


def test_tab_indents_and_escape_leaves(page: Page, cluster: Cluster) -> None:
    text = edit(page, cluster, "tabbed", {"sky": "blue"})
    text.fill("a:")
    text.press("End")
    text.press("Enter")
    page.keyboard.type("b: 1")
    assert text.input_value() == "a:\n  b: 1"
    text.press("Tab")
    text.press("Shift+Tab")
    assert text.input_value().startswith("a:\nb: 1")
    text.press("Escape")
    expect(text).not_to_be_focused()
    before = text.input_value()
    page.keyboard.press("Tab")
    assert text.input_value() == before
    expect(text).not_to_be_focused()


def test_text_of_the_cluster_is_never_markup(page: Page, cluster: Cluster) -> None:
    text = edit(page, cluster, "hostile", {"sky": HOSTILE})
    expect(page.locator(".colours")).to_contain_text(HOSTILE)
    change(text, HOSTILE, f"[{HOSTILE}]")
    expect(page.locator(".line.is-error")).to_contain_text(HOSTILE)
    change(text, "kind: ConfigMap", f'kind: "{HOSTILE}"')
    expect(page.locator(".problem")).to_contain_text(HOSTILE)
    assert page.locator("#objects img").count() == 0


def test_of_a_long_text_only_what_is_in_sight_is_drawn(page: Page, cluster: Cluster) -> None:
    text = edit(page, cluster, "long", {f"key-{number:04}": "value" for number in range(2000)})
    expect(page.locator(".colours .line").first).to_be_visible()
    assert page.locator(".colours .line").count() < 100
    text.evaluate("(it) => { it.scrollTop = 1e9; }")
    expect(page.locator(".colours")).to_contain_text("kind: ConfigMap")
    assert page.locator(".colours .line").count() < 100
