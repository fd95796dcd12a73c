"""Text into documents: JSON, YAML, typed fields, faults that name file, object and field."""
