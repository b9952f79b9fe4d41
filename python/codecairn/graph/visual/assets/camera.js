// Where the map is looked at from. Lengths in the map are its own; `scale` is how many CSS pixels one of them has.

const canvas = document.getElementById("canvas");
const pen = canvas.getContext("2d");
const camera = { x: 0, y: 0, scale: 1 };
const SCALES = { least: 0.02, most: 14 };
const size = { width: 1, height: 1, density: 1 };
const prefersStill = matchMedia("(prefers-reduced-motion: reduce)");

let flight = null;
let isFrameDue = false;

const clamped = (scale) => Math.max(SCALES.least, Math.min(SCALES.most, scale));
const toMap = (x, y) => ({ x: (x - size.width / 2) / camera.scale + camera.x, y: (y - size.height / 2) / camera.scale + camera.y });
const toScreen = (x, y) => ({ x: (x - camera.x) * camera.scale + size.width / 2, y: (y - camera.y) * camera.scale + size.height / 2 });

function repaint() {
  if (isFrameDue) return;
  isFrameDue = true;
  requestAnimationFrame((now) => {
    isFrameDue = false;
    fly(now);
    paint();
  });
}

function resize() {
  const box = canvas.getBoundingClientRect();
  if (box.width < 1 || box.height < 1) return;
  const isFirst = size.width === 1;
  Object.assign(size, { width: box.width, height: box.height, density: Math.min(devicePixelRatio || 1, 2) });
  canvas.width = Math.round(size.width * size.density);
  canvas.height = Math.round(size.height * size.density);
  if (isFirst) Object.assign(camera, everything());
  repaint();
}

// The camera from which a circle fills the map.
function looking(x, y, r, most = SCALES.most) {
  const room = Math.min(size.width, size.height) / 2;
  return { x, y, scale: clamped(Math.min(room / (r * 1.06), most)) };
}

function everything() {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, r } of scene().discs) {
    [left, right] = [Math.min(left, x - r), Math.max(right, x + r)];
    [top, bottom] = [Math.min(top, y - r), Math.max(bottom, y + r)];
  }
  if (left > right) return { x: 0, y: 0, scale: 1 };
  // Beside the legend where there is room for that, and below the highest label.
  const aside = size.width > 1000 ? 245 : 0;
  const scale = clamped(Math.min((size.width - aside - 30) / (right - left), (size.height - 50) / (bottom - top)));
  return { x: (left + right) / 2 - aside / 2 / scale, y: (top + bottom) / 2 - 10 / scale, scale };
}

// Goes to another place, in a third of a second unless motion is unwelcome.
function flyTo(target) {
  if (prefersStill.matches) {
    Object.assign(camera, target);
    flight = null;
  } else {
    flight = { from: { ...camera }, to: target, start: performance.now(), time: 340 };
  }
  repaint();
}

function fly(now) {
  if (flight === null) return;
  const done = Math.min(1, Math.max(0, (now - flight.start) / flight.time));
  const eased = 1 - (1 - done) ** 3;
  const { from, to } = flight;
  camera.scale = from.scale * (to.scale / from.scale) ** eased;
  // Places go with the scale, so that the way looks straight.
  const way = Math.abs(to.scale - from.scale) < 1e-6 ? eased : (1 / camera.scale - 1 / from.scale) / (1 / to.scale - 1 / from.scale);
  camera.x = from.x + (to.x - from.x) * way;
  camera.y = from.y + (to.y - from.y) * way;
  if (done < 1) repaint();
  else flight = null;
}

function zoomAt(x, y, factor) {
  flight = null;
  const before = toMap(x, y);
  camera.scale = clamped(camera.scale * factor);
  const after = toMap(x, y);
  camera.x += before.x - after.x;
  camera.y += before.y - after.y;
  repaint();
}

const zoomBy = (factor) => {
  const target = { ...camera, scale: clamped((flight?.to.scale ?? camera.scale) * factor) };
  if (flight) Object.assign(target, { x: flight.to.x, y: flight.to.y });
  flyTo(target);
};

function focusOn(item) {
  if (item.members) {
    const xs = item.members.map((node) => node.x);
    const ys = item.members.map((node) => node.y);
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    flyTo(looking((left + right) / 2, (top + bottom) / 2, Math.hypot(right - left, bottom - top) / 2 + 40, 3));
  } else if (isGroup(item)) {
    const disc = scene().discOf.get(item);
    if (disc) flyTo(looking(disc.x, disc.y, disc.r, 4));
  } else {
    flyTo({ x: item.x, y: item.y, scale: Math.max(camera.scale, Math.min(3, 26 / item.r)) });
  }
}

// What lies at a place of the screen: a node, else a disc.
function under(x, y) {
  const place = toMap(x, y);
  const reach = 5 / camera.scale;
  let [found, least] = [null, Infinity];
  let around = null;
  for (const disc of scene().discs) {
    if (Math.hypot(disc.x - place.x, disc.y - place.y) > disc.r + reach) continue;
    around = disc;
    for (const node of disc.nodes) {
      const distance = Math.hypot(node.x - place.x, node.y - place.y) - node.r;
      if (distance < reach && distance < least) [found, least] = [node, distance];
    }
  }
  return { node: found, disc: around };
}
