// Puts the page together.

const viewBar = document.getElementById("views");
const map = document.getElementById("map");
const legend = document.getElementById("legend");

function showSubject() {
  const at = [DATA.branch, DATA.commit].filter(Boolean).join(" at ");
  document.getElementById("subject").textContent = DATA.name;
  const summary = [
    at, count(files.length, "file"), count(symbols.length, "symbol"), count(symbolLinks.length, "link"), DATA.day,
  ].filter(Boolean).join(" · ");
  const line = document.getElementById("summary");
  line.textContent = summary;
  line.title = line.textContent;
}

// What is not on the page, in words; empty if everything is.
function leftOut() {
  const { unlinked, unimportant, links } = DATA.left_out;
  const parts = [
    unimportant ? count(unimportant, "less important symbol") : "",
    unlinked ? `${count(unlinked, "symbol")} without links` : "",
    links ? count(links, "rarer link") : "",
  ].filter(Boolean);
  return parts.length ? `Left out: ${parts.join(", ")}.` : "";
}

function showViews() {
  viewBar.replaceChildren(...Object.entries(VIEWS).map(([view, title]) => {
    const made = button(title, () => show(view));
    if (view === state.view) made.setAttribute("aria-current", "page");
    return made;
  }));
}

// A legend's mark, drawn by the same rules as the map.
function mark2d(colour, { isSquare = false, arrow = false } = {}) {
  const made = element("canvas", { width: 28, height: 28, ariaHidden: "true" });
  made.style.width = made.style.height = "14px";
  const brush = made.getContext("2d");
  brush.scale(2, 2);
  brush.fillStyle = brush.strokeStyle = colour;
  brush.lineWidth = 2;
  brush.beginPath();
  if (arrow) {
    brush.moveTo(0, 7);
    brush.lineTo(9, 7);
    brush.stroke();
    brush.beginPath();
    brush.moveTo(14, 7);
    brush.lineTo(7, 3);
    brush.lineTo(7, 11);
  } else if (isSquare) {
    brush.rect(2, 2, 10, 10);
  } else {
    brush.arc(7, 7, 5.5, 0, 2 * Math.PI);
  }
  brush.fill();
  return made;
}

function legendRows() {
  if (state.colouring === "activity") {
    const words = ["not changed", "a little", "more", "much", "most"];
    return words.map((word, place) => [mark2d(theme.heat[place]), word]);
  }
  if (state.colouring === "kind" && mapView === "symbols") {
    return DATA.kinds.map((kind) => [mark2d(COLOURINGS.kind({ kind }), { isSquare: isType({ kind }) }), kind]);
  }
  if (mapView === "symbols") return [[mark2d(theme.quiet), "function or method"], [mark2d(theme.quiet, { isSquare: true }), "type"]];
  return [[mark2d(theme.quiet), "file"]];
}

function recolour(colouring) {
  if (colouring === "community") sceneNamed("symbols"); // It is there that communities are given their hues.
  changed({ colouring });
}

function showLegend() {
  const isOpen = legend.querySelector("details")?.open ?? (innerHeight > 560 && innerWidth > 900);
  const inDays = `activity, ${DATA.window_days} days`;
  const options = mapView === "symbols"
    ? { group: "community", kind: "kind", activity: inDays }
    : { group: "folder", community: "community", activity: inDays };
  const select = element("select", { onchange: () => recolour(select.value) },
    ...Object.entries(options).map(([value, text]) => element("option", { value, textContent: text, selected: value === state.colouring })));
  const rows = [
    ...legendRows(),
    [mark2d(theme.in, { arrow: true }), "uses what is chosen"],
    [mark2d(theme.out, { arrow: true }), "is used by what is chosen"],
  ];
  const keys = element("p", {});
  for (const [key, text] of [["/", " find  "], ["n", " "], ["p", " next, previous  "], ["0", " everything  "], ["Esc", " clear"]]) {
    keys.append(element("kbd", { textContent: key }), text);
  }
  legend.replaceChildren(element("details", { open: isOpen },
    element("summary", { textContent: "Legend" }),
    element("label", {}, "Colour", select),
    element("ul", {}, ...rows.map(([sign, text]) => element("li", {}, sign, element("span", { textContent: text })))),
    element("p", { textContent: `The larger a node, the more depends on it. Discs are ${mapView === "symbols" ? "communities: symbols that use one another" : "folders, the small ones inside of their parents"}.` }),
    leftOut() ? element("p", { textContent: leftOut() }) : null,
    keys));
}

function showView() {
  if (state.colouring === (mapView === "modules" ? "kind" : "community")) state.colouring = "group";
  map.hidden = !isMap();
  sheet.hidden = isMap();
  showViews();
  if (isMap()) {
    showLegend();
    resize();
    Object.assign(camera, everything());
    flight = null;
    repaint();
  } else {
    showSheet();
    sheet.scrollTop = 0;
  }
}

document.getElementById("zoom").append(
  element("button", { type: "button", textContent: "+", ariaLabel: "Zoom in", onclick: () => zoomBy(1.4) }),
  element("button", { type: "button", textContent: "−", ariaLabel: "Zoom out", onclick: () => zoomBy(1 / 1.4) }),
  element("button", { type: "button", textContent: "⤢", ariaLabel: "Show everything", onclick: () => flyTo(everything()) }));

listeners.push((change) => {
  if ("view" in change) {
    if (state.chosen !== null) changed({ chosen: null });
    showView();
  }
  if ("colouring" in change) showLegend();
  repaint();
});

darkness.addEventListener("change", () => {
  theme = darkness.matches ? THEMES.dark : THEMES.light;
  if (isMap()) showLegend();
  repaint();
});

showSubject();
showView();
new ResizeObserver(resize).observe(canvas);
document.documentElement.dataset.ready = "true";
