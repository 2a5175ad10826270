#!/bin/sh
# Requests to a service that runs `thalweg serve orders.tw`. Usage: requests.sh [ADDRESS] [TOKEN_FILE]
set -eu
address=${1:-http://127.0.0.1:8000}
model=$address/models/orders
token() { [ -z "${TOKEN_FILE:-}" ] || echo "authorization: Bearer $(head -n 1 "$TOKEN_FILE")"; }
TOKEN_FILE=${2:-}
ask() { curl -sS --fail-with-body -H "$(token)" "$@"; echo; }

# One row, a pure read: nothing changes, nothing is logged.
ask --json '{"row": {"price": "12,50", "shop": "north"}}' "$model/predict"

# With an id the row waits for its label; the answer is on disk.
ask --json '{"id": "e1", "row": {"price": "12,50", "shop": "north"}}' "$model/predict"
ask --json '{"id": "e1", "label": "yes"}' "$model/label"

# Many rows: as JSON, and as JSON lines.
ask --json '{"rows": [{"price": 3}, {"price": 39}], "ids": ["e2", "e3"]}' "$model/predict"
printf '{"id": "e2", "label": "yes"}\n{"id": "e3", "label": "no"}\n' |
  ask -H 'content-type: application/x-ndjson' --data-binary @- "$model/label"

# A row with its label at once; the id makes it harmless to send it again.
ask --json '{"id": "e4", "row": {"price": 7, "shop": "south"}, "label": "yes"}' "$model/learn"

# The Open Inference Protocol.
ask --json '{"inputs": [{"name": "price", "shape": [1], "datatype": "FP64", "data": [12.5]}]}' \
  "$address/v2/models/orders/infer"

ask "$model"
ask "$address/health"
