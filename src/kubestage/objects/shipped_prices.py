"""Price catalogs that come with kubestage; ``tools/price_catalog.py`` writes them."""

from __future__ import annotations

import functools
import importlib.resources
from typing import TYPE_CHECKING, Final

from kubestage.objects import price_tables

if TYPE_CHECKING:
    from kubestage.aliases import Json

_DATA: Final = "kubestage.objects.data"
_PLACES: Final[dict[str, Json]] = {
    # Public tables have no spot prices. This share is a usual one, not one of AWS.
    "aws-us-east-1": {
        "region": "us-east-1",
        "zones": ["us-east-1a", "us-east-1b", "us-east-1c"],
        "spotPriceShare": 0.4,
    },
}


@functools.cache
def names() -> tuple[str, ...]:
    """The names of the catalogs."""
    files = (each.name for each in importlib.resources.files(_DATA).iterdir())
    return tuple(sorted(name.removesuffix(".csv") for name in files if name.endswith(".csv")))


@functools.cache
def spec(name: str) -> Json:
    """The spec of a catalog's object, shared: for reading only."""
    data = importlib.resources.files(_DATA).joinpath(f"{name}.csv")
    return {**price_tables.read(data.read_text(), name), **_PLACES.get(name, {})}
