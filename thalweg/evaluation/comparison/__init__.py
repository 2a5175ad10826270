"""Several learners on several streams: runs, ranks, tests, and the search for parameters."""
