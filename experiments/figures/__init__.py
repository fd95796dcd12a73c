"""The figures of the benchmark: one file a subject, one function a figure."""
