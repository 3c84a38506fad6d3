/* A part of Sphinx's search page (`html_search_scorer`): how results are ranked, and what the
   excerpts are cut from. */

// Words of the glossary (100) and of titles come first, then pages, then names of the package.
var Scorer = {
  objNameMatch: 4,
  objPartialMatch: 1,
  objPrio: { 0: 0, 1: 0, 2: -1 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
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
    return part.textContent.replace(/\s+/g, " ").trim();
  };
});
