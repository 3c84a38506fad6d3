/* A bet covers what follows it to the section's end until it is made, and so does a box "Predict
 * first" before a figure until it is asked for: in browsers whose own search, and links, look into
 * what is hidden and open it. */
(exercises => {
  "use strict";

  const { progress } = exercises, covers = [];
  const waits = box => box.bet && !progress.entry(box.dataset.exercise).solved;

  function cover(node, words, box) {
    const note = document.createElement("p"), outcome = [];
    for (; node && !node.matches("section"); node = node.nextElementSibling) outcome.push(node);
    if (!outcome.length) return;
    note.className = "exercise-cover";
    note.innerHTML = words;
    outcome[0].before(note);
    for (const node of outcome) node.hidden = "until-found";
    const has = node => outcome.some(part => part.contains(node));
    function open() {
      for (const node of outcome) node.hidden = false;
      note.remove();
    }
    covers.push({ box, has, open });
    note.querySelector("button").addEventListener("click", () => {
      open();
      outcome[0].tabIndex = -1; // the button with the focus is gone
      outcome[0].focus({ preventScroll: true });
    });
  }

  const openIf = wanted => covers.filter(wanted).map(({ open }) => open());
  const all = selector => "onbeforematch" in document.body ? document.querySelectorAll(selector) : [];
  for (const figure of all(".predict + .cell:not(.tag_try-it)"))
    cover(figure, `<button type="button">I have a guess: show what happens</button>`);
  for (const box of all(".exercise-box")) {
    const next = box.closest("section > *").nextElementSibling;
    if (!waits(box) || next?.querySelector(".exercise-box")?.bet) continue; // the last of several covers
    cover(next, `<span>The result appears after your bet.</span>
      <button type="button">Show it without a bet</button>`, box);
  }
  const aim = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (openIf(({ has }) => has(aim)).length) aim.scrollIntoView({ behavior: "instant" });
  addEventListener("beforematch", event => openIf(({ has }) => has(event.target)));
  addEventListener("beforeprint", () => openIf(() => true));
  addEventListener("submit", () => openIf(({ box }) => box && !waits(box)));
})(window.whySqrtDExercises);
