// What is looked at right now. Whoever changes it calls `changed`, which everything that is shown listens to.

const VIEWS = { modules: "Modules", symbols: "Symbols", hotspots: "Hotspots", cycles: "Cycles" };

const state = {
  view: "modules",
  colouring: "group",
  chosen: null, // A symbol, a file, a folder or a community; or a cycle, which has `members`.
  hovered: null, // A node under the pointer.
};

const scenes = { modules: null, symbols: null };
const listeners = [];

function changed(change) {
  Object.assign(state, change);
  for (const listener of listeners) listener(change);
}

// The scene of a view; made when it is first looked at.
function sceneNamed(view) {
  if (scenes[view] === null) {
    scenes[view] = view === "symbols" ? symbolScene() : fileScene();
    assignHues(scenes[view].discs);
  }
  return scenes[view];
}

// The map that is shown, or was shown last.
let mapView = "modules";
const scene = () => sceneNamed(mapView);
const isGroup = (item) => item?.type === "community" || item?.type === "folder";
const isMap = () => state.view in scenes;

function show(view) {
  if (view in scenes) mapView = view;
  changed({ view });
}

// The nodes that are shown beside what is chosen; `null` if nothing is.
function spotlight() {
  const { chosen } = state;
  if (chosen === null) return null;
  if (chosen.members) return new Set(chosen.members);
  if (isGroup(chosen)) return new Set(mapView === "symbols" ? chosen.symbols : chosen.files);
  const around = [...chosen.incoming.map((link) => link.source), ...chosen.outgoing.map((link) => link.target)];
  return new Set([chosen, ...around]);
}

// The groups that are coupled with the chosen one, and that one.
function litGroups() {
  const { chosen } = state;
  if (!isGroup(chosen)) return new Set();
  const around = scene().couplings.filter(({ one, other }) => one === chosen || other === chosen);
  return new Set([chosen, ...around.flatMap(({ one, other }) => [one, other])]);
}

// Chooses something and goes to a map on which it is to be seen.
function choose(item) {
  const { type } = item.members?.[0] ?? item;
  const wanted = type === "symbol" || type === "community" ? "symbols" : "modules";
  if (state.view !== wanted) show(wanted);
  changed({ chosen: item, hovered: null });
  focusOn(item);
}
