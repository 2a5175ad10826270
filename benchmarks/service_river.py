"""River behind FastAPI, as people serve it: a pickle of the model after each learned row."""

import argparse
import pickle
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from river import linear_model, preprocessing


class Row(BaseModel):
    row: dict[str, float]
    label: bool | None = None


def application(path):
    """Return an application that predicts and learns rows."""
    app = FastAPI()
    model = preprocessing.StandardScaler() | linear_model.LogisticRegression()

    @app.post("/predict")
    async def predict(given: Row):
        return {"probabilities": model.predict_proba_one(given.row)}

    @app.post("/learn")
    async def learn(given: Row):
        model.learn_one(given.row, given.label)
        Path(path).write_bytes(pickle.dumps(model))
        return {"status": "learned"}

    return app


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    parser.add_argument("--port", type=int)
    given = parser.parse_args()
    uvicorn.run(application(given.path), port=given.port, log_level="warning", access_log=False)
