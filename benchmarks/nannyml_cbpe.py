"""NannyML's CBPE on recorded probabilities, for `benchmarks.trust_estimate nannyml`; any Python can run it.

    python benchmarks/nannyml_cbpe.py rows.npz REFERENCE WINDOW

The file has the probabilities `p` and the codes of the labels. The first REFERENCE rows are the reference;
prints the estimated accuracies of the windows behind them as JSON.
"""

import json
import sys

import numpy as np
import pandas as pd


def estimated(p, codes, reference, window):
    """Return the accuracy that CBPE estimates for each whole window behind the reference."""
    import nannyml

    n_classes = p.shape[1]
    table = pd.DataFrame({"said": p.argmax(axis=1).astype(str), "true": codes.astype(str)})
    if n_classes == 2:
        table["p"] = p[:, 1]
        table[["said", "true"]] = table[["said", "true"]].astype(int)
        kind, columns = "classification_binary", "p"
    else:
        kind, columns = "classification_multiclass", {str(k): f"p{k}" for k in range(n_classes)}
        for k in range(n_classes):
            table[f"p{k}"] = p[:, k]
    made = nannyml.CBPE(
        problem_type=kind, y_pred="said", y_true="true", y_pred_proba=columns, metrics=["accuracy"],
        chunk_size=window,
    )  # fmt: skip
    made.fit(table[:reference])
    found = made.estimate(table[reference : reference + (len(p) - reference) // window * window])
    return found.filter(period="analysis").to_df()[("accuracy", "value")].tolist()


if __name__ == "__main__":
    rows = np.load(sys.argv[1])
    print(json.dumps(estimated(rows["p"], rows["codes"], int(sys.argv[2]), int(sys.argv[3]))))
