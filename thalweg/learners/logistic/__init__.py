"""Logistic regression that forgets."""
