/* A search field above every table of class "filtered": rows that lack one of the words are hidden,
   and the count of those that are left is announced. Without JavaScript the whole table stays. */
document.querySelectorAll("table.filtered").forEach((table, index) => {
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
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    rows.forEach((row, i) => {
      row.hidden = !words.every(word => texts[i].includes(word));
      left += row.hidden ? 0 : 1;
    });
    count.textContent = `${left} of ${rows.length} rows`;
  };
  field.addEventListener("input", show);
  field.addEventListener("keydown", event => {
    if (event.key === "Escape") { field.value = ""; show(); }
  });
  box.append(label, field, count);
  (table.closest(".table-box") || table).before(box);
  show();
});
