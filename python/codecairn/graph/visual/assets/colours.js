// Colours of both themes. Hues are told apart by people with any kind of colour vision, and nothing is told by hue alone.

const THEMES = {
  light: {
    ground: "#f6f7f9", ink: "#1b2430", quiet: "#566273", line: "#b9c1cc", faded: "#d3d8df", in: "#0072b2", out: "#c24a00", ring: "#111820",
    hues: ["#0072b2", "#d55e00", "#00875f", "#a8437f", "#3d9fd8", "#b57a00", "#6a51a3", "#4f8f8b"],
    heat: ["#ccd2da", "#f3c46b", "#ee8f26", "#c9540d", "#7d2a06"],
    discAlpha: 0.07, linkAlpha: 0.17,
  },
  dark: {
    ground: "#0f141b", ink: "#e6ebf2", quiet: "#9aa8ba", line: "#4a576a", faded: "#2b3543", in: "#62bdf5", out: "#ff9a5c", ring: "#ffffff",
    hues: ["#56b4e9", "#f0a23a", "#2fc39a", "#dd8fbb", "#8fa2ff", "#e6d95c", "#ff8660", "#9ad0cc"],
    heat: ["#3d4856", "#7d5a1e", "#c07a1c", "#f0ad4e", "#fff1c4"],
    discAlpha: 0.085, linkAlpha: 0.2,
  },
};

const KIND_HUES = { function: 0, method: 4, class: 1, struct: 5, interface: 3, trait: 6, enum: 2, type: 7, file: 0 };

const darkness = matchMedia("(prefers-color-scheme: dark)");
let theme = darkness.matches ? THEMES.dark : THEMES.light;

// Gives each group the hue whose nearest other disc is farthest away; the largest choose first.
function assignHues(discs) {
  const done = [];
  const uses = THEMES.light.hues.map(() => 0);
  for (const disc of discs.filter(({ group }) => !group.isRest)) {
    let [best, bestRoom] = [0, -Infinity];
    uses.forEach((used, hue) => {
      const room = done.reduce(
        (least, other) => (other.hue === hue ? Math.min(least, Math.hypot(disc.x - other.x, disc.y - other.y) - other.r) : least),
        1e6 - used,
      );
      if (room > bestRoom) [best, bestRoom] = [hue, room];
    });
    uses[best] += 1;
    disc.group.hue = best;
    done.push({ hue: best, x: disc.x, y: disc.y, r: disc.r + disc.r });
  }
}

const groupColour = (group) => (group.isRest ? theme.quiet : theme.hues[group.hue]);

// From 0, no activity, to 4, the most; a step up is a doubling of the share.
function heatStep(activity) {
  if (activity <= 0) return 0;
  const share = activity / mostActive;
  return share > 0.5 ? 4 : share > 0.2 ? 3 : share > 0.07 ? 2 : 1;
}

const COLOURINGS = {
  group: (node) => groupColour(node.group),
  community: (node) => groupColour(node.community),
  kind: (node) => theme.hues[KIND_HUES[node.kind] ?? 7],
  activity: (node) => theme.heat[heatStep(node.activity)],
};

const isType = (node) => !["function", "method", "file"].includes(node.kind);
