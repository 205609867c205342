"""JSON Schema 2020-12 as the catalog keeps it: shared definitions, bounded size, and forms to read."""
