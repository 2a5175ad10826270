"""Logistic regression tracked by a particle filter."""
