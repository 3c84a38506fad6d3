/* The forms of the static page: takes an answer, shows the verdict, brings back what was answered. */
(function (exercises) {
  "use strict";

  var progress = exercises.progress;
  var FOLDER = new URL(".", document.currentScript.src).href;

  function each(selector, root, action) { (root || document).querySelectorAll(selector).forEach(action); }

  // --------------------------------------------------------------------------- answers

  function quieten(form, sentence) {
    var status = form.querySelector(".exercise-status");
    status.textContent = sentence || "";
    status.removeAttribute("data-verdict");
  }

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

  // Puts a kept answer back; without one, the form is as it came.
  function putAnswer(form, spec, answer) {
    if (spec.kind === "choice") {
      each("input[type=radio]", form, function (button) { button.checked = button.value === answer; });
    } else if (spec.kind === "order") {
      var list = form.querySelector(".exercise-steps");
      var steps = [...list.children];
      steps.sort(function (a, b) {
        var order = answer || steps.map(function (step) { return step.dataset.letter; }).sort().join("");
        return order.indexOf(a.dataset.letter) - order.indexOf(b.dataset.letter);
      }).forEach(function (step) { list.appendChild(step); });
    } else {
      form.querySelector("input[name=answer]").value = answer || "";
    }
  }

  // --------------------------------------------------------------------- other numbers

  // What is shown of the exercise itself: the statement before the form, and what is folded.
  function textsOf(box) {
    var statement = [], node = box.previousElementSibling;
    while (node && !node.matches("h1, h2, h3") && !/^Exercise [0-9]/.test(node.textContent)) {
      statement.unshift(node);
      node = node.previousElementSibling;
    }
    var folds = document.querySelectorAll("details[data-exercise='" + box.dataset.exercise + "']");
    return [statement].concat(Array.from(folds, function (fold) { return [...fold.children].slice(1); }));
  }

  // The original texts step aside for those of a draw, and come back.
  function showTexts(texts, drawn) {
    texts.forEach(function (nodes, i) {
      if (!nodes.length) return;
      var place = nodes[0].previousElementSibling;
      if (place && place.classList.contains("exercise-drawn")) place.remove();
      nodes.forEach(function (node) { node.hidden = Boolean(drawn); });
      if (!drawn) return;
      var other = document.createElement("div");
      other.className = "exercise-drawn";
      other.innerHTML = i ? drawn.folded[i - 1] : drawn.statement;
      nodes[0].before(other);
    });
  }

  // The exercises of a chapter with other numbers come when they are asked for.
  function withDraws(id, use) {
    if (exercises.drawn) return use(exercises.drawn[id]);
    var script = document.createElement("script");
    script.src = FOLDER + "drawn-" + id.split(".")[0] + ".js";
    script.addEventListener("load", function () { use(exercises.drawn[id]); });
    return document.head.append(script);
  }

  // ----------------------------------------------------------------------------- forms

  function setUp(box) {
    var id = box.dataset.exercise, form = box.querySelector("form");
    var own = JSON.parse(form.querySelector("script[type='application/json']").textContent);
    var status = form.querySelector(".exercise-status"), code = form.querySelector(".exercise-code");
    var again = form.querySelector(".exercise-again");
    var spec = own, numbers = 0, texts = null;

    function useNumbers(asked, then) {
      function use(drawn) {
        if (asked !== numbers) {
          texts = texts || textsOf(box);
          showTexts(texts, drawn);
        }
        numbers = asked;
        spec = drawn || own;
        then();
      }
      if (asked > 0 && asked <= own.draws) withDraws(id, function (draws) { use(draws[asked - 1]); });
      else { asked = 0; use(null); }
    }
    function keep(change) {
      var typed = code && code.querySelector("textarea");
      progress.update(id, Object.assign({
        answer: answerOf(form, spec),
        numbers: numbers,
        code: typed && typed.value !== typed.defaultValue ? typed.value : undefined
      }, change));
      refresh();
    }
    function bringBack() {
      var entry = progress.entry(id), area = code && code.querySelector("textarea");
      if (area) area.value = entry.code === undefined ? area.defaultValue : entry.code;
      useNumbers(entry.numbers || 0, function () {
        if (entry.answer !== undefined && entry.answer === answerOf(form, spec)) return;
        putAnswer(form, spec, entry.answer);
        quieten(form);
      });
    }

    function show(reply) {
      status.textContent = (reply.guess ? "→ " : reply.passed ? "✓ " : reply.blank ? "· " : "✗ ") + reply.message;
      status.dataset.verdict = reply.guess ? "guess" : reply.passed ? "right" : reply.blank ? "blank" : "wrong";
      if (reply.passed) linkWords(status, spec.links || []);
      else if (!reply.blank && !reply.unread && spec.passage && spec.passage.length) {
        status.append(" Read again: " + spec.passage[0][0] + ".");
        linkWords(status, spec.passage);
      }
      keep(reply.passed ? { solved: new Date().toISOString().slice(0, 10) } : {});
    }

    form.hidden = false;
    box.bringBack = bringBack;
    // A verdict is about the answer that was checked, not about the one being typed.
    form.addEventListener("input", function () { quieten(form); keep({}); });
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      show(exercises.judge(spec, answerOf(form, spec)));
    });
    if (code && location.protocol === "file:") {
      exercises.withoutCode(code);
      code = null;
    }
    if (code) {
      exercises.setUpCode(code, id, {
        numbers: function () { return numbers; },
        say: function (sentence) { quieten(form, sentence); },
        show: show
      });
    }
    if (again) {
      again.addEventListener("click", function () {
        useNumbers((numbers + 1) % (own.draws + 1), function () {
          putAnswer(form, spec, "");
          quieten(form);
          each("details[data-exercise='" + id + "']", null, function (fold) { fold.open = false; });
          status.textContent = numbers
            ? "New numbers stand above, set " + numbers + " of " + own.draws + "."
            : "The first numbers are back.";
          keep({});
        });
      });
    }
    if (own.kind === "order") {
      each("button[data-move]", form, function (button) {
        button.addEventListener("click", function () { move(button, status); keep({}); });
      });
    }
    bringBack();
  }

  // Makes links of the words in a sentence that lead somewhere.
  function linkWords(status, links) {
    links.forEach(function (pair) {
      var last = status.lastChild, at = last.textContent.indexOf(pair[0]);
      if (at < 0) return;
      var link = document.createElement("a"), rest = last.splitText(at);
      link.href = pair[1];
      link.textContent = pair[0];
      rest.textContent = rest.textContent.slice(pair[0].length);
      status.insertBefore(link, rest);
    });
  }

  function move(button, status) {
    var step = button.closest(".exercise-step"), list = step.parentNode;
    var up = button.dataset.move === "-1";
    var other = up ? step.previousElementSibling : step.nextElementSibling;
    var before = button.getBoundingClientRect().top;
    if (other) list.insertBefore(up ? step : other, up ? other : step);
    button.focus({ preventScroll: true }); // moving the step took the focus away
    // The button stays under the finger that pressed it.
    window.scrollBy({ top: button.getBoundingClientRect().top - before, behavior: "instant" });
    var place = [...list.children].indexOf(step) + 1;
    status.textContent = "Step " + step.dataset.letter + (other ? " is now " : " stays ") +
      "number " + place + " of " + list.children.length + ".";
    status.removeAttribute("data-verdict");
  }

  function bringBackAll() {
    each(".exercise-box[data-exercise]", null, function (box) {
      if (!box.contains(document.activeElement)) box.bringBack();
    });
    refresh();
  }

  // -------------------------------------------------------------------------- progress

  function refresh() {
    each(".exercise-box[data-exercise]", null, function (box) {
      var mark = box.querySelector(".exercise-solved");
      if (mark) mark.textContent = progress.entry(box.dataset.exercise).solved ? "Solved ✓" : "";
    });
    each(".exercise-progress", null, function (line) {
      var ids = idsOf(line);
      var count = ids.filter(function (id) { return progress.entry(id).solved; }).length;
      var text = "You have solved " + count + " of " + ids.length + " exercises." + (progress.isKept()
        ? "" : " This browser cannot store that: it counts until you leave the page.");
      var status = line.querySelector("[role=status]");
      if (status.textContent.slice(-text.length) !== text) status.textContent = text;
      line.hidden = ids.length === 0;
    });
  }

  function idsOf(line) { return (line.dataset.exercises || "").split(" ").filter(Boolean); }

  function setUpProgress(line) {
    var status = line.querySelector("[role=status]"), file = line.querySelector("input[type=file]");
    var clear = line.querySelector("[data-do=clear]"), label = clear.textContent, undo = null;

    function say(sentence) {
      status.textContent = "";
      bringBackAll();
      status.textContent = sentence + " " + status.textContent;
    }
    line.querySelector("[data-do=save]").addEventListener("click", function () {
      var link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([progress.asText()], { type: "application/json" }));
      link.download = "why-sqrt-d-answers.json";
      link.click();
      setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
    });
    line.querySelector("[data-do=load]").addEventListener("click", function () { file.click(); });
    file.addEventListener("change", function () {
      var chosen = file.files[0];
      if (!chosen) return;
      chosen.text().then(function (text) {
        var count = progress.fromText(text);
        file.value = "";
        refresh();
        say(count < 0 ? "That file holds no answers of this course." : "Loaded " + count + " answers.");
      });
    });
    clear.addEventListener("click", function () {
      if (undo) {
        undo();
        undo = null;
        clear.textContent = label;
        return say("Your answers are back.");
      }
      if (!window.confirm("Clear your answers of chapter " + line.dataset.chapter +
        "? You can undo this until you leave the page.")) return undefined;
      undo = progress.clear(idsOf(line));
      clear.textContent = "Undo";
      return say("Cleared.");
    });
  }

  function start() {
    each(".exercise-box[data-exercise]", null, setUp);
    each(".exercise-progress", null, setUpProgress);
    refresh();
    window.addEventListener("storage", function (event) {
      if (event.key === progress.KEY || event.key === null) bringBackAll();
    });
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})(window.whySqrtDExercises = window.whySqrtDExercises || {});
