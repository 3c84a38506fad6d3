/* What the reader has answered: kept in this browser under one key, one record an exercise,
 *   { "7.1": { "solved": "2026-11-22", "answer": "11.3", "numbers": 3 } }
 * (an older record is the date alone). If the browser keeps nothing, or its storage is full, the
 * record lives until the page is left. Every change reads first, so that two tabs agree. */
(function (exercises) {
  "use strict";

  var KEY = "why-sqrt-d.exercises", COURSE = "why-sqrt-d", unsaved = null;

  function isRecord(x) { return Boolean(x) && typeof x === "object" && !Array.isArray(x); }

  function read() {
    if (unsaved) return unsaved;
    try {
      var found = JSON.parse(window.localStorage.getItem(KEY) || "{}");
      return isRecord(found) ? found : {};
    } catch (error) {
      return {};
    }
  }

  function write(record) {
    try {
      window.localStorage.setItem(KEY, JSON.stringify(record));
      unsaved = null;
    } catch (error) {
      unsaved = record; // denied, or full
    }
  }

  // Whatever is stored or loaded: a record with fields of the right types only.
  function clean(raw) {
    var entry = isRecord(raw) ? raw : { solved: raw }, kept = {};
    if (typeof entry.solved === "string" && entry.solved) kept.solved = entry.solved.slice(0, 10);
    if (typeof entry.answer === "string") kept.answer = entry.answer.slice(0, 4000);
    if (typeof entry.code === "string") kept.code = entry.code.slice(0, 20000);
    if (Number.isInteger(entry.numbers) && entry.numbers > 0) kept.numbers = entry.numbers;
    return kept;
  }

  exercises.progress = {
    KEY: KEY,
    isKept: function () { return unsaved === null; },
    entry: function (id) { return clean(read()[id]); },
    update: function (id, change) {
      var record = Object.assign({}, read());
      record[id] = Object.assign(clean(record[id]), change);
      write(record);
    },
    // Forgets some exercises, and returns what undoes it.
    clear: function (ids) {
      var record = Object.assign({}, read()), removed = {};
      ids.forEach(function (id) {
        if (record[id] !== undefined) removed[id] = record[id];
        delete record[id];
      });
      write(record);
      return function () {
        var now = Object.assign({}, read());
        Object.keys(removed).forEach(function (id) {
          now[id] = Object.assign(clean(removed[id]), clean(now[id]));
        });
        write(now);
      };
    },
    asText: function () {
      return JSON.stringify({ course: COURSE, exercises: read() }, null, 1);
    },
    // Takes what `asText` gave; what is solved stays so. Returns how many, or -1 for another file.
    fromText: function (text) {
      var found;
      try { found = JSON.parse(text); } catch (error) { return -1; }
      if (!isRecord(found) || found.course !== COURSE || !isRecord(found.exercises)) return -1;
      var record = Object.assign({}, read());
      var ids = Object.keys(found.exercises).filter(function (id) { return /^[0-9]+[.][0-9]+$/.test(id); });
      ids.forEach(function (id) {
        record[id] = Object.assign(clean(record[id]), clean(found.exercises[id]));
      });
      write(record);
      return ids.length;
    }
  };
})(window.whySqrtDExercises = window.whySqrtDExercises || {});
