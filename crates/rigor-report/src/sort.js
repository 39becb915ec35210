// A click on a heading sorts the table by that column; a second click reverses the order.
for (const table of document.querySelectorAll("table.figures")) {
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  const key = (row, k) => {
    const { order } = row.cells[k].dataset;
    if (order === undefined) return row.cells[k].textContent.trim();
    const number = parseFloat(order.replace("inf", "Infinity"));
    return Number.isNaN(number) ? Infinity : number;
  };
  const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a === b ? 0 : a < b ? -1 : 1);
  headings.forEach((heading, k) => heading.addEventListener("click", () => {
    const up = heading.getAttribute("aria-sort") !== "ascending";
    for (const other of headings) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    table.classList.add("sorted");
    body.append(...[...body.rows].sort((a, b) => (up ? 1 : -1) * compare(key(a, k), key(b, k))));
  }));
}
