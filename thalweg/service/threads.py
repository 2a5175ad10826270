"""Work that would hold up the event loop."""

import asyncio
from collections.abc import Callable
from typing import Any


async def in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function that may wait for a model's lock without holding up other requests."""
    return await asyncio.get_running_loop().run_in_executor(None, function, *arguments)
