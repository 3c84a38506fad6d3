/* SVG by hand: a drawing as wide as its place, so that its text has the size of text. */
export { scaleLinear as linear, scaleLog as logarithmic } from "./d3.js";

const SPACE = "http://www.w3.org/2000/svg";
const THIN = "\u202f";
const PHONE = 430; // drawings are not so tall there: the controls below them stay in sight

const FORMATS = Array.from({ length: 5 }, (_, digits) => new Intl.NumberFormat("en", {
  minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: "min2", signDisplay: "negative" }));

/** A number with `digits` decimals as the course writes it: thin spaces from five digits on, a true minus. */
export const fixed = (x, digits) => FORMATS[digits].format(x).replaceAll(",", THIN).replace("-", "−");

/** A whole number. */
export const whole = x => fixed(x, 0);

/** A number with about three digits, without zeros that say nothing. */
export function short(x) {
  const size = Math.abs(x);
  if (size >= 999.5 || Number.isInteger(x)) return whole(x);
  if (size > 0 && size < 0.001) return x.toExponential(0).replace("e-", " × 10^−");
  return String(Number(size.toPrecision(3))).replace(/^/, x < 0 ? "−" : "");
}

/** How many, in the mean: one decimal below ten. */
export const few = x => (x < 9.95 ? fixed(x, 1) : whole(x));

/** A number with so many digits. */
export const rounded = (x, digits = 3) => short(Number(x.toPrecision(digits)));

/** A share as a percentage: one decimal only near the ends. */
export function percent(share) {
  const value = 100 * share;
  if (value > 0 && value < 0.05) return `under 0.1${THIN}%`;
  if (value < 100 && value >= 99.95) return `over 99.9${THIN}%`;
  const near = (value > 99 && value < 99.95) || (value > 0 && value < 0.95);
  return `${value.toFixed(near ? 1 : 0)}${THIN}%`;
}

/** One SVG element. */
export function shape(tag, attributes = {}, text) {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const at = x => Math.round(x * 100) / 100;

/** A line through points [x, y]; a gap where y is not finite. */
export function line(points, x, y, name = "live-curve", extra = {}) {
  let text = "", pen = "M";
  for (const [u, v] of points) {
    if (Number.isFinite(v)) {
      text += `${pen}${at(x(u))} ${at(y(v))}`;
      pen = "L";
    } else pen = "M";
  }
  return shape("path", { class: name, d: text, ...extra });
}

/** Bars of a histogram as one path: `bins` are [from, to, height]. */
export function columns(bins, x, y, name = "live-bars", gap = 0.5) {
  const floor = at(y(y.domain()[0]));
  let text = "";
  for (const [from, to, height] of bins) {
    if (!height) continue;
    const left = x(from), right = x(to), inset = right - left > 3 ? gap : 0;
    text += `M${at(left + inset)} ${floor}V${at(y(height))}H${at(right - inset)}V${floor}Z`;
  }
  return shape("path", { class: name, d: text });
}

/** One bar with rounded top. */
export function bar(left, top, width, floor, name = "live-bar") {
  const height = Math.max(1, floor - top);
  return shape("rect", { class: name, x: at(left), y: at(floor - height),
    width: at(width), height: at(height), rx: 2 });
}

/** Bars side by side on a line: `parts` are { weight, look, label, name, wide }, where `label` stands above
    the bar and `name` below, and `wide` is how many of the `slots` it takes. */
export function bars(area, y, parts, slots = parts.length) {
  const step = (area.right - area.left) / slots;
  let end = area.left;
  return [parts.map(({ weight, look = "live-bar", label, name, wide = 1 }) => {
    const left = end + 0.14 * step, right = end + (wide - 0.14) * step;
    const within = room => Math.min(Math.max((left + right) / 2, area.left + room), area.right - room);
    end += wide * step;
    return [bar(left, y(weight), right - left, area.floor, look),
      ...(label ? [words(label, within(22), y(weight) - 7, "middle", look.startsWith("live-top") ? "live-hot" : "live-strong")] : []),
      ...(name ? [words(name, within(name.length > 3 ? 30 : 0), area.floor + 19)] : [])];
  }), level(area.floor + 0.5, area.left, area.right, "live-axis")].flat(2);
}

/** Words at a place; `anchor` is start, middle or end. */
export function words(text, x, y, anchor = "middle", name = "live-text") {
  return shape("text", { class: name, x: at(x), y: at(y), "text-anchor": anchor }, text);
}

/** The point where the controls are, and what it has, on one side of it. */
export function point(x, y, text, right, dy, away = 10) {
  return [shape("circle", { class: "live-top", cx: x, cy: y, r: 6 }),
    words(text, x + (right ? away : -away), y + dy, right ? "start" : "end", "live-hot")];
}

/** A vertical line at a value, with its words on top. */
export function upright(x, top, floor, name = "live-reference") {
  return shape("line", { class: name, x1: at(x), x2: at(x), y1: at(top), y2: at(floor) });
}

export function level(y, left, right, name = "live-reference") {
  return shape("line", { class: name, x1: at(left), x2: at(right), y1: at(y), y2: at(y) });
}

/** The horizontal axis: a line, ticks with their numbers, what it measures below. */
export function below(area, x, { ticks, format = short, label } = {}) {
  const { left, right, floor } = area;
  const shown = ticks ?? x.ticks(Math.max(3, Math.min(7, Math.floor((right - left) / 70))));
  const marks = [level(floor + 0.5, left, right, "live-axis")];
  for (const tick of shown)
    marks.push(upright(x(tick), floor, floor + 5, "live-axis"), words(format(tick), x(tick), floor + 19));
  if (label) marks.push(words(label, (left + right) / 2, floor + 39, "middle", "live-label"));
  return marks;
}

/** The vertical axis: numbers and faint lines, what it measures above. */
export function beside(area, y, { ticks, format = short, label } = {}) {
  const { left, right, top } = area, marks = [];
  for (const tick of ticks ?? y.ticks(4))
    marks.push(level(y(tick), left, right, "live-grid"), words(format(tick), left - 7, y(tick) + 4, "end"));
  if (label) marks.push(words(label, 0, top - 10, "start", "live-label"));
  return marks;
}

/** A drawing that follows the width of its place. `draw(area)` returns the marks, or lists of marks. */
export class Plot {
  constructor({ height = 230, margin = {} }) {
    this.height = height;
    this.margin = { top: 14, right: 8, bottom: 46, left: 8, ...margin };
    this.element = shape("svg", { class: "live-plot", role: "img" });
  }

  /** Take the size that the place gives. */
  fit() {
    const narrow = this.element.closest(".live").clientWidth < PHONE;
    this.size = { width: this.element.clientWidth, height: this.height * (narrow ? 0.76 : 1) };
    this.element.setAttribute("viewBox", `0 0 ${this.size.width} ${this.size.height}`);
    this.element.setAttribute("height", this.size.height);
  }

  /** Draw, and say to who cannot see it what is there. */
  show(draw, description) {
    this.element.setAttribute("aria-label", description);
    if (!this.size) return; // it has no place yet
    const { top, right, bottom, left } = this.margin;
    const area = { left, top, right: this.size.width - right, floor: this.size.height - bottom };
    const marks = draw(area).flat(), held = [...this.element.children];
    marks.forEach((mark, i) => { // most are as they were, and are not laid out again
      if (!held[i]) this.element.append(mark);
      else if (!held[i].isEqualNode(mark)) held[i].replaceWith(mark);
    });
    for (const old of held.slice(marks.length)) old.remove();
  }
}
