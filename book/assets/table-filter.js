/* A search field above every table of class "filtered": rows that lack one of the words are hidden,
   and the count of those that are left is announced. A form of class "table-facets" just before the
   table has one choice a facet; a row's classes name its values ("verdict-false"). A choice named
   "group" gathers the rows by a facet, in the order of that facet's options, each group below a row
   with its name. What is chosen stands in the address, so that it can be linked to. Without
   JavaScript the whole table stays, in the groups that it came in. */
document.querySelectorAll("table.filtered").forEach((table, index) => {
  const holder = table.closest(".pst-scrollable-table-container") ?? table;
  const form = holder.previousElementSibling?.matches("form.table-facets")
    ? holder.previousElementSibling : null;
  const choices = [...(form?.querySelectorAll("select") ?? [])];
  const grouping = choices.find(choice => choice.name === "group");
  const facets = choices.filter(choice => choice !== grouping);
  const body = table.tBodies[0];
  const rows = [...body.rows].filter(row => !row.matches(".group"));
  const texts = rows.map(row => row.textContent.toLowerCase());

  const box = document.createElement("div");
  box.className = "table-filter";
  box.innerHTML = `<label for="table-filter-${index}">Show the rows that contain</label>
    <input type="search" id="table-filter-${index}" autocomplete="off" spellcheck="false">
    <span role="status"></span>`;
  const [, field, count] = box.children;
  holder.before(box);

  const gather = () => {
    const facet = choices.find(choice => choice.name === grouping.value);
    body.querySelectorAll("tr.group").forEach(row => row.remove());
    for (const { value, textContent } of [...facet.options].filter(option => option.value)) {
      const heading = body.insertRow(), cell = document.createElement("th");
      heading.className = "group";
      cell.colSpan = rows[0].cells.length;
      cell.textContent = textContent;
      heading.append(cell);
      body.append(...rows.filter(row => row.classList.contains(`${facet.name}-${value}`)));
    }
  };
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = facets.filter(c => c.value).map(c => `${c.name}-${c.value}`);
    rows.forEach((row, i) => {
      row.hidden = !(words.every(word => texts[i].includes(word))
        && wanted.every(name => row.classList.contains(name)));
    });
    let seen = false; // a group of which no row is left has no heading
    for (const row of [...body.rows].reverse()) {
      if (!row.matches(".group")) seen ||= !row.hidden;
      else [row.hidden, seen] = [!seen, false];
    }
    count.textContent = `${rows.filter(row => !row.hidden).length} of ${rows.length} rows`;
  };
  const remember = () => {
    const state = new URLSearchParams(choices.filter(c => c.selectedIndex > 0).map(c => [c.name, c.value]));
    if (field.value) state.set("words", field.value);
    history.replaceState(null, "", `${location.pathname}${state.size ? `?${state}` : ""}`);
  };
  const change = () => {
    show();
    if (form) remember();
  };

  field.addEventListener("input", change);
  grouping?.addEventListener("change", gather);
  for (const choice of choices) choice.addEventListener("change", change);
  /* A link to one row shows it, whatever the filter is. */
  addEventListener("hashchange", () => {
    const aim = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!aim?.closest("tr[hidden]") || !table.contains(aim)) return;
    for (const facet of facets) facet.selectedIndex = 0;
    field.value = "";
    show();
    aim.scrollIntoView();
  });

  if (form) {
    const state = new URLSearchParams(location.search);
    for (const choice of choices)
      if ([...choice.options].some(({ value }) => value === state.get(choice.name)))
        choice.value = state.get(choice.name);
    field.value = state.get("words") ?? "";
    form.hidden = false;
    form.addEventListener("submit", event => event.preventDefault());
    if (grouping) gather();
  }
  show();
});
