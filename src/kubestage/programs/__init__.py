"""What simulated containers run, as far as it is modelled.

A program is found by a container's image, command and arguments. It prints, writes files, waits in
virtual time, serves requests and ends, all by itself: no real process, shell or file is involved.
What is not known here is not modelled, and says so by `Unmodelled`: a container that runs it
behaves as its annotations and the kubelet's settings say.

Here belong the environment and files that a container has, a small shell with its commands, and
the test image agnhost. Not here: when containers start, are probed and restarted, which is the
kubelet's work.
"""
