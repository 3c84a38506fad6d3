/* The forms of the static page: takes an answer, shows the verdict, remembers what is solved. */
(function (exercises) {
  "use strict";

  // ------------------------------------------------------------------------- progress

  var KEY = "why-sqrt-d.exercises", memory = {};

  function solved() {
    try {
      var read = JSON.parse(window.localStorage.getItem(KEY) || "{}");
      return read && typeof read === "object" && !Array.isArray(read) ? read : {};
    } catch (error) {
      return memory; // storage denied, or not ours to read: remember until the page is left
    }
  }

  function remember(record) {
    memory = record;
    try {
      window.localStorage.setItem(KEY, JSON.stringify(record));
    } catch (error) { /* denied: `memory` has it */ }
    refresh();
  }

  function each(selector, root, action) {
    Array.prototype.forEach.call((root || document).querySelectorAll(selector), action);
  }

  function refresh() {
    var record = solved();
    each(".exercise-box", null, function (box) {
      var mark = box.querySelector(".exercise-solved");
      if (mark) mark.textContent = record[box.dataset.exercise] ? "Solved ✓" : "";
    });
    each(".exercise-progress", null, function (line) {
      var ids = (line.dataset.exercises || "").split(" ").filter(Boolean);
      var count = ids.filter(function (id) { return record[id]; }).length;
      var text = "You have solved " + count + " of " + ids.length + " exercises.";
      var status = line.querySelector("[role=status]");
      if (status.textContent.indexOf(text) < 0) status.textContent = text;
      // Nothing to clear, no button; but it stays while it has the focus, which would be lost.
      var clear = line.querySelector("button");
      clear.hidden = count === 0 && document.activeElement !== clear;
      clear.setAttribute("aria-disabled", String(count === 0));
      line.hidden = ids.length === 0;
    });
  }

  function quieten(form) {
    var status = form.querySelector(".exercise-status");
    status.textContent = "";
    status.removeAttribute("data-verdict");
  }

  function empty(form) {
    form.reset();
    quieten(form);
  }

  function setUpProgress(line) {
    line.querySelector("button").addEventListener("click", function () {
      var record = solved();
      line.dataset.exercises.split(" ").forEach(function (id) { delete record[id]; });
      remember(record);
      line.dataset.exercises.split(" ").forEach(function (id) {
        each(".exercise-box[data-exercise='" + id + "'] form", null, empty);
      });
      var status = line.querySelector("[role=status]");
      status.textContent = "Cleared. " + status.textContent;
    });
  }

  // ---------------------------------------------------------------------------- forms

  function answerOf(form, spec) {
    if (spec.kind === "choice") {
      var chosen = form.querySelector("input:checked");
      return chosen ? chosen.value : "";
    }
    if (spec.kind === "order") {
      var letters = "";
      each(".exercise-step", form, function (step) { letters += step.dataset.letter; });
      return letters;
    }
    return form.querySelector("input[name=answer]").value;
  }

  function setUpOrder(form, status) {
    each("button[data-move]", form, function (button) {
      button.addEventListener("click", function () {
        var step = button.closest(".exercise-step"), list = step.parentNode;
        var up = button.dataset.move === "-1";
        var other = up ? step.previousElementSibling : step.nextElementSibling;
        if (other) list.insertBefore(up ? step : other, up ? other : step);
        button.focus(); // moving the step took the focus away
        var place = Array.prototype.indexOf.call(list.children, step) + 1;
        status.textContent = "Step " + step.dataset.letter + (other ? " is now " : " stays ") +
          "number " + place + " of " + list.children.length + ".";
        status.removeAttribute("data-verdict");
      });
    });
  }

  function showHint(box, status) {
    var closed = "details.exercise-hint[data-exercise=\"" + box.dataset.exercise + "\"]:not([open])";
    var next = document.querySelector(closed);
    if (!next) {
      status.textContent = "All hints are open below.";
      return;
    }
    next.open = true;
    status.textContent = next.querySelector("summary").textContent + " is open below.";
    status.removeAttribute("data-verdict");
  }

  function setUp(box) {
    var form = box.querySelector("form");
    var spec = JSON.parse(form.querySelector("script[type='application/json']").textContent);
    var status = form.querySelector(".exercise-status"), more = form.querySelector(".exercise-more");
    form.hidden = false;
    // JupyterLab takes arrow keys and Enter away from outputs unless they stop here.
    box.addEventListener("keydown", function (event) { event.stopPropagation(); });
    // A verdict is about the answer that was checked, not about the one being typed.
    form.addEventListener("input", function () { quieten(form); });
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      var reply = exercises.judge(spec, answerOf(form, spec));
      status.textContent = (reply.guess ? "→ " : reply.passed ? "✓ " : reply.blank ? "· " : "✗ ") + reply.message;
      status.dataset.verdict = reply.guess ? "guess" : reply.passed ? "right" : reply.blank ? "blank" : "wrong";
      if (reply.passed) {
        var record = solved();
        record[box.dataset.exercise] = new Date().toISOString().slice(0, 10);
        remember(record);
      }
    });
    more.hidden = !document.querySelector("details.exercise-hint[data-exercise=\"" + box.dataset.exercise + "\"]");
    more.addEventListener("click", function () { showHint(box, status); });
    if (spec.kind === "order") setUpOrder(form, status);
  }

  function start() {
    each(".exercise-box", null, setUp);
    each(".exercise-progress", null, setUpProgress);
    refresh();
    window.addEventListener("storage", function (event) {
      if (event.key === KEY || event.key === null) refresh();
    });
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})(window.whySqrtDExercises = window.whySqrtDExercises || {});
