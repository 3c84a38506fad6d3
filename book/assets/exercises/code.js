/* The field for code: Python runs it in a worker, which is made at the first run and again after it
 * was stopped. Nothing of Python is loaded before. */
(exercises => {
  "use strict";

  let worker = null, busy = false;

  exercises.secondsToRun = 20; // no thread watches Python here: the page does

  // The old command keeps the browser's undo.
  const insert = text => document.execCommand("insertText", false, text);

  // Tab and Enter indent. Escape lets the next Tab leave the field, so that nobody is caught in it.
  function setUpKeys(area, run) {
    let leaves = false;
    area.addEventListener("keydown", event => {
      const held = event.ctrlKey || event.metaKey || event.altKey;
      if (event.key === "Enter" && held) {
        event.preventDefault();
        run();
      } else if (event.key === "Enter") {
        const line = area.value.slice(0, area.selectionStart).split("\n").pop();
        event.preventDefault();
        insert(`\n${/^ */.exec(line)[0]}${/:\s*$/.test(line) ? "    " : ""}`);
      } else if (event.key === "Tab" && !event.shiftKey && !held && !leaves) {
        event.preventDefault();
        insert("    ");
      }
      leaves = event.key === "Escape";
    });
  }

  // `reader` takes what is said and the verdict, and knows the exercise's numbers.
  exercises.setUpCode = (place, exercise, reader) => {
    const form = place.closest("form"), stop = form.querySelector("[data-do=stop]");
    const python = JSON.parse(place.dataset.python);
    const area = place.querySelector("textarea"), bar = place.querySelector("progress");
    const printed = place.querySelector(".exercise-printed");
    let timer;

    function finish() {
      busy = false;
      clearTimeout(timer);
      bar.hidden = true;
      if (document.activeElement === stop) area.focus();
      stop.hidden = true;
    }
    function giveUp(sentence) {
      worker?.terminate();
      worker = null;
      finish();
      reader.say(sentence);
    }
    function hear({ loaded, ready, reply, failed }) {
      if (loaded) bar.value = Math.min(1, loaded / python.size);
      if (ready) {
        bar.hidden = true;
        reader.say("Running …");
        timer = setTimeout(giveUp, 1000 * exercises.secondsToRun,
          `Stopped: not done after ${exercises.secondsToRun} seconds. Is there a loop that never ends?`);
      }
      if (reply) {
        finish();
        printed.textContent = reply.printed;
        printed.hidden = !reply.printed;
        reader.show(reply);
      }
      if (failed === "numpy") {
        giveUp(`NumPy could not be had from ${new URL(python.packages, document.baseURI).host}. ` +
          "Try again when you are online, or run the chapter's notebook.");
      } else if (failed) giveUp(`Python could not be started here (${failed}). The notebook does the same.`);
    }
    function run() {
      if (busy) return reader.say("Python is still at work on another exercise.");
      busy = true;
      printed.hidden = true;
      stop.hidden = false;
      if (!worker) {
        worker = new Worker(python.worker, { type: "module" });
        const [pyodide, course, packages] = [python.pyodide, python.course, python.packages]
          .map(address => new URL(address, document.baseURI).href);
        worker.postMessage({ pyodide, course, packages });
        bar.value = 0;
        bar.hidden = false;
        reader.say("Loading Python …");
      }
      worker.onmessage = event => hear(event.data);
      worker.onerror = event => hear({ failed: event.message || "the worker did not load" });
      worker.postMessage({ exercise, source: area.value, numbers: reader.numbers() });
    }

    setUpKeys(area, run);
    form.addEventListener("click", event => {
      const wanted = event.target.dataset.do;
      if (wanted === "run") run();
      if (wanted === "stop") giveUp("Stopped.");
      if (wanted === "restart") {
        area.focus();
        area.select();
        insert(area.defaultValue);
      }
    });
  };

  // A page opened from a folder may start no worker: there the notebook and a question remain.
  exercises.withoutCode = place => {
    const form = place.closest("form");
    for (const part of form.querySelectorAll(".exercise-code, [data-do]")) part.remove();
    for (const part of form.querySelectorAll(".exercise-without")) part.hidden = false;
    for (const part of form.querySelectorAll(".exercise-other")) part.open = true;
  };

  // A cell of the chapter, to be changed and run: it is not judged, and not kept.
  function setUpCell(form) {
    const say = sentence => { form.querySelector(".exercise-status").textContent = sentence; };
    form.parentNode.hidden = false;
    exercises.setUpCode(form.querySelector(".exercise-code"), form.dataset.chapter,
      { numbers: () => 0, say, show: reply => say(reply.message) });
  }
  if (location.protocol !== "file:") document.querySelectorAll("form[data-chapter]").forEach(setUpCell);
})(window.whySqrtDExercises ??= {});
