"""The parts of a LiveWatch, each with bounded memory and a plain state."""
