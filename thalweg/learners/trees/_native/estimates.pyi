from thalweg._types import Floats

from .nodes import TreeKernel

ROUGH_ERROR: float

def use_vectors(wanted: bool) -> bool: ...
def of_leaf(kernel: TreeKernel, node: int) -> tuple[Floats, Floats]: ...
