"""What a live model shows of itself over time: accuracy, delays, drift, members, traffic."""
