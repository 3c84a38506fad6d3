/* The field for code: Python runs it in a worker, which is made at the first run and again after it
 * was stopped. Nothing of Python is loaded before. */
(function (exercises) {
  "use strict";

  var worker = null, busy = false;
  var SAY = {
    loads: "Loading Python …",
    numpy: "NumPy could not be had from {a}. Try again when you are online, or run the chapter's notebook.",
    fails: "Python could not be started here ({a}). The notebook does the same.",
    runs: "Running …",
    busy: "Python is still at work on another exercise.",
    stopped: "Stopped.",
    slow: "Stopped after {a} seconds: is there a loop that never ends?"
  };

  exercises.secondsToRun = 20; // Python itself ends a loop after four, but not one in NumPy

  function end() {
    if (worker) worker.terminate();
    worker = null;
  }

  function insert(area, text) {
    // The old command keeps the browser's undo.
    if (!document.execCommand("insertText", false, text)) area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
  }

  // Tab and Enter indent. Escape lets the next Tab leave the field, so that nobody is caught in it.
  function setUpKeys(area, run) {
    var leaves = false;
    area.addEventListener("keydown", function (event) {
      var held = event.ctrlKey || event.metaKey || event.altKey;
      if (event.key === "Enter" && held) {
        event.preventDefault();
        run();
      } else if (event.key === "Enter") {
        var line = area.value.slice(0, area.selectionStart).split("\n").pop();
        event.preventDefault();
        insert(area, "\n" + /^ */.exec(line)[0] + (/:\s*$/.test(line) ? "    " : ""));
      } else if (event.key === "Tab" && !event.shiftKey && !held && !leaves) {
        event.preventDefault();
        insert(area, "    ");
      }
      leaves = event.key === "Escape";
    });
  }

  // `reader` takes what is said and the verdict, and knows the exercise's numbers.
  exercises.setUpCode = function (place, exercise, reader) {
    var form = place.closest("form");
    var python = JSON.parse(place.dataset.python);
    var area = place.querySelector("textarea"), bar = place.querySelector("progress");
    var printed = place.querySelector(".exercise-printed");
    var stop = form.querySelector("[data-do=stop]"), timer;

    function finish() {
      busy = false;
      clearTimeout(timer);
      bar.hidden = true;
      if (document.activeElement === stop) area.focus();
      stop.hidden = true;
    }
    function giveUp(sentence) {
      end();
      finish();
      reader.say(sentence);
    }
    function hear(told) {
      if (told.loaded) bar.value = Math.min(1, told.loaded / python.size);
      if (told.ready) {
        bar.hidden = true;
        reader.say(SAY.runs);
        var limit = exercises.secondsToRun;
        timer = setTimeout(function () { giveUp(SAY.slow.replace("{a}", limit)); }, 1000 * limit);
      }
      if (told.reply) {
        finish();
        printed.textContent = told.reply.printed;
        printed.hidden = !told.reply.printed;
        reader.show(told.reply);
      }
      if (told.failed === "numpy") giveUp(SAY.numpy.replace("{a}", new URL(python.packages, document.baseURI).host));
      else if (told.failed) giveUp(SAY.fails.replace("{a}", told.failed));
    }
    function run() {
      if (busy) return reader.say(SAY.busy);
      busy = true;
      printed.hidden = true;
      stop.hidden = false;
      if (!worker) {
        worker = new Worker(python.worker, { type: "module" });
        var whole = function (address) { return new URL(address, document.baseURI).href; };
        worker.postMessage({ pyodide: whole(python.pyodide), course: whole(python.course), packages: whole(python.packages) });
        bar.value = 0;
        bar.hidden = false;
        reader.say(SAY.loads);
      }
      worker.onmessage = function (event) { hear(event.data); };
      worker.onerror = function (event) { hear({ failed: event.message || "the worker did not load" }); };
      worker.postMessage({ exercise: exercise, source: area.value, numbers: reader.numbers() });
      return undefined;
    }

    setUpKeys(area, run);
    form.addEventListener("click", function (event) {
      var wanted = event.target.dataset.do;
      if (wanted === "run") run();
      if (wanted === "stop") giveUp(SAY.stopped);
      if (wanted === "restart") {
        area.focus();
        area.select();
        insert(area, area.defaultValue);
      }
    });
  };

  // A page opened from a folder may start no worker: there the other way remains.
  exercises.withoutCode = function (place) {
    var form = place.closest("form"), other = form.querySelector(".exercise-other");
    if (other.contains(place)) return other.remove();
    Array.prototype.forEach.call(form.querySelectorAll(".exercise-code, [data-do]"), function (part) { part.remove(); });
    other.open = true;
    return undefined;
  };

  // A cell of the chapter, to be changed and run: it is not judged, and not kept.
  function setUpCell(form) {
    var status = form.querySelector(".exercise-status");
    function say(sentence) { status.textContent = sentence; }
    form.parentNode.hidden = false;
    exercises.setUpCode(form.querySelector(".exercise-code"), form.dataset.chapter, {
      numbers: function () { return 0; },
      say: say,
      show: function (reply) { say(reply.message); }
    });
  }
  if (location.protocol !== "file:") document.querySelectorAll("form[data-chapter]").forEach(setUpCell);
})(window.whySqrtDExercises = window.whySqrtDExercises || {});
