/* Runs before the first line is drawn: light or dark, as the reader has chosen, and, once they are in
   the cache, all the fonts. It stands behind the stylesheet and so makes the browser wait for both. */
(({ dataset }) => {
  const kept = name => { try { return localStorage.getItem(name); } catch { return null; } };
  dataset.mode = kept("mode") || "auto";
  const theme = kept("theme") || dataset.mode;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  if (kept("fonts")) {
    const script = document.createElement("script");
    script.id = "fonts-more";
    script.src = document.currentScript.dataset.fonts;
    script.setAttribute("blocking", "render");
    document.head.append(script);
  }
  dataset.theme = theme === "auto" ? (dark ? "dark" : "light") : theme;
})(document.documentElement);
