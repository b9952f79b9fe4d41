// Writes names on the map: first those of what is chosen, then of groups, then of nodes, as long as there is room.

const MAX_NODE_LABELS = 260;
const FONTS = { strong: "650 13px system-ui, sans-serif", soft: "11px system-ui, sans-serif", node: "500 11.5px system-ui, sans-serif" };

const widths = new Map();

function widthOf(text, font) {
  const key = font + text;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 20000) widths.clear();
    pen.font = font;
    width = pen.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

// Boxes that are taken, found by the cells that they touch.
class Room {
  constructor() {
    this.cells = new Map();
  }

  take(left, top, right, bottom) {
    const keys = [];
    for (let column = Math.floor(left / 64); column <= Math.floor(right / 64); column += 1) {
      for (let row = Math.floor(top / 24); row <= Math.floor(bottom / 24); row += 1) keys.push(column * 4096 + row);
    }
    const isTaken = keys.some((key) => (this.cells.get(key) ?? []).some(
      (box) => box[0] < right && box[2] > left && box[1] < bottom && box[3] > top,
    ));
    if (isTaken) return false;
    for (const key of keys) {
      if (this.cells.has(key)) this.cells.get(key).push([left, top, right, bottom]);
      else this.cells.set(key, [[left, top, right, bottom]]);
    }
    return true;
  }
}

function write(text, x, y, font, colour) {
  pen.font = font;
  pen.lineWidth = 3.5;
  pen.strokeStyle = theme.ground;
  pen.strokeText(text, x, y);
  pen.fillStyle = colour;
  pen.fillText(text, x, y);
}

const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

// The last two parts of a path say enough on a map.
const placeOf = (group) => shortened(group.place === "." ? DATA.name : group.place.split("/").slice(-2).join("/"), 34);

function paintLabels(shown, near, lit) {
  const room = new Room();
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  const important = [state.hovered, state.chosen].filter((item) => item?.r !== undefined);
  for (const node of important) labelNode(node, room, true);
  if (lit !== null) {
    const around = [...lit].sort(byImportance).slice(0, 60);
    for (const node of around) if (node.r !== undefined && isOnScreen(node)) labelNode(node, room, false);
  }
  const bright = litGroups();
  for (const disc of near) if (bright.has(disc.group)) labelDisc(disc, room, false);
  for (const disc of near) if (!bright.has(disc.group)) labelDisc(disc, room, lit !== null);
  let left = lit === null ? MAX_NODE_LABELS : 60;
  for (const node of shown.ranked) {
    if (left === 0) break;
    if (lit !== null && !lit.has(node)) continue;
    if (node.r * camera.scale < 7 || !isOnScreen(node)) continue;
    if (labelNode(node, room, false)) left -= 1;
  }
}

function labelDisc(disc, room, isDimmed) {
  const reach = disc.r * camera.scale;
  if (reach < 24 || (isDimmed && reach < 60)) return;
  const place = toScreen(disc.x, disc.y);
  const text = placeOf(disc.group);
  const names = reach > 30 ? shortened(disc.group.names.slice(0, reach > 110 ? 3 : 1).join(", "), Math.max(14, reach / 4)) : "";
  const half = Math.max(widthOf(text, FONTS.strong), names ? widthOf(names, FONTS.soft) : 0) / 2 + 3;
  const height = names ? 34 : 20;
  // On the rim, or inside of the map where the rim is above it.
  const top = Math.max(place.y - reach - 9, Math.min(6, place.y + reach - height));
  if (!room.take(place.x - half, top, place.x + half, top + height)) return;
  pen.textAlign = "center";
  pen.globalAlpha = isDimmed ? 0.55 : 1;
  write(text, place.x, top + 10, FONTS.strong, theme.ink);
  if (names) write(names, place.x, top + 26, FONTS.soft, theme.quiet);
  pen.globalAlpha = 1;
}

function labelNode(node, room, isForced) {
  const place = toScreen(node.x, node.y);
  const text = shortened(node.name, 40);
  const width = widthOf(text, FONTS.node);
  const reach = node.r * camera.scale;
  // Inside of a node that is large enough, else below it.
  const y = reach * 2 > width + 10 ? place.y : place.y + reach + 9;
  const isFree = room.take(place.x - width / 2 - 2, y - 8, place.x + width / 2 + 2, y + 8);
  if (!isFree && !isForced) return false;
  pen.textAlign = "center";
  write(text, place.x, y, FONTS.node, theme.ink);
  return true;
}
