/* A part of Sphinx's search page (`html_search_scorer`): how results are ranked, and what the
   excerpts are cut from. */

// First words of the glossary (100) and names of functions, then titles, pages, and last what
// belongs to a class, such as its attribute `beta`.
var Scorer = {
  objNameMatch: 20,
  objPartialMatch: 1,
  objPrio: { 0: 0, 1: 0, 2: 0 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score: ([, , , kind, score]) => /attribute|method|property/.test(kind ?? "") ? score - 20 : score,
};

const NOT_TEXT =
  "h1, script, style, form, button, .headerlink, .kicker, .katex-mathml, .cell_input, .exercise-box";

/* Sphinx takes all that is in `main`, menus too. */
document.addEventListener("DOMContentLoaded", () => {
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const article = page.querySelector("article.bd-article");
    let part = (anchor && page.getElementById(decodeURIComponent(anchor.slice(1)))) || article;
    if (part.matches("dt")) part = part.nextElementSibling; // a term: what it means
    if (part.matches("span, a")) part = part.parentElement; // an anchor: what it stands in
    for (const found of part.querySelectorAll(NOT_TEXT)) found.remove();
    for (const root of part.querySelectorAll(".katex .sqrt")) root.prepend("√"); // else drawn
    return part.textContent.replace(/\s+/g, " ").trim();
  };
});
