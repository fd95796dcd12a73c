"""Documents into records: one file a kind of API object, or a part of one."""
