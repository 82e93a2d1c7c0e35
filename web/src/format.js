// How figures are written. Only the writing happens here: every figure comes from the result files.
const minus = (text) => text.replace(/^-/, "−");
const grouped = (digits) => new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const is_number = (value) => typeof value === "number" && Number.isFinite(value);

/** 19469.77 → "19,469.8" */
export function nats(value) {
  return is_number(value) ? minus(grouped(1).format(value)) : "—";
}

/** Few digits for axes and cells: 2298199 → "2.3M", 5653 → "5.7k", 124.2 → "124", 0.31 → "0.31" */
export function short(value) {
  if (!is_number(value)) return "—";
  const size = Math.abs(value);
  for (const [unit, sign] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (size >= 0.9995 * unit) return minus(trimmed(value / unit, Math.abs(value / unit) < 9.95 ? 1 : 0)) + sign;
  }
  if (size >= 9.95 || size === 0) return minus(value.toFixed(0));
  return minus(trimmed(value, size < 0.995 ? 2 : 1));
}

const trimmed = (value, digits) => value.toFixed(digits).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");

/** A variance or another plain number: up to `digits` significant ones, "1e-6" for the very small. */
export function plain(value, digits = 4) {
  if (!is_number(value)) return "—";
  if (value !== 0 && (Math.abs(value) < 0.99e-4 || Math.abs(value) >= 1e6)) {
    return minus(value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e"));
  }
  return minus(String(Number(value.toPrecision(digits))));
}

export const count = (value) => (is_number(value) ? minus(grouped(0).format(value)) : "—");
export const percent = (value, digits = 1) => (is_number(value) ? minus((100 * value).toFixed(digits)) + " %" : "—");
export const points = (value, digits = 1) => (is_number(value) ? minus((100 * value).toFixed(digits)) : "—");
export const fixed = (value, digits) => (is_number(value) ? minus(value.toFixed(digits)) : "—");
/** Figures of one unit: "4.8, 5.1 and 2.0 points" */
export const listed_points = (values) => `${list(values.map((v) => points(v, 1)))} points`;
export const pair = (cell) => `(${plain(cell.weight_variance)},\u00a0${plain(cell.bias_variance)})`;
export const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

export function duration(seconds) {
  if (!is_number(seconds)) return "—";
  if (seconds < 1) return `${Math.round(1000 * seconds)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

export const bytes = (value) => (value >= 1e9 ? `${(value / 1e9).toFixed(2)} GB` : `${Math.max(1, Math.round(value / 1e6))} MB`);

/** ["a", "b", "c"] → "a, b and c" */
export function list(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
