"""What many runs say together: means, differences, verdicts, and how many more seeds decide.

Belongs here: pure functions from a `Table` to figures. They read no file and draw no chart.
``docs/sweep-statistics.md`` states every procedure in words.
"""
