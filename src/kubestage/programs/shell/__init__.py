"""A small shell: scripts are parsed, compiled to instructions, and run by a machine that can wait.

Instructions and the state of a machine are plain values, so that a stage with running containers
can be copied and stored. What is not understood is `Unmodelled`.
"""
