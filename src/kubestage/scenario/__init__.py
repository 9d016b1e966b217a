"""KEP-140: a Scenario's events run step by step, with scheduling to the end in each step.

Here belong the resource, the machine that runs it, the ledger that says when nothing more can be
scheduled, the timeline and the strategies for writing it. What schedules, controls and stores is
handed in; files and tables are for others.
"""
