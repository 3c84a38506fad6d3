/* A figure's state as words: what an address carries, only values that are not the start's. */

/** The state that `fields` read from a record of words; where one cannot be read, the start's. */
export function readState(fields, given) {
  return Object.fromEntries(fields.map(({ key, parse, start }) =>
    [key, (key in given ? parse(String(given[key])) : undefined) ?? start]));
}

/** The record of words for a state. */
export function writeState(fields, state) {
  const changed = fields.filter(field => field.text(state[field.key]) !== field.text(field.start));
  return Object.fromEntries(changed.map(field => [field.key, field.text(state[field.key])]));
}

/** `#fig-growth?d=64&seed=3` for a figure and its record. */
export function toHash(name, words) {
  const query = new URLSearchParams(words).toString();
  return `#${name}${query ? `?${query}` : ""}`;
}

/** The record in an address for this figure, or null if it speaks of something else. */
export function fromHash(name, hash) {
  const [before, query = ""] = hash.slice(1).split("?");
  return before === name ? Object.fromEntries(new URLSearchParams(query)) : null;
}
