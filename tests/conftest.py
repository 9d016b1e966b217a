"""How properties are explored: the same examples in every run, unless asked to search on.

``HYPOTHESIS_PROFILE=explore make test`` looks for new counterexamples.
"""

from __future__ import annotations

import os
import signal

import hypothesis
import pytest

from tests.installed import Installed

# For tests of the pytest plugin.
pytest_plugins = ["pytester"]

# A shell starts background jobs deaf to Ctrl-C, and what they start as well; some tests send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_QUIET = (hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large)

hypothesis.settings.register_profile(
    "steady", deadline=None, derandomize=True, database=None, suppress_health_check=_QUIET
)
hypothesis.settings.register_profile(
    "explore", deadline=None, max_examples=1000, suppress_health_check=_QUIET
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in an environment of its own."""
    return Installed(tmp_path_factory.mktemp("installed"))
