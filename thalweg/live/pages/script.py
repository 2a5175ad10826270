"""The script of the live page: it renews the parts that changed, and shows the values of charts."""

from thalweg.evaluation.pages.script import SCRIPT as CHART_SCRIPT

SCRIPT = (
    "function showValues() {\n"
    + CHART_SCRIPT
    + """
document.querySelectorAll("svg.chart[data-frame]").forEach(function (svg) {
  svg.removeAttribute("data-frame");
});
}
(function () {
  var live = document.getElementById("live"), state = document.getElementById("state"), waiting = {};
  function say(words, kind) { state.textContent = words; state.className = "state " + kind; }
  function put(parts) {
    Object.keys(parts).forEach(function (name) {
      var place = document.getElementById("part-" + name);
      if (!place) {
        place = document.createElement("section"); place.id = "part-" + name; live.appendChild(place);
      }
      var open = Array.from(place.querySelectorAll("details")).map(function (each) { return each.open; });
      place.innerHTML = parts[name];
      place.querySelectorAll("details").forEach(function (each, i) { each.open = !!open[i]; });
    });
    showValues();
  }
  function renew() {
    if (document.querySelector("svg.chart:hover")) { return; }
    var parts = waiting; waiting = {};
    if (Object.keys(parts).length) { put(parts); }
  }
  showValues();
  live.addEventListener("pointerout", function () { setTimeout(renew, 0); });
  var source = new EventSource(live.dataset.events);
  source.onopen = function () { say("live", "on"); };
  source.onerror = function () { say("connection lost, trying again", "off"); };
  source.addEventListener("parts", function (event) {
    Object.assign(waiting, JSON.parse(event.data)); renew();
    say("live, " + new Date().toLocaleTimeString(), "on");
  });
})();
"""
)
