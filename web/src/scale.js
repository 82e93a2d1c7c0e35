// Shared drawing geometry: where a value lies between grid values, how a drop becomes a colour.

/** The smallest of 1, 2, 5 × 10^k that is not below `value`. */
export function round_up(value) {
  const decade = 10 ** Math.floor(Math.log10(value));
  for (const step of [1, 2, 5, 10]) if (step * decade >= value * (1 - 1e-9)) return step * decade;
  return 10 * decade;
}

/** Every 1, 2, 5 × 10^k in [low, high]. */
export function round_numbers(low, high) {
  const found = [];
  for (let k = Math.floor(Math.log10(low)); k <= Math.ceil(Math.log10(high)); ++k) {
    for (const step of [1, 2, 5]) {
      const value = Number(`${step}e${k}`);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) found.push(value);
    }
  }
  return found;
}

/**
 * How drops from the best are shown: by square root, so that both a small and a large drop are seen, up to `clip`,
 * a round number no smaller than the median drop. Half of the cells then lie inside the scale, however deep the others fall.
 */
export function drop_scale(drops) {
  const sorted = drops.filter((d) => Number.isFinite(d) && d > 0).sort((a, b) => a - b);
  if (sorted.length === 0) return { clip: 1, clipped: false, position: () => 0 };
  const middle = round_up(sorted[Math.floor((sorted.length - 1) / 2)]);
  const clipped = middle < sorted.at(-1);
  const clip = clipped ? middle : round_up(sorted.at(-1));
  return { clip, clipped, position: (drop) => Math.sqrt(Math.min(Math.max(drop, 0), clip) / clip) };
}

/** Ticks for a square-root axis up to `clip`: 0, clip, and round numbers that leave room between. */
export function drop_ticks(clip, gap = 0.17) {
  const ticks = [0];
  let last = 1;
  const inner = round_numbers(clip / 2000, clip).reverse();
  for (const value of inner) {
    const place = Math.sqrt(value / clip);
    if (place < gap) break;
    if (value === inner[0] || last - place >= gap) {
      ticks.push(value);
      last = place;
    }
  }
  return ticks.sort((a, b) => a - b);
}

const stops = 4;

/** t = 0: the best, t = 1: far from it. The page's style sheet holds the stops, so that light, dark and print differ. */
export function ramp(t) {
  const place = Math.min(Math.max(t, 0), 1) * stops;
  const lower = Math.min(Math.floor(place), stops - 1);
  const share = (100 * (place - lower)).toFixed(1);
  return `color-mix(in oklab, var(--ramp-${lower + 1}) ${share}%, var(--ramp-${lower}))`;
}

/** Text that is readable on ramp(t). */
export const ramp_ink = (t) => (t < 0.4 ? "var(--on-best)" : "var(--on-far)");

/** Ordered series (one per σ_b²): t in [0, 1]. */
export const series = (t) => `color-mix(in oklab, var(--series-1) ${(100 * t).toFixed(1)}%, var(--series-0))`;

/** The place of `value` in ascending `values`, counted in cells; null outside of the outer cells' edges. */
export function cell_place(values, value) {
  const last = values.length - 1;
  if (last === 0) return value === values[0] ? 0 : null;
  let i = 0;
  while (i < last - 1 && value > values[i + 1]) ++i;
  const place = i + (value - values[i]) / (values[i + 1] - values[i]);
  return place < -0.5 || place > last + 0.5 ? null : place;
}

/** The value at a place, the inverse of cell_place. */
export function value_at(values, place) {
  if (values.length === 1) return values[0];
  const i = Math.min(Math.max(Math.floor(place), 0), values.length - 2);
  return values[i] + (place - i) * (values[i + 1] - values[i]);
}

/** Ticks of a cell axis: every grid value if they fit, else round values in between. */
export function cell_ticks(values, fit) {
  if (values.length <= fit) return values.map((value, place) => ({ place, value }));
  const low = values[0], high = values.at(-1);
  const logarithmic = low > 0 && high / low > 50;
  const candidates = logarithmic ? round_numbers(low, high) : even_numbers(low, high, fit - 1);
  const ticks = [];
  for (const value of candidates) {
    const place = cell_place(values, value);
    if (place === null) continue;
    if (ticks.length && place - ticks.at(-1).place < values.length / (fit + 2)) continue;
    ticks.push({ place, value });
  }
  return ticks;
}

function even_numbers(low, high, wanted) {
  const step = round_up((high - low) / wanted);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9); ++k) found.push(Number((k * step).toPrecision(12)));
  return found;
}

export const unique = (values) => [...new Set(values)].sort((a, b) => a - b);
export const same_pair = (a, b) => a && b && a.weight_variance === b.weight_variance && a.bias_variance === b.bias_variance;
