/* A page that was opened from a folder may not import: without npm's esbuild a live figure shows
   what a reader without scripts sees. */
if (location.protocol === "file:") {
  for (const still of document.querySelectorAll("live-figure:not(:defined) > noscript")) {
    const place = document.createElement("div");
    place.className = "live-still";
    place.innerHTML = `${still.textContent}<p>This figure computes when the page comes from a server,
      such as the one that <code>make serve</code> starts.</p>`;
    still.replaceWith(place);
  }
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

/* Paper is light, whatever the page was. */
const root = document.documentElement;
addEventListener("beforeprint", () => {
  root.dataset.onScreen ??= root.dataset.theme ?? "light";
  root.dataset.theme = "light";
});
addEventListener("afterprint", () => {
  root.dataset.theme = root.dataset.onScreen;
  delete root.dataset.onScreen;
});

/* A link to an exercise that is folded opens it. */
const unfold = () => document
  .querySelector(`.exercise[id="${CSS.escape(location.hash.slice(1))}"] details.later`)
  ?.setAttribute("open", "");
addEventListener("hashchange", unfold);
unfold();
