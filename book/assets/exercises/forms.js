/* The forms of the static page: takes an answer, shows the verdict, brings back what was answered. */
(exercises => {
  "use strict";

  const { progress } = exercises, FOLDER = new URL(".", document.currentScript.src).href;
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // --------------------------------------------------------------------------- answers

  function quieten(form, sentence = "") {
    const status = form.querySelector(".exercise-status");
    status.textContent = sentence;
    status.removeAttribute("data-verdict");
  }

  const lettersOf = form => all(".exercise-step", form).map(step => step.dataset.letter);

  function answerOf(form, { kind }) {
    if (kind === "choice") return form.querySelector("input:checked")?.value ?? "";
    if (kind === "order") return lettersOf(form).join("");
    return form.querySelector("input[name=answer]")?.value ?? ""; // a function has no such field
  }

  // Puts a kept answer back; without one, the form is as it came.
  function putAnswer(form, { kind }, answer) {
    if (kind === "choice") {
      for (const button of all("input[type=radio]", form)) button.checked = button.value === answer;
    } else if (kind === "order") {
      for (const letter of answer || lettersOf(form).sort())
        form.querySelector(".exercise-steps").append(...all(`[data-letter=${letter}]`, form));
    } else if (kind !== "function") form.querySelector("input[name=answer]").value = answer || "";
  }

  // --------------------------------------------------------------------- other numbers

  const foldsOf = id => all(`details[data-exercise='${id}']`);

  // What is shown of the exercise itself: the statement before the form, and what is folded.
  function textsOf(box) {
    const statement = [];
    let node = box.previousElementSibling;
    while (node && !node.matches("h1, h2, h3") && !/^Exercise [0-9]/.test(node.textContent)) {
      statement.unshift(node);
      node = node.previousElementSibling;
    }
    return [statement, ...foldsOf(box.dataset.exercise).map(fold => [...fold.children].slice(1))];
  }

  // The original texts step aside for those of a draw, and come back.
  function showTexts(texts, drawn) {
    texts.forEach((nodes, i) => {
      if (!nodes.length) return;
      const before = nodes[0].previousElementSibling;
      if (before?.matches(".exercise-drawn")) before.remove();
      for (const node of nodes) node.hidden = Boolean(drawn);
      if (!drawn) return;
      const other = document.createElement("div");
      other.className = "exercise-drawn";
      other.innerHTML = i ? drawn.folded[i - 1] : drawn.statement;
      nodes[0].before(other);
    });
  }

  // The exercises of a chapter with other numbers come when they are asked for.
  function withDraws(id, use) {
    if (exercises.drawn) return use(exercises.drawn[id]);
    const script = document.createElement("script");
    script.src = `${FOLDER}drawn-${id.split(".")[0]}.js`;
    script.addEventListener("load", () => use(exercises.drawn[id]));
    document.head.append(script);
  }

  // ----------------------------------------------------------------------------- forms

  function setUp(box) {
    const id = box.dataset.exercise, form = box.querySelector("form");
    const own = JSON.parse(form.querySelector("script[type='application/json']").textContent);
    const status = form.querySelector(".exercise-status");
    box.bet = own.guess;
    let code = form.querySelector(".exercise-code"), spec = own, numbers = 0, misses = 0, texts = null;

    function useNumbers(asked, then) {
      function use(drawn) {
        if (asked !== numbers) showTexts(texts ??= textsOf(box), drawn);
        numbers = asked;
        spec = drawn ?? own;
        then();
      }
      if (asked > 0 && asked <= own.draws) return withDraws(id, draws => use(draws[asked - 1]));
      asked = 0;
      use(null);
    }
    function keep(change = {}) {
      const { value, defaultValue } = code?.querySelector("textarea") ?? {};
      progress.update(id, { answer: answerOf(form, spec), numbers,
        code: value === defaultValue ? undefined : value, ...change });
      refresh();
    }
    function show(reply) {
      const { guess, passed, blank, unread, message } = reply;
      const [sign, verdict] = guess ? ["→", "guess"] : passed ? ["✓", "right"]
        : blank ? ["·", "blank"] : ["✗", "wrong"];
      status.textContent = `${sign} ${message}`;
      status.dataset.verdict = verdict;
      if (passed) linkWords(status, spec.links ?? []);
      else if (!blank && !unread && spec.passage?.length) {
        status.append(` Read again: ${spec.passage[0][0]}.`);
        linkWords(status, spec.passage);
      }
      keep(passed ? { solved: new Date().toISOString().slice(0, 10) } : {});
    }

    box.bringBack = () => {
      const entry = progress.entry(id), area = code?.querySelector("textarea");
      if (area) area.value = entry.code ?? area.defaultValue;
      useNumbers(entry.numbers ?? 0, () => {
        if (entry.answer !== undefined && entry.answer === answerOf(form, spec)) return;
        putAnswer(form, spec, entry.answer);
        quieten(form);
      });
    };
    form.hidden = false;
    // A verdict is about the answer that was checked, not about the one being typed.
    form.addEventListener("input", () => {
      quieten(form);
      keep();
    });
    form.addEventListener("submit", event => {
      event.preventDefault();
      const said = exercises.judge(spec, answerOf(form, spec));
      if (spec.kind === "choice" && !said.blank && !said.passed) misses += 1;
      else if (misses > 1 && spec.kind === "choice")
        said.message = said.message.replace("Right.", `Right, after ${misses} others: say why before you read on.`);
      show(said);
    });
    if (code && location.protocol === "file:") {
      exercises.withoutCode(code);
      code = null;
    }
    if (code)
      exercises.setUpCode(code, id, { numbers: () => numbers, say: sentence => quieten(form, sentence), show });
    form.querySelector(".exercise-again")?.addEventListener("click", () => {
      useNumbers((numbers + 1) % (own.draws + 1), () => {
        putAnswer(form, spec, "");
        for (const fold of foldsOf(id)) fold.open = false;
        quieten(form, numbers ? `New numbers stand above, set ${numbers} of ${own.draws}.`
          : "The first numbers are back.");
        keep();
      });
    });
    for (const button of all("button[data-move]", form))
      button.addEventListener("click", () => {
        quieten(form, move(button));
        keep();
      });
    box.bringBack();
  }

  // Makes links of the words in a sentence that lead somewhere.
  function linkWords(status, links) {
    for (const [words, href] of links) {
      const last = status.lastChild, at = last.textContent.indexOf(words);
      if (at < 0) continue;
      const link = document.createElement("a"), rest = last.splitText(at);
      Object.assign(link, { href, textContent: words });
      rest.data = rest.data.slice(words.length);
      rest.before(link);
    }
  }

  // Moves a step, and says where it is.
  function move(button) {
    const step = button.closest(".exercise-step"), list = step.parentNode;
    const up = button.dataset.move === "-1";
    const other = up ? step.previousElementSibling : step.nextElementSibling;
    const before = button.getBoundingClientRect().top;
    other?.[up ? "before" : "after"](step);
    button.focus({ preventScroll: true }); // moving the step took the focus away
    // The button stays under the finger that pressed it.
    window.scrollBy({ top: button.getBoundingClientRect().top - before, behavior: "instant" });
    const place = [...list.children].indexOf(step) + 1;
    return `Step ${step.dataset.letter} ${other ? "is now" : "stays"} number ${place} of ${list.children.length}.`;
  }

  // -------------------------------------------------------------------------- progress

  const boxes = () => all(".exercise-box[data-exercise]"), lines = () => all(".exercise-progress");
  const solved = id => Boolean(progress.entry(id).solved);
  const idsOf = line => (line.dataset.exercises ?? "").split(" ").filter(Boolean);

  function bringBackAll() {
    for (const box of boxes()) if (!box.contains(document.activeElement)) box.bringBack();
    refresh();
  }

  function refresh() {
    for (const box of boxes()) {
      const done = box.bet ? "Bet made ✓" : "Solved ✓"; // a bet may miss
      box.querySelector(".exercise-solved").textContent = solved(box.dataset.exercise) ? done : "";
    }
    for (const line of lines()) {
      const ids = idsOf(line), status = line.querySelector("[role=status]");
      const text = `You have solved ${ids.filter(solved).length} of ${ids.length} exercises, deeper pages included.${progress.isKept()
        ? "" : " This browser cannot store that: it counts until you leave the page."}`;
      if (!status.textContent.endsWith(text)) status.textContent = text;
      line.hidden = ids.length === 0;
    }
  }

  function setUpProgress(line) {
    const status = line.querySelector("[role=status]"), file = line.querySelector("input[type=file]");

    function say(sentence) {
      status.textContent = "";
      bringBackAll();
      status.textContent = `${sentence} ${status.textContent}`;
    }
    line.querySelector("[data-do=save]").addEventListener("click", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([progress.asText()], { type: "application/json" }));
      link.download = "why-sqrt-d-answers.json";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
    line.querySelector("[data-do=load]").addEventListener("click", () => file.click());
    file.addEventListener("change", async () => {
      if (!file.files.length) return;
      const count = progress.fromText(await file.files[0].text());
      file.value = "";
      refresh();
      say(count < 0 ? "That file holds no answers of this course." : `Loaded ${count} answers.`);
    });
    line.querySelector("[data-do=clear]").addEventListener("click", () => {
      if (!confirm(`Clear your answers of chapter ${line.dataset.chapter}? This cannot be undone.`)) return;
      progress.clear(idsOf(line));
      say("Cleared.");
    });
  }

  // The script is deferred: the whole page is there.
  boxes().forEach(setUp);
  lines().forEach(setUpProgress);
  refresh();
  addEventListener("storage", event => {
    if (event.key === progress.KEY || event.key === null) bringBackAll();
  });
})(window.whySqrtDExercises ??= {});
