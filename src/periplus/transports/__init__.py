"""How calls of each kind of source are sent; a module's name is its kind."""
