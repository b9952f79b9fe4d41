// Moves circles until they lie close together without overlapping. The same circles always come to lie the same way.

const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

// Circles in a spiral around the origin, the first in its centre; `aspect` is width by height.
function spread(circles, aspect) {
  let area = 0;
  circles.forEach((circle, place) => {
    const distance = Math.sqrt(area / Math.PI) * 1.25;
    circle.x = distance * Math.cos(place * GOLDEN_ANGLE) * Math.sqrt(aspect);
    circle.y = (distance * Math.sin(place * GOLDEN_ANGLE)) / Math.sqrt(aspect);
    area += Math.PI * circle.r * circle.r;
  });
}

// Pushes overlapping circles apart, once; `share` is how much of an overlap is undone.
function separate(circles, gap, share) {
  const size = 2 * circles.reduce((most, circle) => Math.max(most, circle.r), 0) + gap;
  const cells = new Map();
  circles.forEach((circle, place) => {
    circle.column = Math.floor(circle.x / size);
    circle.row = Math.floor(circle.y / size);
    const key = circle.column * 65536 + circle.row;
    const cell = cells.get(key);
    if (cell === undefined) cells.set(key, [place]);
    else cell.push(place);
  });
  circles.forEach((circle, place) => {
    for (let column = circle.column - 1; column <= circle.column + 1; column += 1) {
      for (let row = circle.row - 1; row <= circle.row + 1; row += 1) {
        for (const near of cells.get(column * 65536 + row) ?? []) {
          if (near > place) pushApart(circle, circles[near], gap, share, place);
        }
      }
    }
  });
}

function pushApart(one, other, gap, share, place) {
  let dx = other.x - one.x;
  let dy = other.y - one.y;
  const wanted = one.r + other.r + gap;
  let squared = dx * dx + dy * dy;
  if (squared >= wanted * wanted) return;
  if (squared < 1e-9) {
    dx = 1e-3 * Math.cos(place);
    dy = 1e-3 * Math.sin(place);
    squared = 1e-6;
  }
  const distance = Math.sqrt(squared);
  const push = (share * (wanted - distance)) / distance;
  // The larger circle gives way less.
  const weight = (other.r * other.r) / (one.r * one.r + other.r * other.r);
  one.x -= dx * push * weight;
  one.y -= dy * push * weight;
  other.x += dx * push * (1 - weight);
  other.y += dy * push * (1 - weight);
}

// Draws linked circles together. A spring is {one, other, strength}.
function pull(springs, cooling) {
  for (const { one, other, strength } of springs) {
    const dx = other.x - one.x;
    const dy = other.y - one.y;
    const distance = Math.hypot(dx, dy) || 1e-3;
    const slack = distance - one.r - other.r;
    if (slack <= 0) continue;
    const step = (cooling * strength * slack) / distance / 2;
    one.x += dx * step;
    one.y += dy * step;
    other.x -= dx * step;
    other.y -= dy * step;
  }
}

// Lays circles out around the origin, in a disc or an ellipse; returns the radius that holds all.
function settle(circles, springs, { gap, rounds, gravity, aspect = 1 }) {
  spread(circles, aspect);
  for (let round = 0; round < rounds; round += 1) {
    const cooling = 1 - round / rounds;
    pull(springs, cooling);
    for (const circle of circles) {
      circle.x *= 1 - (gravity * cooling) / aspect;
      circle.y *= 1 - gravity * cooling * aspect;
    }
    separate(circles, gap, 0.6);
  }
  for (let round = 0; round < 40; round += 1) separate(circles, gap, 0.9);
  return centre(circles);
}

// Moves the circles so that the middle of all of them is the origin.
function centre(circles) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, r } of circles) {
    left = Math.min(left, x - r);
    right = Math.max(right, x + r);
    top = Math.min(top, y - r);
    bottom = Math.max(bottom, y + r);
  }
  let radius = 0;
  for (const circle of circles) {
    circle.x -= (left + right) / 2;
    circle.y -= (top + bottom) / 2;
    radius = Math.max(radius, Math.hypot(circle.x, circle.y) + circle.r);
  }
  return radius;
}
