"""ValidatingWebhookConfiguration: webhooks that may refuse a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.store.admission.webhook import calls

if TYPE_CHECKING:
    from kubestage.store.admission.attributes import Attributes
    from kubestage.store.core import Core

KIND: Final = "ValidatingWebhookConfiguration"


def check(core: Core, attributes: Attributes) -> None:
    """Refuse a request that a webhook does not allow."""
    for name, hook in calls.hooks(core, KIND):
        called = calls.invocation(core, name, hook, attributes)
        if called is not None:
            calls.answer_of(attributes, called, is_mutating=False)
