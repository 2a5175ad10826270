"""What several tests use: rows, learners, processes, places."""
