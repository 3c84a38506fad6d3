/* A search field above every table of class "filtered": rows that lack one of the words are hidden,
   and the count of those that are left is announced. A form of class "table-facets" just before the
   table has one choice a facet; a row's classes name its values ("verdict-false"). What is chosen
   stands in the address, so that it can be linked to. Without JavaScript the whole table stays. */
document.querySelectorAll("table.filtered").forEach((table, index) => {
  const holder = table.closest(".pst-scrollable-table-container") ?? table;
  const form = holder.previousElementSibling?.matches("form.table-facets")
    ? holder.previousElementSibling : null;
  const facets = [...(form?.querySelectorAll("select") ?? [])];
  const all = [...table.tBodies[0].rows], rows = all.filter(row => !row.matches(".group"));
  const texts = rows.map(row => row.textContent.toLowerCase());

  const box = document.createElement("div");
  box.className = "table-filter";
  box.innerHTML = `<label for="table-filter-${index}">Show the rows that contain</label>
    <input type="search" id="table-filter-${index}" autocomplete="off" spellcheck="false">
    <span role="status"></span>`;
  const [, field, count] = box.children;
  holder.before(box);

  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = facets.filter(c => c.value).map(c => `${c.name}-${c.value}`);
    rows.forEach((row, i) => {
      row.hidden = !(words.every(word => texts[i].includes(word))
        && wanted.every(name => row.classList.contains(name)));
    });
    let seen = false; // a group of which no row is left has no heading
    for (const row of all.toReversed()) {
      if (!row.matches(".group")) seen ||= !row.hidden;
      else [row.hidden, seen] = [!seen, false];
    }
    count.textContent = `${rows.filter(row => !row.hidden).length} of ${rows.length} rows`;
  };
  const remember = () => {
    const state = new URLSearchParams(facets.filter(c => c.value).map(c => [c.name, c.value]));
    if (field.value) state.set("words", field.value);
    history.replaceState(null, "", `${location.pathname}${state.size ? `?${state}` : ""}`);
  };
  const change = () => {
    show();
    if (form) remember();
  };

  field.addEventListener("input", change);
  for (const facet of facets) facet.addEventListener("change", change);
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
    for (const facet of facets)
      if ([...facet.options].some(({ value }) => value === state.get(facet.name)))
        facet.value = state.get(facet.name);
    field.value = state.get("words") ?? "";
    form.hidden = false;
    form.addEventListener("submit", event => event.preventDefault());
  }
  show();
});
