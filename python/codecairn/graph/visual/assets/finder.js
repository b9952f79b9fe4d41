// The box that finds symbols and files by parts of their names.

const MAX_FOUND = 40;
const findBox = document.getElementById("find");
const foundList = document.getElementById("found");
let found = [];
let foundAt = 0;

// How well a name answers, higher is better; 0 if it does not. Letters in order are enough: `gdw` finds `getDirWalk`.
function answers(node, wanted) {
  const name = node.name.toLowerCase();
  if (name === wanted) return 100;
  if (name.startsWith(wanted)) return 80;
  if (name.includes(wanted)) return 60;
  const whole = (node.type === "file" ? node.path : node.scope + node.name).toLowerCase();
  if (whole.includes(wanted)) return 40;
  let at = 0;
  for (const letter of name) if (letter === wanted[at]) at += 1;
  return wanted.length > 2 && at === wanted.length ? 20 : 0;
}

function find() {
  const wanted = findBox.value.trim().toLowerCase();
  const scored = wanted === "" ? [] : [...symbols, ...files]
    .map((node) => ({ node, score: answers(node, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || byImportance(one.node, other.node));
  found = scored.slice(0, MAX_FOUND).map(({ node }) => node);
  foundAt = 0;
  const rows = found.map((node, place) => {
    const row = element("li", { role: "option", id: `found-${place}`, onmousedown: (event) => event.preventDefault(), onclick: () => go(node) },
      element("span", { className: "row-name", textContent: node.name }),
      element("span", { className: "row-kind", textContent: node.kind }),
      element("span", { className: "row-place", textContent: placeText(node) }));
    return row;
  });
  const none = element("li", { className: "none", textContent: "Nothing that is shown has such a name." });
  foundList.replaceChildren(...(rows.length || wanted === "" ? rows : [none]));
  setFinding(wanted !== "");
  mark();
}

function setFinding(isOpen) {
  foundList.hidden = !isOpen;
  findBox.setAttribute("aria-expanded", String(isOpen));
  if (!isOpen) findBox.removeAttribute("aria-activedescendant");
}

function mark() {
  [...foundList.children].forEach((row, place) => {
    row.setAttribute("aria-selected", String(place === foundAt && found.length > 0));
  });
  if (found.length === 0) return;
  findBox.setAttribute("aria-activedescendant", `found-${foundAt}`);
  foundList.children[foundAt].scrollIntoView({ block: "nearest" });
}

function go(node) {
  setFinding(false);
  choose(node);
  canvas.focus({ preventScroll: true });
}

findBox.addEventListener("input", find);
findBox.addEventListener("focus", () => { if (findBox.value.trim()) find(); });
findBox.addEventListener("blur", () => setFinding(false));
findBox.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    if (found.length) foundAt = (foundAt + (event.key === "ArrowDown" ? 1 : found.length - 1)) % found.length;
    mark();
  } else if (event.key === "Enter" && found.length) {
    event.preventDefault();
    go(found[foundAt]);
  } else if (event.key === "Escape" && !foundList.hidden) {
    event.preventDefault();
    event.stopPropagation();
    setFinding(false);
  }
});
