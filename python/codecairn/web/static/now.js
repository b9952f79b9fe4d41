"use strict";
// The live feed: how many lines stay, no line twice, and a button that holds it.
(() => {
  const MAX_LINES = 200;
  const feed = document.getElementById("feed");
  const live = document.getElementById("live");
  const text = document.getElementById("live-text");
  const pause = document.getElementById("pause");
  const waiting = [];

  function show(state, words) {
    live.dataset.state = state;
    text.textContent = words;
  }

  function tidy() {
    document.getElementById("nothing")?.remove();
    const seen = new Set();
    for (const line of [...feed.children]) {
      if (seen.has(line.id) || seen.size >= MAX_LINES) line.remove();
      else seen.add(line.id);
    }
  }

  const isPaused = () => pause.getAttribute("aria-pressed") === "true";

  document.addEventListener("htmx:sse:after:connection", () => {
    pause.hidden = false;
    if (!isPaused()) show("on", "live");
  });
  document.addEventListener("htmx:sse:error", () => show("off", "the connection broke; trying again"));
  document.addEventListener("htmx:sse:before:message", (event) => {
    if (!isPaused()) return;
    waiting.push(event.detail.message.data);
    if (waiting.length > MAX_LINES) waiting.shift();
    show("held", `${waiting.length} new`);
    event.preventDefault();
  });
  document.addEventListener("htmx:sse:after:message", tidy);
  pause.addEventListener("click", () => {
    const willPause = !isPaused();
    pause.setAttribute("aria-pressed", String(willPause));
    pause.textContent = willPause ? "Go on" : "Pause";
    if (willPause) {
      show("held", "held");
      return;
    }
    for (const html of waiting.splice(0)) feed.insertAdjacentHTML("afterbegin", html);
    tidy();
    show("on", "live");
  });
})();
