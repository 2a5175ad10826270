"""Headless Chromium for tests of pages: run a script in a page of a given width and read what it found."""

import html
import json
import re
import shutil
import subprocess

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium to lay out a page")


def ask(page, width, expression, folder):
    """Return the value of a JavaScript expression in a page that is shown in a window of this width."""
    text = page.read_text(encoding="utf-8")
    # A frame of the width: a window of a headless browser is never narrower than about 500 pixels.
    inner = folder / "inner.html"
    inner.write_text(text, encoding="utf-8")
    outer = folder / "outer.html"
    outer.write_text(
        f"<!DOCTYPE html><body style='margin: 0'><iframe id='frame' src='inner.html' "
        f"style='border: 0; width: {width}px; height: 900px'></iframe><pre id='answer'></pre><script>"
        "document.getElementById('frame').onload = function () {"
        "var window_ = this.contentWindow, document_ = this.contentDocument;"
        f"var answer = (function (window, document) {{ return {expression}; }})(window_, document_);"
        "document.getElementById('answer').textContent = JSON.stringify(answer); };</script></body>",
        encoding="utf-8",
    )
    command = [
        CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
        "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={folder / 'profile'}", "--window-size=1600,1000", "--virtual-time-budget=4000",
        "--dump-dom", outer.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    found = re.search(r'<pre id="answer">([^<]*)</pre>', done.stdout)
    assert found and found[1], done.stderr[-2000:]
    return json.loads(html.unescape(found[1]))
