"""A crew: worker processes that keep what they were told and run functions by name.

``crew`` is the side of the process that asks, ``member`` that of the process that works, ``desk``
what a job sees of it.
"""
