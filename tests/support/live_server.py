"""A web application in a thread, on a free port, for tests with a browser."""

import threading
from contextlib import contextmanager

import uvicorn

from thalweg.service.server import bind


@contextmanager
def served(application):
    """Serve an ASGI application; give its address."""
    bound = bind("127.0.0.1", 0)
    options = {"log_config": None, "lifespan": "off", "ws": "none", "timeout_graceful_shutdown": 1}
    server = uvicorn.Server(uvicorn.Config(application, **options))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        bound.close()
