"""How many warnings are worth collecting."""

from __future__ import annotations

from typing import Final

MOST_RUNES: Final = 4096
"""How many characters all warnings of one answer have before they are cut.

Each has one at least, so that no list of warnings need have more entries than that.
"""

MOST_RUNES_OF_ONE: Final = 256
"""How many characters a warning has that is cut."""
