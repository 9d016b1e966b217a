"""The table of API types: shapes, names and markers."""

from __future__ import annotations

from kubestage.objects import schema
from kubestage.objects.schema import Form


def test_every_type_of_the_table_can_be_read() -> None:
    for name in schema.names():
        if schema.type_of(name).form is Form.STRUCT:
            assert schema.struct(name).name == name


def test_fields_keep_their_order_and_embedded_ones_are_flattened_by_json_name() -> None:
    probe = schema.struct("core/v1.Probe")
    assert [field.go_name for field in probe.fields][:2] == ["ProbeHandler", "InitialDelaySeconds"]
    assert list(probe.by_json)[:4] == ["exec", "httpGet", "tcpSocket", "grpc"]


def test_patch_markers_are_read() -> None:
    volumes = schema.struct("core/v1.PodSpec").by_json["volumes"]
    assert volumes.patch_strategies == ("merge", "retainKeys")
    assert volumes.patch_merge_key == "name"
    assert (volumes.list_type, volumes.list_map_keys) == ("map", ("name",))
    ports = schema.struct("core/v1.ServiceSpec").by_json["ports"]
    assert ports.list_map_keys == ("port", "protocol")


def test_types_are_seen_through_names_pointers_lists_and_maps() -> None:
    fields = schema.struct("core/v1.PodSpec").by_json
    grace = fields["terminationGracePeriodSeconds"].type
    assert (grace.form, grace.bare.form) == (Form.POINTER, Form.INTEGER)
    assert fields["restartPolicy"].type.form is Form.STRING
    containers = fields["containers"].type
    assert containers.element is not None
    assert containers.element.struct.name == "core/v1.Container"
    requests = schema.struct("core/v1.ResourceRequirements").by_json["requests"].type
    assert requests.form is Form.MAP
    assert requests.element is not None
    assert requests.element.form is Form.OPAQUE
    assert schema.struct("core/v1.Secret").by_json["data"].type.element is schema.type_of("[]byte")


def test_a_kind_leads_to_its_struct_and_an_unknown_one_to_none() -> None:
    found = schema.kind_struct("autoscaling.k8s.io/v1", "VerticalPodAutoscaler")
    assert found is not None
    assert found.name == "vpa/v1.VerticalPodAutoscaler"
    assert schema.kind_struct("example.com/v1", "Widget") is None


def test_go_prints_types_with_the_last_part_of_their_package() -> None:
    assert schema.go_package_name("core/v1.PodSpec") == "v1.PodSpec"
    assert schema.go_package_name("resource.Quantity") == "resource.Quantity"
