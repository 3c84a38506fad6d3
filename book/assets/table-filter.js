/* A search field above every table of class "filtered": rows that lack one of the words are hidden,
   and the count of those that are left is announced. A form of class "table-facets" just before the
   table has one choice a facet; a row's classes name its values ("verdict-false"). A choice named
   "group" gathers the rows by a facet, in the order of that facet's options, each group below a row
   with its name. What is chosen stands in the address, so that it can be linked to. Without
   JavaScript the whole table stays, in the groups that it came in. */
document.querySelectorAll("table.filtered").forEach((table, index) => {
  const holder = table.closest(".table-box")
    || table.closest(".pst-scrollable-table-container") || table;
  const before = holder.previousElementSibling;
  const facets = before && before.matches("form.table-facets") ? before : null;
  const choices = facets ? Array.from(facets.querySelectorAll("select")) : [];
  const body = table.tBodies[0];
  const rows = Array.from(body.rows).filter(row => !row.matches(".group"));
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

  const grouping = choices.find(choice => choice.name === "group");
  const facetsOf = choices.filter(choice => choice !== grouping);
  let groups = [];
  const gather = () => {
    const facet = choices.find(choice => choice.name === grouping.value);
    body.querySelectorAll("tr.group").forEach(row => row.remove());
    groups = Array.from(facet.options).filter(option => option.value).map(option => {
      const heading = document.createElement("tr");
      heading.className = "group";
      const cell = document.createElement("th");
      cell.colSpan = rows[0].cells.length;
      cell.textContent = option.textContent;
      heading.append(cell);
      const members = rows.filter(row => row.classList.contains(`${facet.name}-${option.value}`));
      body.append(heading, ...members);
      return { heading, members };
    });
  };
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = facetsOf.filter(c => c.value).map(c => `${c.name}-${c.value}`);
    let left = 0;
    rows.forEach((row, i) => {
      row.hidden = !(words.every(word => texts[i].includes(word))
        && wanted.every(name => row.classList.contains(name)));
      left += row.hidden ? 0 : 1;
    });
    groups.forEach(({ heading, members }) => { heading.hidden = members.every(row => row.hidden); });
    count.textContent = `${left} of ${rows.length} rows`;
  };
  const remember = () => {
    const state = new URLSearchParams();
    choices.filter(c => c.selectedIndex > 0).forEach(c => state.set(c.name, c.value));
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
    facetsOf.forEach(choice => { choice.selectedIndex = 0; });
    field.value = "";
  };
  const change = () => { show(); if (facets) remember(); };

  field.addEventListener("input", change);
  field.addEventListener("keydown", event => {
    if (event.key === "Escape") { field.value = ""; change(); }
  });
  if (grouping) grouping.addEventListener("change", gather);
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
    if (grouping) gather();
  }
  show();
});
