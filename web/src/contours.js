// Lines of equal drop on a grid, in cell coordinates (the centre of cell (0, 0) is (0, 0)).
import { contours } from "d3";

/** values[row * columns + column], NaN where there is none. Returns [{ level, points: [[x, y], …] }]. */
export function contour_lines(values, columns, rows, levels) {
  const heights = values.map((v) => (Number.isNaN(v) ? -1e300 : -v));
  const draw = contours().size([columns, rows]).smooth(true);
  return levels.flatMap((level) =>
    draw.contour(heights, -level).coordinates.flat().flatMap((ring) =>
      without_border(ring, columns, rows).map((points) => ({ level, points: points.map(([x, y]) => [x - 0.5, y - 0.5]) }))));
}

/** d3 closes its rings along the border; those parts are no contour. What remains is led straight on to the border. */
function without_border(ring, columns, rows) {
  const border = ([x, y]) => x <= 0 || y <= 0 || x >= columns || y >= rows;
  const meets = (inner, [x, y]) => (x <= 0 || x >= columns ? [x, inner[1]] : [inner[0], y]);
  const start = ring.findIndex(border);
  if (start < 0) return [ring];
  const parts = [];
  let part = [];
  for (let i = 1; i < ring.length; ++i) {
    const before = ring[(start + i - 1) % (ring.length - 1)], point = ring[(start + i) % (ring.length - 1)];
    if (!border(point)) {
      if (part.length === 0) part.push(meets(point, before));
      part.push(point);
    } else if (part.length) {
      parts.push([...part, meets(before, point)]);
      part = [];
    }
  }
  return parts;
}
