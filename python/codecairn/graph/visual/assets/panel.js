// The panel beside the map: what is chosen, and what it has to do with.

const panel = document.getElementById("panel");

function showPanel() {
  const { chosen } = state;
  const wasHidden = panel.hidden;
  panel.hidden = chosen === null;
  panel.replaceChildren(...(chosen === null ? [] : detailsOf(chosen)));
  panel.scrollTop = 0;
  if (wasHidden !== panel.hidden) resize();
}

function detailsOf(item) {
  if (item.members) return ofCycle(item);
  if (isGroup(item)) return ofGroup(item);
  return item.type === "file" ? ofFile(item) : ofSymbol(item);
}

function head(kind, title, place) {
  return element("div", { className: "panel-head" },
    element("div", {},
      element("div", { className: "kind", textContent: kind }),
      element("h2", { textContent: title }),
      place ? element("p", { className: "place path", textContent: place }) : null),
    element("button", { type: "button", className: "close", textContent: "×", ariaLabel: "Close", onclick: () => changed({ chosen: null }) }));
}

// Rows of [term, text, what it leads to].
function facts(rows) {
  const list = element("dl");
  for (const [term, text, leadsTo] of rows) {
    const value = leadsTo ? button(text, () => choose(leadsTo), "link") : text;
    list.append(element("dt", { textContent: term }), element("dd", {}, value));
  }
  return list;
}

function section(title, items, rowOf, none) {
  const heading = element("h3", { textContent: items.length ? `${title} · ${items.length.toLocaleString("en")}` : title });
  return [heading, items.length ? listOf(items, rowOf) : element("p", { className: "nothing", textContent: none })];
}

const linkNote = (link) => `${kindsOfUse(link.kinds)}${link.uses > 1 ? ` × ${link.uses}` : ""}`;
const groupName = (group) => [placeOf(group), group.type === "community" ? group.names[0] : ""].filter(Boolean).join(" · ");

function activityRows(file) {
  if (!DATA.has_history) return [["Activity", "no git history"]];
  if (file.commits === 0) return [["Activity", `none in the ${DATA.window_days} days before ${DATA.window_day}`]];
  return [
    ["Activity", `${count(file.commits, "commit")}, ${count(file.lines, "line")}`],
    ["Last change", `${file.lastDay} · ${count(file.authors, "author")}`],
    ...(file.hotspotRank ? [["Hotspot", `${file.hotspotRank} of ${hotspots.length}`]] : []),
  ];
}

const cycleRow = (node) => (node.cycle ? [["Cycle", `of ${node.cycle.members.length}`, node.cycle]] : []);

function ofSymbol(symbol) {
  return [
    head(symbol.kind, symbol.name, `${symbol.path}:${symbol.line}`),
    facts([
      ...(symbol.scope ? [["Inside", symbol.scope.replace(/[^\p{L}\p{N}_]+$/u, "")]] : []),
      ["Lines", symbol.endLine > symbol.line ? `${symbol.line}–${symbol.endLine}` : `${symbol.line}`],
      ["Importance", `${symbol.rank.toLocaleString("en")} of ${symbols.length.toLocaleString("en")}`],
      ["File", symbol.file.name, symbol.file],
      ["Community", groupName(symbol.community), symbol.community],
      ...activityRows(symbol.file),
      ...cycleRow(symbol),
    ]),
    ...section("Callers", symbol.incoming, (link) => nodeRow(link.source, linkNote(link)), "Nothing that is shown uses it."),
    ...section("Callees", symbol.outgoing, (link) => nodeRow(link.target, linkNote(link)), "It uses nothing that is shown."),
  ];
}

function ofFile(file) {
  return [
    head("file", file.name, file.path),
    facts([
      ["Symbols", `${file.symbols.length} shown`],
      ["Importance", `${file.rank} of ${files.length.toLocaleString("en")}`],
      ["Folder", groupName(file.group), file.group],
      ["Community", groupName(file.community), file.community],
      ...activityRows(file),
      ...cycleRow(file),
    ]),
    ...section("Symbols", file.symbols, (symbol) => nodeRow(symbol), ""),
    ...section("Used by", file.incoming, (link) => nodeRow(link.source, count(link.uses, "use")), "No other file that is shown uses it."),
    ...section("Uses", file.outgoing, (link) => nodeRow(link.target, count(link.uses, "use")), "It uses no other file that is shown."),
  ];
}

function ofGroup(group) {
  const isFolder = group.type === "folder";
  const coupled = sceneNamed(isFolder ? "modules" : "symbols").couplings
    .filter(({ one, other }) => one === group || other === group)
    .map((coupling) => ({ ...coupling, to: coupling.one === group ? coupling.other : coupling.one }));
  const coupledRow = ({ to, links, uses }) => element("button", { type: "button", onclick: () => choose(to) },
    element("span", { className: "row-name", textContent: groupName(to) }),
    element("span", { className: "row-place", textContent: `${count(links, "link")}, ${count(uses, "use")}` }));
  const lists = [
    section("Most important symbols", group.symbols, (symbol) => nodeRow(symbol), "None is shown."),
    section("Coupled with", coupled, coupledRow, "It stands alone."),
    section("Files", group.files, (file) => nodeRow(file, count(file.symbols.length, "symbol")), "Its symbols lie in files of other communities."),
  ];
  return [
    head(group.type, isFolder ? placeOf(group) : groupName(group), group.place === "." ? "(top folder)" : group.place),
    facts([["Symbols", group.symbols.length.toLocaleString("en")], ["Files", group.files.length.toLocaleString("en")]]),
    ...(isFolder ? lists.reverse() : lists).flat(),
  ];
}

function ofCycle(cycle) {
  const what = cycle.members[0].type === "file" ? "files" : "symbols";
  return [
    head("cycle", `${cycle.members.length} ${what} in a circle`, ""),
    element("p", { className: "nothing", textContent: "Each of them uses, directly or through others, each other one." }),
    ...section("Members", cycle.members, (node) => nodeRow(node), ""),
  ];
}

listeners.push((change) => { if ("chosen" in change) showPanel(); });
