"""The least that uvicorn takes: an ASGI function that reads a body and answers the same for all."""

import argparse

import uvicorn

CONTENT = b'{"label":"yes","probabilities":{"no":0.1,"yes":0.9}}'
HEADERS = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(CONTENT))]


async def application(scope, receive, send):
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": CONTENT})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    uvicorn.run(
        application, port=parser.parse_args().port, log_level="warning", access_log=False, lifespan="off",
        server_header=False, date_header=False,
    )  # fmt: skip
