// Paints a frame of the map. What is far away is left out: lines inside of small discs, circles smaller than a point.

const MAX_COUPLINGS = 140;
const MAX_ARROWS = 400;

function paint() {
  if (!isMap() || size.width < 2) return;
  const started = performance.now();
  const shown = scene();
  const lit = spotlight();
  const { density } = size;
  pen.setTransform(density, 0, 0, density, 0, 0);
  pen.fillStyle = theme.ground;
  pen.fillRect(0, 0, size.width, size.height);
  pen.translate(size.width / 2, size.height / 2);
  pen.scale(camera.scale, camera.scale);
  pen.translate(-camera.x, -camera.y);
  const near = shown.discs.filter(isOnScreen);
  paintCouplings(shown, lit !== null);
  for (const disc of near) paintDisc(disc, lit !== null);
  for (const disc of near) paintLinks(disc, lit !== null);
  paintNodes(near, lit);
  if (lit !== null) paintSpotlight(lit);
  if (state.hovered !== null) ring(state.hovered, theme.ring, 2);
  pen.setTransform(density, 0, 0, density, 0, 0);
  paintLabels(shown, near, lit);
  canvas.dataset.frameMs = (performance.now() - started).toFixed(2);
}

function isOnScreen({ x, y, r }) {
  const place = toScreen(x, y);
  const reach = r * camera.scale;
  return place.x + reach > 0 && place.y + reach > 0 && place.x - reach < size.width && place.y - reach < size.height;
}

// Bundles of links between discs, each from rim to rim in an arc.
function paintCouplings(shown, isDimmed) {
  const chosen = isGroup(state.chosen) ? state.chosen : null;
  pen.lineCap = "round";
  shown.couplings.forEach(({ one, other, from, to, links }, place) => {
    const isChosen = chosen !== null && (one === chosen || other === chosen);
    if (!isChosen && (place >= MAX_COUPLINGS || chosen !== null)) return;
    const width = 0.6 + 1.3 * Math.log2(1 + links);
    pen.globalAlpha = isChosen ? 0.75 : isDimmed ? 0.12 : 0.3 + 0.5 * Math.min(1, links / 50);
    pen.strokeStyle = isChosen ? groupColour(chosen) : theme.line;
    pen.lineWidth = Math.max(width, 0.8 / camera.scale);
    const [middleX, middleY] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
    const bend = 0.13;
    pen.beginPath();
    pen.moveTo(from.x, from.y);
    pen.quadraticCurveTo(middleX - (to.y - from.y) * bend, middleY + (to.x - from.x) * bend, to.x, to.y);
    pen.stroke();
  });
  pen.globalAlpha = 1;
}

function paintDisc(disc, isDimmed) {
  const colour = state.colouring === "group" ? groupColour(disc.group) : theme.quiet;
  const isChosen = state.chosen === disc.group;
  pen.beginPath();
  pen.arc(disc.x, disc.y, disc.r, 0, 2 * Math.PI);
  pen.fillStyle = theme.ground;
  pen.fill();
  pen.globalAlpha = theme.discAlpha * (isDimmed && !isChosen ? 0.5 : 1);
  pen.fillStyle = colour;
  pen.fill();
  pen.globalAlpha = isChosen ? 1 : isDimmed ? 0.2 : 0.5;
  pen.strokeStyle = colour;
  pen.lineWidth = (isChosen ? 2.5 : 1.2) / camera.scale;
  pen.stroke();
  pen.globalAlpha = 1;
}

function paintLinks(disc, isDimmed) {
  if (disc.r * camera.scale < 45) return;
  const isChosen = state.chosen === disc.group;
  const crowd = Math.min(1, 12 / Math.sqrt(disc.links.length + 1) + 0.12);
  pen.globalAlpha = isDimmed && !isChosen ? 0.03 : Math.min(0.5, theme.linkAlpha * (0.6 + crowd) * (0.8 + 0.35 * camera.scale));
  pen.strokeStyle = theme.quiet;
  pen.lineWidth = 0.7 / Math.max(camera.scale, 0.7);
  pen.beginPath();
  for (const { source, target } of disc.links) {
    pen.moveTo(source.x, source.y);
    pen.lineTo(target.x, target.y);
  }
  pen.stroke();
  pen.globalAlpha = 1;
}

// All nodes of one colour are one path.
function paintNodes(discs, lit) {
  const colourOf = COLOURINGS[state.colouring];
  const paths = new Map();
  for (const disc of discs) {
    for (const node of disc.nodes) {
      const colour = lit === null || lit.has(node) ? colourOf(node) : theme.faded;
      const path = paths.get(colour);
      if (path === undefined) paths.set(colour, [node]);
      else path.push(node);
    }
  }
  for (const [colour, nodes] of paths) {
    pen.fillStyle = colour;
    pen.beginPath();
    for (const node of nodes) outline(node, node.r);
    pen.fill();
  }
}

// Callables and files are round, types are square; what is smaller than a point is square, too.
function outline(node, r) {
  if (isType(node) || r * camera.scale < 1.2) {
    const half = r * 0.9;
    pen.rect(node.x - half, node.y - half, 2 * half, 2 * half);
  } else {
    pen.moveTo(node.x + r, node.y);
    pen.arc(node.x, node.y, r, 0, 2 * Math.PI);
  }
}

function ring(node, colour, width) {
  pen.beginPath();
  outline(node, node.r + 2.2 / camera.scale);
  pen.strokeStyle = colour;
  pen.lineWidth = width / camera.scale;
  pen.stroke();
}

function paintSpotlight(lit) {
  const { chosen } = state;
  if (isGroup(chosen)) return;
  if (chosen.members) {
    const inside = chosen.members.flatMap((node) => node.outgoing.filter((link) => lit.has(link.target)));
    paintArrows(inside, theme.out);
    for (const node of chosen.members) ring(node, theme.ring, 1.5);
    return;
  }
  paintArrows(chosen.incoming, theme.in);
  paintArrows(chosen.outgoing, theme.out);
  ring(chosen, theme.ring, 2.5);
}

function paintArrows(links, colour) {
  pen.strokeStyle = colour;
  pen.fillStyle = colour;
  pen.globalAlpha = links.length > 60 ? 0.5 : 0.85;
  const head = Math.min(7 / camera.scale, 9);
  for (const { source, target, uses } of links.slice(0, MAX_ARROWS)) {
    const angle = Math.atan2(target.y - source.y, target.x - source.x);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const [startX, startY] = [source.x + cos * source.r, source.y + sin * source.r];
    const [tipX, tipY] = [target.x - cos * target.r, target.y - sin * target.r];
    pen.lineWidth = (1 + 0.5 * Math.log2(uses)) / camera.scale;
    pen.beginPath();
    pen.moveTo(startX, startY);
    pen.lineTo(tipX - cos * head, tipY - sin * head);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(tipX, tipY);
    pen.lineTo(tipX - cos * head * 1.6 - sin * head * 0.7, tipY - sin * head * 1.6 + cos * head * 0.7);
    pen.lineTo(tipX - cos * head * 1.6 + sin * head * 0.7, tipY - sin * head * 1.6 - cos * head * 0.7);
    pen.fill();
  }
  pen.globalAlpha = 1;
}
