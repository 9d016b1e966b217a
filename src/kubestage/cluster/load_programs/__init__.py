"""Programs in pods that call the API: writers, listers, informers, users of tokens.

Configurations of ClusterLoader2 start pods whose programs are the load. Here belong the models of
these programs, read from the container's image, command and arguments, and the loop that runs
them while their pods run. What their calls cost belongs to the control plane, in the folder above.
"""
