/* Light or dark, as the reader has chosen, before the first line is drawn. */
(({ dataset }) => {
  const kept = name => { try { return localStorage.getItem(name); } catch { return null; } };
  dataset.mode = kept("mode") || "auto";
  const theme = kept("theme") || dataset.mode;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = theme === "auto" ? (dark ? "dark" : "light") : theme;
})(document.documentElement);
