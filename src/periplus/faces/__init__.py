"""The published protocols, each a face over the core: parse, call verbs, render. Strangers to one another."""
