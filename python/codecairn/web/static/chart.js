"use strict";
// Draws a chart from the rows of a table, which says the same without a script.
(() => {
  const style = getComputedStyle(document.documentElement);
  for (const place of document.querySelectorAll("[data-chart]")) {
    const rows = [...document.querySelectorAll(`#${place.dataset.chart} tbody tr`)].reverse();
    if (rows.length < 2 || !window.uPlot) continue;
    const times = rows.map((row) => Number(row.dataset.time));
    const values = rows.map((row) => Number(row.dataset.value));
    const probe = document.createElement("span");
    place.append(probe);
    const color = (name) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    const [ink, line, accent] = [color("--muted"), color("--line"), color("--accent")];
    probe.remove();
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: `12px ${style.fontFamily}` };
    const plot = new uPlot({
      width: place.clientWidth, height: 180, cursor: { show: false }, legend: { show: false },
      scales: { y: { range: (_, low, high) => [Math.min(0, low), high * 1.08 || 1] } },
      axes: [axis, { ...axis, size: 64 }],
      series: [{}, { label: place.dataset.label, stroke: accent, width: 2, points: { size: 5 } }],
    }, [times, values], place);
    new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: 180 })).observe(place);
  }
})();
