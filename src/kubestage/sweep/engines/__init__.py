"""Who computes the tasks of a sweep: processes of this machine, or a Ray cluster."""
