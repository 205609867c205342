"""Arguments as models write them: what a tool does not define, what nobody filled in, what only looks wrong."""
