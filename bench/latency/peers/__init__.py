"""Programs that run in the environment of the benchmark."""
