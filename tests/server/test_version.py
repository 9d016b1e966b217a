from __future__ import annotations

import re

from kubestage.server import version


def test_the_version_is_one_that_clients_can_parse_and_compare() -> None:
    body = version.document()
    assert (body["major"], body["minor"]) == ("1", "36")
    # What follows the plus sign takes no part in comparisons of versions.
    assert re.fullmatch(r"v1\.36\.4\+kubestage\.[0-9A-Za-z.-]+", body["gitVersion"])
    assert all(isinstance(value, str) for value in body.values())
