"""Dependencies of a load: what is set up before its first step and taken down after its last.

Here belong the contract of a dependency, the table of those that there are, and the run that sets
them up one after another. On a stage a dependency leaves what the real program would leave in the
cluster; on a real cluster no program is installed.
"""
