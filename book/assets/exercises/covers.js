/* A bet covers what it is about, from the next cell to the section's end, until it is made: in
 * browsers whose own search, and links, look into what is hidden and open it. */
(exercises => {
  "use strict";

  const { progress } = exercises, covers = [];
  const waits = box => box.bet && !progress.entry(box.dataset.exercise).solved;

  function cover(box, outcome) {
    const note = document.createElement("p");
    note.className = "exercise-cover";
    note.innerHTML = `What happens stands here after your bet.
      <button type="button">Show it without a bet</button>`;
    outcome[0].before(note);
    for (const node of outcome) node.hidden = "until-found";
    const has = node => outcome.some(part => part.contains(node));
    function open() {
      for (const node of outcome) node.hidden = false;
      note.remove();
    }
    covers.push({ box, has, open });
    note.lastChild.addEventListener("click", () => {
      open();
      outcome[0].tabIndex = -1; // the button with the focus is gone
      outcome[0].focus({ preventScroll: true });
    });
  }

  const openIf = wanted => covers.filter(wanted).map(({ open }) => open());
  const all = "onbeforematch" in document.body ? [...document.querySelectorAll(".exercise-box")] : [];
  for (const box of all.filter(waits)) {
    let node = box.closest("section > *").nextElementSibling;
    while (node && !node.matches(".cell")) node = node.nextElementSibling;
    if (node?.querySelector(".exercise-box")?.bet) continue; // the last of several bets covers
    const outcome = [];
    for (; node && !node.matches("section"); node = node.nextElementSibling) outcome.push(node);
    if (outcome.length) cover(box, outcome);
  }
  const aim = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (openIf(({ has }) => has(aim)).length) aim.scrollIntoView({ behavior: "instant" });
  addEventListener("beforematch", event => openIf(({ has }) => has(event.target)));
  addEventListener("beforeprint", () => openIf(() => true));
  addEventListener("submit", () => openIf(({ box }) => !waits(box)));
})(window.whySqrtDExercises);
