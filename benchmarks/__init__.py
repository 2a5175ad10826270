"""Speed and accuracy against the peers, in one run."""
