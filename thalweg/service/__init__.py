"""Live models by HTTP: the ASGI application behind `thalweg serve`, its limits and tokens.

Needs `pip install thalweg[serve]`. `thalweg.live.Client` talks to it.
"""

from typing import TYPE_CHECKING

from thalweg._registry import Registry

registry = Registry(__name__)
__all__ = registry.public()

if TYPE_CHECKING:
    from thalweg.service.application import Application as Application
    from thalweg.service.limits import Limits as Limits
    from thalweg.service.settings import Settings as Settings
    from thalweg.service.tokens import Tokens as Tokens
else:
    __getattr__ = registry.load
__dir__ = registry.public
