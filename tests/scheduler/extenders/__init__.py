"""A real HTTP server that plays an extender, on a free port of the loopback interface."""
