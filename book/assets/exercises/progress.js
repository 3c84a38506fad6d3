/* What the reader has answered: kept in this browser under one key, one record an exercise,
 *   { "8.1": { "solved": "2026-11-22", "answer": "11.3", "numbers": 3 } }
 * (an older record is the date alone). If the browser keeps nothing, or its storage is full, the
 * record lives until the page is left. Every change reads first, so that two tabs agree. */
(exercises => {
  "use strict";

  const KEY = "why-sqrt-d.exercises", COURSE = "why-sqrt-d";
  let unsaved = null;

  const isRecord = x => Boolean(x) && typeof x === "object" && !Array.isArray(x);

  // A new object each time.
  function read() {
    if (unsaved) return { ...unsaved };
    try {
      const found = JSON.parse(localStorage.getItem(KEY));
      return isRecord(found) ? found : {};
    } catch {
      return {};
    }
  }

  function write(record) {
    try {
      localStorage.setItem(KEY, JSON.stringify(record));
      unsaved = localStorage.lost ? record : null;
    } catch {
      unsaved = record; // denied, or full
    }
  }

  // Whatever is stored or loaded: a record with fields of the right types only.
  function clean(raw) {
    const entry = isRecord(raw) ? raw : { solved: raw }, kept = {};
    if (typeof entry.solved === "string" && entry.solved) kept.solved = entry.solved.slice(0, 10);
    if (typeof entry.answer === "string") kept.answer = entry.answer.slice(0, 4000);
    if (typeof entry.code === "string") kept.code = entry.code.slice(0, 20000);
    if (Number.isInteger(entry.numbers) && entry.numbers > 0) kept.numbers = entry.numbers;
    return kept;
  }

  exercises.progress = {
    KEY,
    isKept: () => unsaved === null,
    entry: id => clean(read()[id]),
    update(id, change) {
      const record = read();
      write({ ...record, [id]: { ...clean(record[id]), ...change } });
    },
    clear: ids => write(Object.fromEntries(Object.entries(read()).filter(([id]) => !ids.includes(id)))),
    asText: () => JSON.stringify({ course: COURSE, exercises: read() }, null, 1),
    // Takes what `asText` gave; what is solved stays so. Returns how many, or -1 for another file.
    fromText(text) {
      let found;
      try { found = JSON.parse(text); } catch { return -1; }
      if (found?.course !== COURSE || !isRecord(found.exercises)) return -1;
      const entries = Object.entries(found.exercises).filter(([id]) => /^\d+[.]\d+$/.test(id));
      const record = read();
      for (const [id, entry] of entries) record[id] = { ...clean(record[id]), ...clean(entry) };
      write(record);
      return entries.length;
    },
  };
})(window.whySqrtDExercises ??= {});
