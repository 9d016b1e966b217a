"""The whole cluster: nodes added, exported, emptied, imported; settings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.deadlines import until

if TYPE_CHECKING:
    import pathlib

    from playwright.sync_api import Page

    from tests.browser.conftest import Cluster

HOSTILE = "<img src=x onerror=alert(1)>"


def names(cluster: Cluster, path: str = "/api/v1/nodes") -> list[str]:
    return sorted(each["metadata"]["name"] for each in cluster.call(path)["items"])


def test_a_cluster_is_exported_emptied_and_imported(
    page: Page, own_cluster: Cluster, tmp_path: pathlib.Path
) -> None:
    own_cluster.create_pod("web")
    until(lambda: "nodeName" in own_cluster.call("/api/v1/namespaces/default/pods/web")["spec"])
    page.goto(f"{own_cluster.address}/ui/#/cluster")
    with page.expect_download() as saved:
        page.get_by_role("button", name="YAML").click()
    file = tmp_path / saved.value.suggested_filename
    saved.value.save_as(file)
    page.get_by_role("button", name="Reset…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("4 nodes, 1 pods")
    dialog.get_by_role("button", name="Cancel").click()
    assert len(names(own_cluster)) == 4
    page.get_by_role("button", name="Reset…").click()
    dialog.get_by_role("button", name="Empty it").click()
    expect(page.get_by_role("region", name="Reset").get_by_role("status")).to_contain_text(
        "removed"
    )
    assert names(own_cluster) == []
    page.get_by_label("File").set_input_files(file)
    status = page.get_by_role("region", name="Import").get_by_role("status")
    expect(status).to_contain_text("4 Node")
    assert names(own_cluster) == [f"node-{number}" for number in range(4)]
    assert own_cluster.call("/api/v1/namespaces/default/pods/web")["spec"]["nodeName"]


def test_an_import_that_is_refused_names_the_place(
    page: Page, cluster: Cluster, tmp_path: pathlib.Path
) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": HOSTILE}, "spec": {}}
    file = tmp_path / "bad.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod]}))
    page.goto(f"{cluster.address}/ui/#/cluster")
    page.get_by_label("File").set_input_files(file)
    status = page.get_by_role("region", name="Import").get_by_role("status")
    expect(status).to_contain_text("bad.json: nothing was imported. items[0]")
    expect(status).to_contain_text(HOSTILE)
    assert page.locator("#cluster img").count() == 0


def test_what_is_there_is_replaced_after_a_question(
    page: Page, own_cluster: Cluster, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "one.yaml"
    file.write_text("apiVersion: v1\nkind: Node\nmetadata: {name: only}\n")
    page.goto(f"{own_cluster.address}/ui/#/cluster")
    page.get_by_label("What is there").select_option("replace")
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.get_by_label("File").set_input_files(file)
    assert len(names(own_cluster)) == 4
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_label("File").set_input_files([])
    page.get_by_label("File").set_input_files(file)
    until(lambda: names(own_cluster) == ["only"])


def test_a_dropped_file_is_imported(page: Page, own_cluster: Cluster) -> None:
    page.goto(f"{own_cluster.address}/ui/#/cluster")
    box = page.get_by_role("region", name="Import")
    box.evaluate("""(it) => {
      const data = new DataTransfer();
      const text = "apiVersion: v1\\nkind: Node\\nmetadata: {name: dropped}\\n";
      data.items.add(new File([text], "nodes.yaml"));
      const how = { dataTransfer: data, bubbles: true, cancelable: true };
      it.dispatchEvent(new DragEvent("drop", how));
    }""")
    expect(box.get_by_role("status")).to_contain_text("nodes.yaml: 1 objects imported")
    assert "dropped" in names(own_cluster)


def test_the_export_of_the_simulator_has_its_form(page: Page, cluster: Cluster) -> None:
    page.goto(f"{cluster.address}/ui/#/cluster")
    with page.expect_download() as saved:
        page.get_by_role("button", name="kube-scheduler-simulator").click()
    found = json.loads(saved.value.path().read_text())
    assert {"nodes", "pods", "schedulerConfig"} <= set(found)


def test_nodes_are_added_beside_those_that_are_there(page: Page, own_cluster: Cluster) -> None:
    page.goto(f"{own_cluster.address}/ui/#/cluster")
    page.get_by_label("How many").fill("2")
    page.get_by_label("CPU").fill("16")
    page.get_by_role("button", name="Add nodes").click()
    expect(page.get_by_text("2 of 2 added.")).to_be_visible()
    assert names(own_cluster) == [f"node-{number}" for number in range(6)]
    assert own_cluster.call("/api/v1/nodes/node-5")["status"]["allocatable"]["cpu"] == "16"
    page.get_by_label("CPU").fill("many")
    page.get_by_role("button", name="Add nodes").click()
    expect(page.get_by_role("region", name="Add nodes").get_by_role("status")).to_contain_text(
        "quantit"
    )


def test_settings_are_changed(page: Page, own_cluster: Cluster) -> None:
    page.goto(f"{own_cluster.address}/ui/#/cluster")
    page.get_by_label("Kept of each attempt").select_option("full")
    expect(page.get_by_text("Changed.")).to_be_visible()
    page.get_by_label("results as annotations").check()
    until(lambda: own_cluster.call("/kubestage/v1/settings")["resultAnnotations"])
    assert own_cluster.call("/kubestage/v1/settings")["detail"] == "full"
    page.reload()
    expect(page.get_by_label("Kept of each attempt")).to_have_value("full")
