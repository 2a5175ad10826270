"""Parts of dates, and the names of their inputs."""

PARTS = ("elapsed", "time", "weekday", "month")
PART_WORDS = {"elapsed": "elapsed days", "time": "time of day", "weekday": "weekday", "month": "month"}
CYCLES = {
    "weekday": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    "month": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
}


def part_inputs(part: str) -> tuple[str, ...]:
    """Return the names of the inputs of a part within a column; the time is also a number of hours."""
    if part == "elapsed":
        return (part,)
    cycle = f"{part}_sin", f"{part}_cos"
    return ("hour", *cycle) if part == "time" else cycle
