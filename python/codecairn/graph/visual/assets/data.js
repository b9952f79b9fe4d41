// The data of the page, as objects that know their neighbours.

const DATA = JSON.parse(document.getElementById("data").textContent);

// The last community may be what belongs to none: it has no names.
const communities = DATA.communities.map(({ place, names }, id) => ({
  type: "community", id, place, names, isRest: names.length === 0, symbols: [], files: [],
}));

// Names that say nothing without their folder's.
const PLAIN_NAMES = /^(__init__|__main__|mod|lib|main|index|types|utils?|package|setup|conftest|tests?)\.\w+$/;

function nameOf(path) {
  const parts = path.split("/");
  return parts.slice(PLAIN_NAMES.test(parts[parts.length - 1]) ? -2 : -1).join("/");
}

const files = DATA.files.map(([path, community, commits, lines, authors, activity, lastDay], id) => ({
  type: "file", id, path, name: nameOf(path), kind: "file", community: communities[community],
  commits, lines, authors, activity, lastDay, importance: 0, symbols: [], cycle: null, incoming: [], outgoing: [],
}));

const symbols = DATA.symbols.map(([name, scope, file, line, endLine, kind, community, importance], id) => ({
  type: "symbol", id, name, scope, file: files[file], path: files[file].path, line, endLine, kind: DATA.kinds[kind],
  community: communities[community], importance, activity: files[file].activity, cycle: null, incoming: [], outgoing: [],
}));

// The least number of files that a folder of the map has; those with fewer lie with their parent's.
const FEWEST_IN_FOLDER = 3;
const MAX_FOLDERS = 140;

const parentOf = (place) => (place.includes("/") ? place.slice(0, place.lastIndexOf("/")) : ".");

// Every folder's files, after those of small folders were given to their parents, the deepest first.
function filesByFolder(fewest) {
  const found = new Map();
  const add = (place, some) => found.set(place, [...(found.get(place) ?? []), ...some]);
  for (const file of files) add(parentOf(file.path), [file]);
  const depth = (place) => (place === "." ? 0 : place.split("/").length);
  for (let level = Math.max(0, ...[...found.keys()].map(depth)); level > 0; level -= 1) {
    for (const place of [...found.keys()].filter((other) => depth(other) === level)) {
      if (found.get(place).length >= fewest) continue;
      add(parentOf(place), found.get(place));
      found.delete(place);
    }
  }
  return found;
}

function makeFolders() {
  let fewest = FEWEST_IN_FOLDER;
  let found = filesByFolder(fewest);
  while (found.size > MAX_FOLDERS) {
    fewest *= 2;
    found = filesByFolder(fewest);
  }
  const places = [...found.keys()].sort();
  return places.map((place, id) => {
    const folder = { type: "folder", id, place, names: [], symbols: [], files: found.get(place) };
    for (const file of folder.files) file.group = folder;
    return folder;
  });
}

const symbolLinks = [];
const fileLinks = [];

function join(links, source, target, kinds, uses) {
  const link = { source, target, kinds, uses };
  links.push(link);
  source.outgoing.push(link);
  target.incoming.push(link);
  return link;
}

function joinFiles() {
  const known = new Map();
  for (const { source, target, kinds, uses } of symbolLinks) {
    if (source.file === target.file) continue;
    const key = source.file.id * files.length + target.file.id;
    const link = known.get(key);
    if (link === undefined) {
      known.set(key, join(fileLinks, source.file, target.file, kinds, uses));
    } else {
      link.kinds |= kinds;
      link.uses += uses;
    }
  }
}

function cyclesOf(groups, nodes) {
  return groups.map((group, id) => {
    const cycle = { id, members: group.map((member) => nodes[member]) };
    for (const member of cycle.members) member.cycle = cycle;
    return cycle;
  });
}

const largest = (items, valueOf, least) => items.reduce((most, item) => Math.max(most, valueOf(item)), least);
const byImportance = (one, other) => other.importance - one.importance || one.id - other.id;
const byUses = (one, other) => other.uses - one.uses || one.source.id - other.source.id || one.target.id - other.target.id;

for (let at = 0; at < DATA.links.length; at += 4) {
  const [source, target, kinds, uses] = DATA.links.slice(at, at + 4);
  join(symbolLinks, symbols[source], symbols[target], kinds, uses);
}
joinFiles();
const symbolCycles = cyclesOf(DATA.cycles, symbols);
const fileCycles = cyclesOf(DATA.file_cycles, files);

const folders = makeFolders();
for (const symbol of symbols) {
  symbol.group = symbol.community;
  symbol.file.symbols.push(symbol);
  symbol.file.importance += symbol.importance;
  symbol.community.symbols.push(symbol);
  symbol.file.group.symbols.push(symbol);
}
for (const file of files) {
  file.symbols.sort(byImportance);
  file.community.files.push(file);
}
for (const node of [...symbols, ...files]) {
  node.incoming.sort(byUses);
  node.outgoing.sort(byUses);
}

// Every list in the order in which things matter; a rank is a place in it, from 1.
const symbolsByImportance = [...symbols].sort(byImportance);
const filesByImportance = [...files].sort(byImportance);
symbolsByImportance.forEach((symbol, place) => { symbol.rank = place + 1; });
filesByImportance.forEach((file, place) => { file.rank = place + 1; });
for (const group of [...communities, ...folders]) {
  group.symbols.sort(byImportance);
  group.files.sort(byImportance);
}

// A hotspot is worked on a lot, and much depends on it.
const hottest = largest(files, (file) => file.activity * file.importance, 1e-9);
for (const file of files) file.heat = (100 * file.activity * file.importance) / hottest;
const hotspots = files.filter((file) => file.heat > 0).sort((one, other) => other.heat - one.heat || one.id - other.id);
hotspots.forEach((file, place) => { file.hotspotRank = place + 1; });

const mostActive = largest(files, (file) => file.activity, 1e-9);

// The kinds of use that a link's bits stand for, in words.
function kindsOfUse(bits) {
  return DATA.link_kinds.filter((_, place) => bits & (1 << place)).map((kind) => kind.replace("_", " ")).join(", ");
}

const count = (number, word, words = `${word}s`) => `${number.toLocaleString("en")} ${number === 1 ? word : words}`;
