from collections.abc import Collection

from thalweg._types import Floats

def date_inputs(wall: Floats, utc: Floats, origin: float, parts: Collection[str]) -> Floats: ...
