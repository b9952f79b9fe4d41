"use strict";
// What a page does beyond HTML: relative times, keys, and filters that apply at once. Without it every page works.
(() => {
  const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
  const steps = [[60, "second", 1], [3600, "minute", 60], [86400, "hour", 3600], [7 * 86400, "day", 86400]];

  function showTime(element, now) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) return;
    const seconds = (at.getTime() - now) / 1000;
    const step = steps.find(([limit]) => Math.abs(seconds) < limit);
    if (!step) return;
    const text = Math.abs(seconds) < 5 ? "now" : relative.format(Math.trunc(seconds / step[2]), step[1]);
    if (element.textContent !== text) element.textContent = text;
  }

  function showTimes(root) {
    const now = Date.now();
    for (const element of root.querySelectorAll("time[datetime]")) showTime(element, now);
  }

  showTimes(document);
  setInterval(() => showTimes(document), 10000);
  document.addEventListener("htmx:after:swap", () => showTimes(document));

  // A choice in a filter applies at once; the button that does it otherwise is not needed.
  for (const form of document.querySelectorAll("form.filters")) {
    if (form.querySelector("[data-submit]")) {
      form.addEventListener("change", (event) => {
        if (event.target.matches("[data-submit]")) form.requestSubmit();
      });
    }
  }

  // A box that ticks all boxes of its form.
  document.addEventListener("change", (event) => {
    if (!event.target.matches("[data-all]")) return;
    for (const box of document.querySelectorAll(`input[name="${event.target.dataset.all}"]`)) {
      box.checked = event.target.checked;
    }
  });

  const keys = document.getElementById("keys");
  let isGoing = false;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    if (isGoing) {
      isGoing = false;
      const link = document.querySelector(`nav a[data-key="${CSS.escape(event.key)}"]`);
      if (link) location.assign(link.href);
      return;
    }
    if (event.key === "g") {
      isGoing = true;
      setTimeout(() => { isGoing = false; }, 1500);
    } else if (event.key === "/") {
      const search = document.querySelector('input[type="search"]');
      if (search) { event.preventDefault(); search.focus(); search.select(); }
    } else if (event.key === "?" && keys && !keys.open) {
      keys.showModal();
    }
  });
})();
