// Makes elements. Text of the data is only ever set as text.

function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("aria") && name !== "aria") made.setAttribute(name.replace(/^aria/, "aria-").toLowerCase(), value);
    else if (name === "role" || name === "scope") made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

const button = (text, onclick, className = "") => element("button", { type: "button", textContent: text, onclick, className });

// A list that shows its first rows, and all of them when asked.
function listOf(items, rowOf, { first = 12, tag = "ul", className = "rows" } = {}) {
  const list = element(tag, { className });
  const wrapped = (made) => (tag === "ul" ? element("li", {}, made) : made);
  for (const item of items.slice(0, first)) list.append(wrapped(rowOf(item)));
  if (items.length > first) {
    const more = wrapped(button(`Show all ${items.length.toLocaleString("en")}`, () => {
      const rest = items.slice(first).map((item) => wrapped(rowOf(item)));
      more.replaceWith(...rest);
      (rest[0].querySelector("button") ?? rest[0]).focus();
    }, "more"));
    list.append(more);
  }
  return list;
}

const placeText = (node) => (node.type === "symbol" ? `${node.path}:${node.line}` : node.path);

// A row that leads to a node.
function nodeRow(node, note = node.kind) {
  return element("button", { type: "button", onclick: () => choose(node) },
    element("span", { className: "row-name", textContent: node.name }),
    element("span", { className: "row-kind", textContent: note }),
    element("span", { className: "row-place", textContent: placeText(node) }));
}
