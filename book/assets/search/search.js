/* The search page: titles and headings first, up to two letters may be wrong, and √, sqrt and root
   are one word. `sections` is made by course_site.searching. */
{
  const ROOT = /√|\b(square )?roots?\b/g, WORD = /[\p{L}\p{N}_]+(?:\.\p{N}+)*/gu;
  const FEW = new Set("a an and are as at be by for in is it of on or that the this to with".split(" "));
  const tokenize = text => text.toLowerCase().replace(ROOT, " sqrt ").replace(/β/g, "beta").match(WORD) ?? [];
  const place = document.getElementById("search-results");
  const field = document.querySelector(".bd-search-container input");
  const count = document.createElement("p");
  count.setAttribute("role", "status");

  const entries = sections.flatMap(([url, page, about, parts]) => parts.map(([anchor, title, text], i) =>
    ({ url: i ? `${url}#${anchor}` : url, title, text, page: i ? page : "", about: i ? "" : about })));
  const index = new MiniSearch({
    fields: ["title", "about", "page", "text"],
    idField: "url",
    tokenize,
    processTerm: word => FEW.has(word) ? null : word,
    searchOptions: {
      boost: { title: 8, about: 3, page: 2 },
      prefix: word => word.length > 3,
      fuzzy: word => word.length > 5 ? 2 : word.length > 4 && 1,
      boostDocument: url => url.includes("/api/") ? 0.5 : url.includes("/glossary.html#") ? 2 : url.includes("#") ? 1 : 2,
    },
  });
  const byUrl = new Map(entries.map(entry => [entry.url, entry]));
  index.addAll(byUrl.values());

  /* A piece of the text around the longest word that was found, all of them marked. */
  function excerpt({ text, about }, terms) {
    const found = terms.filter(term => term !== "sqrt").sort((one, two) => two.length - one.length);
    const words = new RegExp(`(?<![\\p{L}\\p{N}])(${(found.length < terms.length ? ["√", ...found] : found).join("|")})`, "giu");
    const said = about || text, low = said.toLowerCase();
    const at = Math.max(0, low.indexOf(found.find(word => low.includes(word)) ?? (terms.includes("sqrt") ? "√" : "")) - 60);
    const line = document.createElement("p");
    line.className = "context";
    line.append(at ? "… " : "");
    said.slice(at && said.indexOf(" ", at) + 1, at + 220).split(words).forEach((part, i) => {
      const mark = document.createElement("mark");
      mark.textContent = part;
      line.append(i % 2 ? mark : part);
    });
    line.append(said.length > at + 220 ? " …" : "");
    return line;
  }

  function find(asked) {
    let found = asked ? index.search(asked, { combineWith: "AND" }) : [];
    if (asked && !found.length) found = index.search(asked);
    const list = document.createElement("ul");
    for (const { id, terms } of found.slice(0, 40)) {
      const entry = byUrl.get(id), item = document.createElement("li"), link = document.createElement("a");
      Object.assign(link, { href: id, textContent: entry.title });
      item.append(link, entry.page ? ` · ${entry.page}` : "", excerpt(entry, terms));
      list.append(item);
    }
    count.textContent = found.length ? `${found.length} places, the best first:` : asked && "Nothing was found.";
    place.replaceChildren(count, list);
  }
  field.addEventListener("input", () => find(field.value.trim()));
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  find(field.value.trim());
  field.focus();
}
