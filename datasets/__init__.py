"""Where instances come from, and the files that hold instances and plans."""
