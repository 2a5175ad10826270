"""Colours, dashes and text of all charts, for light and dark pages and for print.

The colours follow Okabe and Ito, so that they can be told apart with any kind of colour vision; lines have
different dashes too, for print in grey.
"""

from thalweg.evaluation.baselines import BASELINES, Style

LIGHT = ("#0072b2", "#d55e00", "#00855f", "#aa4499", "#96650a", "#2f8fce", "#7a1f4c", "#4d4d4d")
DARK = ("#56b4e9", "#ff8a3d", "#2bcb9a", "#e39ac6", "#f0c04a", "#9dcbf0", "#d98cb3", "#cccccc")
DASHES = ("", "9 4", "2 3", "10 3 2 3", "5 2", "14 4", "8 3 2 3 2 3", "1 4")
N_STYLES = len(LIGHT)
STYLES = {f"line{i}": Style(*each) for i, each in enumerate(zip(DASHES, LIGHT, DARK, strict=True))}
STYLES |= {name: baseline.style for name, baseline in BASELINES.items()}
_STROKES = " ".join(
    f".chart .{name}, .swatch .{name} {{ stroke: var(--{name}); stroke-dasharray: {style.dash or 'none'}; }}"
    for name, style in STYLES.items()
)
_FILLS = " ".join(f".chart text.{name} {{ fill: var(--{name}); stroke: none; }}" for name in STYLES)
_LIGHT = f"--ink: #1f2933; --soft: #5b6672; --grid: #e6e9ed; --drift: #b42318; --alarm: #b45309; \
{' '.join(f'--{name}: {style.light};' for name, style in STYLES.items())}"
_DARK = f"--ink: #e6eaef; --soft: #9aa6b2; --grid: #2c343d; --drift: #ff8a7a; --alarm: #f5b041; \
{' '.join(f'--{name}: {style.dark};' for name, style in STYLES.items())}"
CHART_STYLE = f"""
.chart, .swatch {{ {_LIGHT} }}
@media screen and (prefers-color-scheme: dark) {{ .chart, .swatch {{ {_DARK} }} }}
.chart {{ font: 13px system-ui, sans-serif; }}
.chart text {{ fill: var(--soft); }} .chart .name {{ fill: var(--ink); }}
.chart .grid {{ stroke: var(--grid); }} .chart .axis {{ stroke: var(--soft); }}
.chart .line, .swatch .line {{ fill: none; stroke-width: 2; stroke-linejoin: round; }}
.chart .base, .swatch .base {{ stroke-width: 1.3; }}
{_STROKES}
{_FILLS}
.chart .drift {{ stroke: var(--drift); fill: var(--drift); stroke-width: 1.5; }}
.chart .alarm {{ stroke: var(--alarm); fill: var(--alarm); stroke-width: 1.5; }}
.chart .density {{ stroke: none; }} .chart .bar {{ fill: var(--line0); }}
.chart .cross {{ stroke: var(--soft); stroke-dasharray: 2 2; }}
"""
