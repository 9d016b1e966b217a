"""Which rules judge what connects pods: the rows of ``rules`` for services and their kin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import (
    endpoint_slices,
    endpoints,
    ingress_classes,
    ingresses,
    network_policies,
    service_cidrs,
    services,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.validation.field import FieldError

    Rule = Callable[[dict[str, Any]], list[FieldError]]
    UpdateRule = Callable[[dict[str, Any], dict[str, Any]], list[FieldError]]

_NETWORKING: Final = "networking.k8s.io/v1"
_DISCOVERY: Final = "discovery.k8s.io/v1"

CREATE: Final[dict[tuple[str, str], Rule]] = {
    ("v1", "Service"): services.validate_service,
    ("v1", "Endpoints"): endpoints.validate_endpoints,
    (_DISCOVERY, "EndpointSlice"): endpoint_slices.validate_endpoint_slice,
    (_NETWORKING, "Ingress"): ingresses.validate_ingress,
    (_NETWORKING, "IngressClass"): ingress_classes.validate_ingress_class,
    (_NETWORKING, "NetworkPolicy"): network_policies.validate_network_policy,
    (_NETWORKING, "IPAddress"): service_cidrs.validate_ip_address,
    (_NETWORKING, "ServiceCIDR"): service_cidrs.validate_service_cidr,
}

UPDATE: Final[dict[tuple[str, str, str], UpdateRule]] = {
    ("v1", "Service", ""): services.validate_service_update,
    ("v1", "Service", "status"): services.validate_service_status_update,
    ("v1", "Endpoints", ""): endpoints.validate_endpoints_update,
    (_DISCOVERY, "EndpointSlice", ""): endpoint_slices.validate_endpoint_slice_update,
    (_NETWORKING, "Ingress", ""): ingresses.validate_ingress_update,
    (_NETWORKING, "Ingress", "status"): ingresses.validate_ingress_status_update,
    (_NETWORKING, "IngressClass", ""): ingress_classes.validate_ingress_class_update,
    (_NETWORKING, "NetworkPolicy", ""): network_policies.validate_network_policy_update,
    (_NETWORKING, "IPAddress", ""): service_cidrs.validate_ip_address_update,
    (_NETWORKING, "ServiceCIDR", ""): service_cidrs.validate_service_cidr_update,
    (_NETWORKING, "ServiceCIDR", "status"): service_cidrs.validate_service_cidr_status_update,
}
