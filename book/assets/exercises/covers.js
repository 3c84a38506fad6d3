/* A bet covers what it is about, from the next cell to the section's end, until it is made. */
(exercises => {
  "use strict";

  const { progress } = exercises, groups = [];
  // Where the browser's search looks into what is hidden, and shows it.
  const HIDDEN = "onbeforematch" in document.body ? "until-found" : "";
  const waits = box => box.bet && !progress.entry(box.dataset.exercise).solved;

  function cover(outcome, box) {
    const note = document.createElement("p"), button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: "Show it without a bet" });
    note.className = "exercise-cover";
    note.append("What happens stands here after your bet. ", button);
    outcome[0].before(note);
    for (const node of outcome) node.setAttribute("hidden", HIDDEN);
    const group = { outcome, box, note };
    groups.push(group);
    button.addEventListener("click", () => {
      uncover(group);
      outcome[0].tabIndex = -1; // the button with the focus is gone
      outcome[0].focus({ preventScroll: true });
    });
  }

  function uncover(group) {
    for (const node of group.outcome) node.removeAttribute("hidden");
    group.note.remove();
  }

  function openAround(node) {
    const group = groups.find(({ outcome }) => outcome.some(part => part.contains(node)));
    if (!group?.note.isConnected) return;
    uncover(group);
    node.scrollIntoView({ behavior: "instant" });
  }
  const openTarget = () => openAround(document.getElementById(decodeURIComponent(location.hash.slice(1))));

  for (const box of [...document.querySelectorAll(".exercise-box")].filter(waits)) {
    let node = box.closest("section > *").nextElementSibling;
    while (node && !node.matches(".cell")) node = node.nextElementSibling;
    if (node?.querySelector(".exercise-box")?.bet) continue; // the last of several bets covers
    const outcome = [];
    for (; node && !node.matches("section"); node = node.nextElementSibling) outcome.push(node);
    if (outcome.length) cover(outcome, box);
  }
  openTarget();
  addEventListener("hashchange", openTarget);
  addEventListener("beforematch", event => openAround(event.target));
  addEventListener("beforeprint", () => groups.forEach(uncover));
  addEventListener("submit", () => groups.filter(({ box }) => !waits(box)).forEach(uncover));
})(window.whySqrtDExercises);
