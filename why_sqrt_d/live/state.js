/* A figure's state as words: what an address carries, only values that are not the start's. */

/** The state that `fields` read from a record of words, and a sentence for each that cannot be. */
export function readState(fields, given) {
  const state = {}, problems = [];
  for (const field of fields) {
    state[field.key] = field.start;
    if (!(field.key in given)) continue;
    try {
      state[field.key] = field.parse(String(given[field.key]));
    } catch (problem) {
      problems.push(problem.message);
    }
  }
  return { state, problems };
}

/** The record of words for a state. */
export function writeState(fields, state) {
  const changed = fields.filter(field => field.text(state[field.key]) !== field.text(field.start));
  return Object.fromEntries(changed.map(field => [field.key, field.text(state[field.key])]));
}

/** `#fig-growth?d=64&seed=3` for a figure and its record. */
export function toHash(name, words) {
  const query = new URLSearchParams(words).toString().replaceAll("%2C", ",");
  return `#${name}${query ? `?${query}` : ""}`;
}

/** The record in an address for this figure, or null if it speaks of something else. */
export function fromHash(name, hash) {
  const [before, query = ""] = hash.slice(1).split("?");
  return before === name ? Object.fromEntries(new URLSearchParams(query)) : null;
}
