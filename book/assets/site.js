/* Search shows a summary under each result, which it fetches from the page. A page that was opened
   from the file system may not fetch, so there the results come without. */
if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

/* On a phone the page's contents open as a panel over the page: a link leads there, so it closes. */
document.addEventListener("click", event => {
  const link = event.target.closest("dialog[open] .page-toc a[href^='#']");
  if (link) link.closest("dialog").close();
});

/* What the theme writes into its pages as scripts, which their security policy does not let run. */
document.addEventListener("click", event => {
  if (event.target.closest("[data-prints]")) print();
});
document.querySelector(".bd-search-container input")?.focus();
