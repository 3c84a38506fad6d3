/* Runs before the first line is drawn: light or dark, as the reader has chosen. It stands behind the
   stylesheet and so makes the browser wait for both. */
(({ dataset }) => {
  const kept = name => { try { return localStorage.getItem(name); } catch { return null; } };
  dataset.mode = kept("mode") || "auto";
  const theme = kept("theme") || dataset.mode;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = theme === "auto" ? (dark ? "dark" : "light") : theme;
})(document.documentElement);
