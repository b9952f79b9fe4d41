// Pointer and keyboard on the map.

const pointers = new Map();
const hint = document.getElementById("hint");
let pressed = null;

const local = (event) => {
  const box = canvas.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
};

function hover(node, place) {
  if (node !== state.hovered) {
    changed({ hovered: node });
    canvas.classList.toggle("over", node !== null);
    hint.hidden = node === null;
    if (node !== null) {
      const note = node.type === "file" ? count(node.symbols.length, "symbol") : node.kind;
      hint.replaceChildren(
        element("span", { className: "row-name", textContent: node.name }),
        element("span", { className: "row-kind", textContent: `${note}, used by ${node.incoming.length}, uses ${node.outgoing.length}` }),
        element("span", { className: "row-place", textContent: placeText(node) }));
    }
  }
  if (node !== null) {
    const x = Math.min(place.x + 14, size.width - hint.offsetWidth - 8);
    const y = place.y + 18 + hint.offsetHeight > size.height ? place.y - hint.offsetHeight - 10 : place.y + 18;
    hint.style.left = `${Math.max(8, x)}px`;
    hint.style.top = `${y}px`;
  }
}

function pinch() {
  const [one, other] = [...pointers.values()];
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, width: Math.hypot(one.x - other.x, one.y - other.y) || 1 };
}

canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, local(event));
  pressed = pointers.size === 1 ? { ...local(event), isMoved: false } : null;
  flight = null;
});

canvas.addEventListener("pointermove", (event) => {
  const place = local(event);
  const before = pointers.get(event.pointerId);
  if (before === undefined) {
    hover(under(place.x, place.y).node, place);
    return;
  }
  if (pointers.size === 2) {
    const old = pinch();
    pointers.set(event.pointerId, place);
    const now = pinch();
    camera.x -= (now.x - old.x) / camera.scale;
    camera.y -= (now.y - old.y) / camera.scale;
    zoomAt(now.x, now.y, now.width / old.width);
    return;
  }
  pointers.set(event.pointerId, place);
  if (pressed !== null && !pressed.isMoved && Math.hypot(place.x - pressed.x, place.y - pressed.y) < 4) return;
  if (pressed !== null) pressed.isMoved = true;
  canvas.classList.add("moving");
  hover(null, place);
  camera.x -= (place.x - before.x) / camera.scale;
  camera.y -= (place.y - before.y) / camera.scale;
  repaint();
});

function release(event) {
  pointers.delete(event.pointerId);
  canvas.classList.remove("moving");
  if (event.type === "pointerup" && pressed !== null && !pressed.isMoved) {
    const { node, disc } = under(pressed.x, pressed.y);
    changed({ chosen: node ?? disc?.group ?? null });
  }
  pressed = null;
}
canvas.addEventListener("pointerup", release);
canvas.addEventListener("pointercancel", release);
canvas.addEventListener("pointerleave", (event) => { if (!pointers.size) hover(null, local(event)); });

canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  const place = local(event);
  const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
  zoomAt(place.x, place.y, Math.exp(-Math.max(-240, Math.min(240, event.deltaY * lines)) * 0.0018));
}, { passive: false });

canvas.addEventListener("dblclick", (event) => {
  const { node, disc } = under(local(event).x, local(event).y);
  if (node ?? disc) focusOn(node ?? disc.group);
});

// Goes to the next node in order of importance, among those lit if something is chosen.
function step(direction) {
  const { ranked } = scene();
  const at = ranked.indexOf(state.chosen);
  choose(ranked[at < 0 ? 0 : (at + direction + ranked.length) % ranked.length]);
}

const KEYS = {
  ArrowLeft: () => flyTo({ ...camera, x: camera.x - 90 / camera.scale }),
  ArrowRight: () => flyTo({ ...camera, x: camera.x + 90 / camera.scale }),
  ArrowUp: () => flyTo({ ...camera, y: camera.y - 90 / camera.scale }),
  ArrowDown: () => flyTo({ ...camera, y: camera.y + 90 / camera.scale }),
  "+": () => zoomBy(1.4),
  "=": () => zoomBy(1.4),
  "-": () => zoomBy(1 / 1.4),
  0: () => flyTo(everything()),
  n: () => step(1),
  p: () => step(-1),
  Enter: () => panel.querySelector("button")?.focus(),
};

canvas.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  if (scene().nodes.length) KEYS[event.key]();
});

document.addEventListener("keydown", (event) => {
  const isWriting = document.activeElement === findBox;
  if (event.key === "/" && !isWriting && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    findBox.focus();
    findBox.select();
  } else if (event.key === "Escape" && !isWriting && state.chosen !== null) {
    changed({ chosen: null });
    if (isMap()) canvas.focus({ preventScroll: true });
  }
});
