"""The command `thalweg`: one file for each subcommand, and what they share."""
