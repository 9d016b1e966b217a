"""A cluster as a load and its measurements see it: calls, watches, raw pages and the time.

Here belong the port that a stage and a real cluster share, the limits of the clients that call
through it, and the model of a control plane that makes calls to a stage take as long as calls to
a cluster do. Which calls are made, and what their answers mean, belongs to load and measure; HTTP
to a real cluster belongs to remote.
"""
