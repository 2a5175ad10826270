"""Clients of a service: blocking and asynchronous, with retries and batches."""
