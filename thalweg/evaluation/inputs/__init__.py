"""How much each input counts, over time."""
