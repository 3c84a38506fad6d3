/* Light or dark, as the reader has chosen, before the first line is drawn. */
(({ dataset }) => {
  try {
    localStorage.getItem("mode");
  } catch { // a browser that keeps nothing: the theme's button works until the page is left
    const kept = {}, value = { lost: true, getItem: name => kept[name] ?? null, setItem: (name, to) => { kept[name] = to; } };
    Object.defineProperty(window, "localStorage", { value });
  }
  dataset.mode = localStorage.getItem("mode") || "auto";
  const theme = localStorage.getItem("theme") || dataset.mode;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = theme === "auto" ? (dark ? "dark" : "light") : theme;
})(document.documentElement);
