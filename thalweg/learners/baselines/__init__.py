"""Learners that use labels alone, beside which every other one is shown, and labels as inputs."""
