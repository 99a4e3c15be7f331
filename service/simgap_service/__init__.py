"""HTTP over the workers: the service and the command line."""
