/* Two functions side by side: menus choose them, rows that differ are marked. Each option of the
   first menu holds its answers, then its call, in the order of the table's rows. Without JavaScript
   the first pair stands there. */
for (const place of document.querySelectorAll(".side-by-side")) {
  const form = place.querySelector("form"), [a, b] = form.querySelectorAll("select");
  const { tHead, tBodies: [{ rows }] } = place.querySelector("table");
  const chosen = b.options[0].dataset.found;
  b.replaceChildren(...[...a.options].map(option => option.cloneNode(true)));
  for (const option of b.options) option.selected = option.dataset.found === chosen;

  const show = () => {
    const pair = [a, b].map(menu => menu.selectedOptions[0]);
    const found = pair.map(option => option.dataset.found.split("|"));
    pair.forEach((option, i) => { tHead.rows[0].cells[i + 1].textContent = option.text; });
    [...rows].forEach((row, j) => {
      const last = j === rows.length - 1;
      row.classList.toggle("differs", !last && found[0][j] !== found[1][j]);
      found.forEach((answers, i) => {
        const cell = row.cells[i + 1];
        (last ? cell.firstChild : cell).textContent = answers[j];
      });
    });
  };
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("change", show);
  form.hidden = false;
}
