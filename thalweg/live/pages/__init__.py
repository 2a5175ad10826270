"""The live page: HTML and SVG from snapshots of live models, with the charts of the reports."""
