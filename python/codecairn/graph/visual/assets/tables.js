// The views that are read: hotspots as a table, cycles as a list.

const MAX_HOTSPOTS = 250;
const sheet = document.getElementById("sheet");
const order = { column: "heat", isFalling: true };

const COLUMNS = [
  { key: "path", title: "File", className: "wide", of: (file) => file.path, cell: pathCell },
  { key: "commits", title: "Commits", of: (file) => file.commits },
  { key: "lines", title: "Lines changed", of: (file) => file.lines },
  { key: "authors", title: "Authors", of: (file) => file.authors },
  { key: "lastDay", title: "Last change", of: (file) => file.lastDay },
  { key: "importance", title: "Importance", of: (file) => file.importance, cell: (file) => `${(file.importance / 1e4).toFixed(2)} %` },
  { key: "heat", title: "Hotspot", of: (file) => file.heat, cell: heatCell },
];

function pathCell(file) {
  const folder = file.path.slice(0, file.path.lastIndexOf("/") + 1);
  const link = button("", () => choose(file), "link");
  link.append(element("span", { className: "folder", textContent: folder }), file.path.slice(folder.length));
  return link;
}

function heatCell(file) {
  const filled = element("span", { className: "filled" });
  filled.style.width = `${file.heat}%`;
  const text = element("span", { className: "figure", textContent: file.heat < 1 ? "< 1" : file.heat.toFixed(0) });
  return element("span", { className: "heat" }, element("span", { className: "bar" }, filled), text);
}

function columnHead({ key, title, className = "" }) {
  const made = element("th", { scope: "col", className });
  made.append(button(order.column === key ? `${title} ${order.isFalling ? "↓" : "↑"}` : title, () => {
    const isSame = order.column === key;
    Object.assign(order, { column: key, isFalling: isSame ? !order.isFalling : key !== "path" });
    showSheet();
    sheet.querySelector("th[aria-sort] button").focus();
  }));
  if (order.column === key) made.setAttribute("aria-sort", order.isFalling ? "descending" : "ascending");
  return made;
}

function hotspotTable() {
  const { of } = COLUMNS.find(({ key }) => key === order.column);
  const sign = order.isFalling ? -1 : 1;
  const sorted = [...hotspots].sort((one, other) => sign * ((of(one) > of(other)) - (of(one) < of(other))) || one.id - other.id);
  const body = element("tbody");
  for (const file of sorted.slice(0, MAX_HOTSPOTS)) {
    body.append(element("tr", {}, ...COLUMNS.map(({ of: valueOf, cell, className = "" }) => {
      const value = cell ? cell(file) : valueOf(file).toLocaleString("en");
      return element("td", { className }, value);
    })));
  }
  return element("table", {}, element("thead", {}, element("tr", {}, ...COLUMNS.map(columnHead))), body);
}

function hotspotSheet() {
  if (!DATA.has_history) {
    return [element("p", { textContent: "Hotspots need the history of a git repository, and there is none here." })];
  }
  const text = `Files that were worked on a lot in the ${DATA.window_days} days before ${DATA.window_day}, and that much depends on: a change there costs most, ` +
    "and care pays most. Hotspot is activity × importance, as a share of the hottest file; a commit counts in activity by the logarithm " +
    "of the lines it changed; importance is what a file's symbols have of the whole, by who uses them.";
  const more = hotspots.length > MAX_HOTSPOTS ? `The first ${MAX_HOTSPOTS} of ${hotspots.length} are shown.` : "";
  if (hotspots.length === 0) return [element("p", { textContent: `No file that is shown was changed in the ${DATA.window_days} days before ${DATA.window_day}.` })];
  return [element("p", { textContent: text }), hotspotTable(), element("p", { textContent: more })];
}

function cycleCard(cycle) {
  const what = cycle.members[0].type === "file" ? "files" : "symbols";
  const chip = (node) => element("button", { type: "button", title: placeText(node), textContent: node.name, onclick: () => choose(node) });
  return element("div", { className: "card cycle" },
    element("div", { className: "cycle-head" },
      element("strong", { textContent: `${cycle.members.length} ${what}` }),
      button("Show on the map", () => choose(cycle), "link")),
    listOf([...cycle.members].sort(byImportance), chip, { first: 30, tag: "div", className: "chips" }));
}

function cycleSheet() {
  const part = (title, cycles, none) => [
    element("h2", { textContent: `${title} · ${cycles.length}` }),
    ...(cycles.length ? cycles.slice(0, 100).map(cycleCard) : [element("p", { className: "nothing", textContent: none })]),
  ];
  return [
    element("p", { textContent: "Members of a cycle use one another in a circle: a change of one may reach all." }),
    ...part("Between files", fileCycles, "No files use one another in a circle."),
    ...part("Between symbols", symbolCycles, "No symbols use one another in a circle."),
  ];
}

function showSheet() {
  sheet.setAttribute("aria-label", VIEWS[state.view]);
  sheet.replaceChildren(...(state.view === "hotspots" ? hotspotSheet() : cycleSheet()));
}
