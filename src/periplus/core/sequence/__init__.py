"""Several calls as one: references between them, the plan of their steps, and the values they leave behind."""
