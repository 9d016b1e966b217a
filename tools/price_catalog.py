"""Write a price catalog of the package from a table of AWS instance types.

Run ``python tools/price_catalog.py TABLE.csv > src/kubestage/objects/data/NAME.csv``; the columns
of the table are in ``kubestage.runs.inputs.aws_tables``. Types without a price are left out.
"""

from __future__ import annotations

import pathlib
import sys

from kubestage.runs.inputs import aws_tables

if __name__ == "__main__":
    table = pathlib.Path(sys.argv[1])
    print(aws_tables.convert(table.read_text(), table.name)[0], end="")
