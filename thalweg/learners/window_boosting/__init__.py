"""Boosting on a sliding window of rows."""
