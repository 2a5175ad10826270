"""The script of pages: shows the values of a chart where the pointer is. Pages are complete without it."""

SCRIPT = """//<![CDATA[
document.querySelectorAll("svg.chart[data-frame]").forEach(function (svg) {
  var frame = svg.dataset.frame.split(" ").map(Number);
  var left = frame[0], right = frame[1], top = frame[2], bottom = frame[3];
  var rows = frame[4], low = frame[5], high = frame[6];
  var factor = parseFloat(svg.dataset.unit), unit = svg.dataset.unit.replace(/^[-+.e0-9]+/, "");
  var lines = Array.from(svg.querySelectorAll("path[data-name]")).reverse().map(function (path) {
    path.querySelectorAll("title").forEach(function (title) { title.remove(); });
    var points = Array.from(path.getAttribute("d").matchAll(/([-.0-9]+) ([-.0-9]+)/g));
    return { name: path.dataset.name, kind: path.getAttribute("class"),
             points: points.map(function (point) { return [Number(point[1]), Number(point[2])]; }) };
  });
  var holder = svg.parentNode, tip = document.createElement("div");
  tip.className = "tip"; tip.hidden = true;
  holder.style.position = "relative"; holder.appendChild(tip);
  var space = "http://www.w3.org/2000/svg", cross = document.createElementNS(space, "line");
  cross.setAttribute("class", "cross"); cross.setAttribute("y1", top); cross.setAttribute("y2", bottom);
  function hide() { tip.hidden = true; cross.remove(); }
  function nearest(points, x) {
    var a = 0, b = points.length - 1;
    while (b - a > 1) { var m = (a + b) >> 1; if (points[m][0] > x) { b = m; } else { a = m; } }
    return Math.abs(points[b][0] - x) > Math.abs(points[a][0] - x) ? points[a] : points[b];
  }
  function swatch(kind) {
    var image = document.createElementNS(space, "svg"), path = document.createElementNS(space, "path");
    image.setAttribute("class", "swatch"); image.setAttribute("viewBox", "0 0 26 8");
    path.setAttribute("class", kind); path.setAttribute("d", "M0 4H26");
    image.appendChild(path); return image;
  }
  function show(event) {
    var box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
    var x = (event.clientX - box.left) * view.width / box.width;
    var shown = lines.filter(function (line) { return line.points.length > 0; });
    if (left - 5 > x || x > right + 5 || shown.length === 0) { hide(); return; }
    var at = nearest(shown[0].points, x)[0];
    cross.setAttribute("x1", at); cross.setAttribute("x2", at); svg.appendChild(cross);
    tip.textContent = "";
    var head = document.createElement("b");
    head.textContent = "row " + Math.round((at - left) / (right - left) * rows).toLocaleString("en");
    tip.appendChild(head);
    shown.forEach(function (line) {
      var value = low + (bottom - nearest(line.points, at)[1]) / (bottom - top) * (high - low);
      var entry = document.createElement("div");
      entry.appendChild(swatch(line.kind));
      var digits = factor > 1 ? 1 : 3;
      entry.appendChild(document.createTextNode(
        (value * factor).toFixed(digits) + unit + (line.name ? " " + line.name : "")));
      tip.appendChild(entry);
    });
    tip.hidden = false;
    var place = at / view.width * box.width, wide = tip.offsetWidth;
    tip.style.left = Math.max(0, place + 12 + wide > box.width ? place - 12 - wide : place + 12) + "px";
    tip.style.top = top / view.height * box.height + "px";
  }
  svg.addEventListener("pointermove", show);
  svg.addEventListener("pointerdown", show);
  svg.addEventListener("pointerleave", hide);
});
//]]>"""
