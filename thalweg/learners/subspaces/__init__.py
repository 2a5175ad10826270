"""HUWRS: members on random subspaces, weighted by Hellinger distance."""
