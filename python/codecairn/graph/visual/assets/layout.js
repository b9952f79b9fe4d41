// Places for the nodes of a view: each group of them a disc, the discs packed so that those that use one another lie close.
// Files are grouped by folders, symbols by communities.

const NODE_GAP = 3.5;
const DISC_MARGIN = 9;
const DISC_GAP = 16;

// Fewer rounds where there is more to move, so that no graph takes long.
const roundsFor = (circles) => Math.max(40, Math.min(110, Math.round(90000 / (circles.length + 1))));

// A springs' strength falls with the links of its ends: a node that everybody uses pulls nobody into its corner.
function springsOf(links, circleOf) {
  const springs = [];
  const degrees = new Map();
  for (const { source, target } of links) {
    const [one, other] = [circleOf(source), circleOf(target)];
    if (one === undefined || other === undefined || one === other) continue;
    springs.push({ one, other, strength: 0 });
    for (const end of [one, other]) degrees.set(end, (degrees.get(end) ?? 0) + 1);
  }
  for (const spring of springs) {
    spring.strength = 0.5 / Math.sqrt(Math.min(degrees.get(spring.one), degrees.get(spring.other)));
    spring.strength /= Math.sqrt(Math.max(degrees.get(spring.one), degrees.get(spring.other)));
  }
  return springs;
}

// How strongly groups are coupled: {one, other, uses, links}, the strongest first.
function couplingsOf(links, groups) {
  const couplings = new Map();
  for (const { source, target, uses } of links) {
    const [a, b] = [source.group, target.group];
    if (a === b) continue;
    const [one, other] = a.id < b.id ? [a, b] : [b, a];
    const key = one.id * groups.length + other.id;
    const known = couplings.get(key);
    if (known === undefined) {
      couplings.set(key, { one, other, uses, links: 1 });
    } else {
      known.uses += uses;
      known.links += 1;
    }
  }
  return [...couplings.values()].sort((a, b) => b.links - a.links || a.one.id - b.one.id || a.other.id - b.other.id);
}

function discsOf(links, groups, membersOf) {
  const inner = new Map(groups.map((group) => [group, []]));
  for (const link of links) {
    if (link.source.group === link.target.group) inner.get(link.source.group).push(link);
  }
  return groups.filter((group) => membersOf(group).length > 0).map((group) => {
    const nodes = membersOf(group);
    const own = inner.get(group);
    const radius = settle(nodes, springsOf(own, (node) => node), { gap: NODE_GAP, rounds: roundsFor(nodes), gravity: 0.03 });
    return { group, nodes, links: own, x: 0, y: 0, r: radius + DISC_MARGIN };
  });
}

// A view's nodes, links, discs and couplings, with a place and a radius for each node and disc.
function sceneOf(nodes, links, groups, { membersOf, radiusOf }) {
  for (const node of nodes) node.r = radiusOf(node);
  const discs = discsOf(links, groups, membersOf).sort((one, other) => other.r - one.r || one.group.id - other.group.id);
  const discOf = new Map(discs.map((disc) => [disc.group, disc]));
  const couplings = couplingsOf(links, groups).map((coupling) => ({
    ...coupling, from: discOf.get(coupling.one), to: discOf.get(coupling.other),
  }));
  const springs = couplings.map(({ from, to, links: number }) => ({
    one: from, other: to, strength: Math.min(0.25, 0.02 * Math.log2(1 + number)),
  }));
  const radius = settle(discs, springs, { gap: DISC_GAP, rounds: 240, gravity: 0.05, aspect: 1.3 });
  for (const disc of discs) {
    for (const node of disc.nodes) {
      node.x += disc.x;
      node.y += disc.y;
    }
  }
  return { nodes, links, discs, discOf, couplings, radius, ranked: [...nodes].sort(byImportance) };
}

function symbolScene() {
  const most = largest(symbols, (symbol) => symbol.importance, 1);
  return sceneOf(symbols, symbolLinks, communities, {
    membersOf: (community) => community.symbols,
    radiusOf: (symbol) => 3 + 15 * Math.sqrt(symbol.importance / most),
  });
}

function fileScene() {
  const most = largest(files, (file) => file.importance, 1);
  return sceneOf(files, fileLinks, folders, {
    membersOf: (folder) => folder.files,
    radiusOf: (file) => 5 + 22 * Math.sqrt(file.importance / most),
  });
}
