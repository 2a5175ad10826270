"""The terminal of the command, which prints text as it is, but for characters that a terminal obeys."""

from typing import Any

from rich.console import Console as RichConsole
from rich.text import Text

from thalweg._escaping import printable


class Console(RichConsole):
    """A console whose strings, also those in tables, are text: no markup, emoji or control characters."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(markup=False, highlight=False, emoji=False, **settings)

    def render_str(self, text: str, **settings: Any) -> Text:
        """Return a string as it is shown; rich calls this for each one."""
        return super().render_str(printable(text), **settings)
