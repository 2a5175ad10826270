from thalweg.streams.columns.missing import Missing

class Cell:
    width: int
    def __init__(self, width: int, missing: Missing) -> None: ...
