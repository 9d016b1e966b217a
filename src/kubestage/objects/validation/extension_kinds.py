"""Which rules judge what extends the API server: the rows of ``rules`` for those kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import (
    admission_policies,
    api_services,
    certificate_requests,
    flow_control,
    priority_levels,
    webhooks,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.validation.field import FieldError

    Rule = Callable[[dict[str, Any]], list[FieldError]]
    UpdateRule = Callable[[dict[str, Any], dict[str, Any]], list[FieldError]]

_ADMISSION: Final = "admissionregistration.k8s.io/v1"
_REGISTRATION: Final = "apiregistration.k8s.io/v1"
_CERTIFICATES: Final = "certificates.k8s.io/v1"
_FLOWS: Final = "flowcontrol.apiserver.k8s.io/v1"

CREATE: Final[dict[tuple[str, str], Rule]] = {
    (_ADMISSION, "MutatingAdmissionPolicy"): admission_policies.validate_mutating_policy,
    (_ADMISSION, "MutatingAdmissionPolicyBinding"): admission_policies.validate_mutating_binding,
    (_ADMISSION, "MutatingWebhookConfiguration"): webhooks.validate_configuration,
    (_ADMISSION, "ValidatingAdmissionPolicy"): admission_policies.validate_validating_policy,
    (_ADMISSION, "ValidatingAdmissionPolicyBinding"): (
        admission_policies.validate_validating_binding
    ),
    (_ADMISSION, "ValidatingWebhookConfiguration"): webhooks.validate_configuration,
    (_REGISTRATION, "APIService"): api_services.validate_api_service,
    (_CERTIFICATES, "CertificateSigningRequest"): certificate_requests.validate_request,
    (_FLOWS, "FlowSchema"): flow_control.validate_flow_schema,
    (_FLOWS, "PriorityLevelConfiguration"): priority_levels.validate_priority_level,
}

UPDATE: Final[dict[tuple[str, str, str], UpdateRule]] = {
    (_ADMISSION, "MutatingAdmissionPolicy", ""): (
        admission_policies.validate_mutating_policy_update
    ),
    (_ADMISSION, "MutatingAdmissionPolicyBinding", ""): (
        admission_policies.validate_mutating_binding_update
    ),
    (_ADMISSION, "MutatingWebhookConfiguration", ""): webhooks.validate_configuration_update,
    (_ADMISSION, "ValidatingAdmissionPolicy", ""): (
        admission_policies.validate_validating_policy_update
    ),
    (_ADMISSION, "ValidatingAdmissionPolicy", "status"): (
        admission_policies.validate_policy_status_update
    ),
    (_ADMISSION, "ValidatingAdmissionPolicyBinding", ""): (
        admission_policies.validate_validating_binding_update
    ),
    (_ADMISSION, "ValidatingWebhookConfiguration", ""): webhooks.validate_configuration_update,
    (_REGISTRATION, "APIService", ""): api_services.validate_api_service_update,
    (_REGISTRATION, "APIService", "status"): api_services.validate_api_service_status_update,
    (_CERTIFICATES, "CertificateSigningRequest", ""): (
        certificate_requests.validate_request_update
    ),
    (_CERTIFICATES, "CertificateSigningRequest", "status"): (
        certificate_requests.validate_request_status_update
    ),
    (_CERTIFICATES, "CertificateSigningRequest", "approval"): (
        certificate_requests.validate_request_approval_update
    ),
    (_FLOWS, "FlowSchema", ""): flow_control.validate_flow_schema_update,
    (_FLOWS, "FlowSchema", "status"): flow_control.validate_status_update,
    (_FLOWS, "PriorityLevelConfiguration", ""): priority_levels.validate_priority_level_update,
    (_FLOWS, "PriorityLevelConfiguration", "status"): flow_control.validate_status_update,
}
