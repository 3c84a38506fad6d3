/* A search field above every table of class "filtered": rows that lack one of the words are hidden,
   and the count of those that are left is announced. A form of class "table-facets" just before the
   table has one choice a facet; a row's classes name its values ("verdict-false"). A choice named
   "order" sorts the rows by a facet, in the order of that facet's options. What is chosen stands
   in the address, so that it can be linked to. Without JavaScript the whole table stays. */
document.querySelectorAll("table.filtered").forEach((table, index) => {
  const holder = table.closest(".table-box")
    || table.closest(".pst-scrollable-table-container") || table;
  const before = holder.previousElementSibling;
  const facets = before && before.matches("form.table-facets") ? before : null;
  const choices = facets ? Array.from(facets.querySelectorAll("select")) : [];
  const rows = Array.from(table.tBodies[0].rows);
  const texts = rows.map(row => row.textContent.toLowerCase());
  const box = document.createElement("div");
  box.className = "table-filter";
  const field = document.createElement("input");
  field.type = "search";
  field.id = `table-filter-${index}`;
  field.autocomplete = "off";
  field.spellcheck = false;
  const label = document.createElement("label");
  label.htmlFor = field.id;
  label.textContent = "Show the rows that contain";
  const count = document.createElement("span");
  count.setAttribute("role", "status");

  const order = choices.find(choice => choice.name === "order");
  const sort = () => {
    const facet = choices.find(choice => choice.name === order.value);
    const values = facet ? Array.from(facet.options, option => `${facet.name}-${option.value}`) : [];
    const rank = row => values.findIndex(value => row.classList.contains(value));
    const sorted = facet ? rows.slice().sort((a, b) => rank(a) - rank(b)) : rows;
    table.tBodies[0].append(...sorted);
  };
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = choices.filter(c => c.value && c !== order).map(c => `${c.name}-${c.value}`);
    let left = 0;
    rows.forEach((row, i) => {
      row.hidden = !(words.every(word => texts[i].includes(word))
        && wanted.every(name => row.classList.contains(name)));
      left += row.hidden ? 0 : 1;
    });
    count.textContent = `${left} of ${rows.length} rows`;
  };
  const remember = () => {
    const state = new URLSearchParams();
    choices.filter(c => c.value).forEach(c => state.set(c.name, c.value));
    if (field.value) state.set("words", field.value);
    const query = state.toString();
    history.replaceState(null, "", `${location.pathname}${query ? `?${query}` : ""}`);
  };
  const recall = () => {
    const state = new URLSearchParams(location.search);
    choices.forEach(choice => {
      const value = state.get(choice.name) || "";
      if (Array.from(choice.options).some(option => option.value === value)) choice.value = value;
    });
    field.value = state.get("words") || "";
  };
  const clear = () => {
    choices.forEach(choice => { choice.value = ""; });
    field.value = "";
  };
  const change = () => { show(); if (order) sort(); if (facets) remember(); };

  field.addEventListener("input", change);
  field.addEventListener("keydown", event => {
    if (event.key === "Escape") { field.value = ""; change(); }
  });
  choices.forEach(choice => choice.addEventListener("change", change));
  /* A link to one row shows it, whatever the filter is. */
  addEventListener("hashchange", () => {
    const aim = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (aim && aim.closest("tr[hidden]") && table.contains(aim)) {
      clear();
      show();
      aim.scrollIntoView();
    }
  });

  box.append(label, field, count);
  holder.before(box);
  if (facets) {
    facets.hidden = false;
    facets.addEventListener("submit", event => event.preventDefault());
    recall();
    if (order) sort();
  }
  show();
});
