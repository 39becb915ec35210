for (const table of document.querySelectorAll("table.figures")) {
  const body = table.tBodies[0];
  const key = (row, k) => {
    const cell = row.cells[k];
    const number = parseFloat(cell.dataset.order);
    return Number.isNaN(number) && !("order" in cell.dataset) ? cell.textContent.trim() : number;
  };
  const compare = (a, b) => typeof a === "string" ? a.localeCompare(b) : (b === a ? 0 : (b > a || Number.isNaN(a) ? -1 : 1));
  [...table.tHead.rows[0].cells].forEach((heading, k) => heading.addEventListener("click", () => {
    const up = heading.getAttribute("aria-sort") !== "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    table.classList.add("sorted");
    const rows = [...body.rows].sort((a, b) => (up ? 1 : -1) * compare(key(a, k), key(b, k)));
    body.append(...rows);
  }));
}
