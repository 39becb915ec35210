// Files for papers: tables as LaTeX and CSV, which the program made, and a plot as a page that the browser prints or saves as PDF.
"use strict";
{
  // The light colours, whatever the reader has on the screen: files are for paper.
  const in_light = (work) => {
    const rules = [].concat(...[...document.styleSheets].map((sheet) => [...sheet.cssRules]));
    const dark = rules.filter((rule) => rule.media?.mediaText.includes("prefers-color-scheme: dark"));
    const before = dark.map((rule) => rule.media.mediaText);
    for (const rule of dark) rule.media.mediaText = "not all";
    try { return work(); } finally { dark.forEach((rule, k) => { rule.media.mediaText = before[k]; }); }
  };
  rigor.in_light = in_light;

  // Makes the document a page of the size of `svg`, with nothing else on it; returns what undoes it.
  rigor.sheet = (svg) => {
    const drawing = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    const [width, height] = ["width", "height"].map((name) => Math.ceil(Number(drawing.getAttribute(name))));
    const style = make("style", {}, `@page { size: ${width}px ${height}px; margin: 0; }`), sheet = make("div", { class: "sheet" }, drawing);
    document.head.append(style);
    document.body.append(sheet);
    document.body.classList.add("one");
    return () => { style.remove(); sheet.remove(); document.body.classList.remove("one"); };
  };
  rigor.print = async (plot) => {
    addEventListener("afterprint", rigor.sheet(await plot.to_svg()), { once: true });
    print();
  };

  const packed = document.getElementById("tables-for-papers");
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("button[data-table]");
    if (!button || !packed) return;
    const files = JSON.parse(new TextDecoder().decode(await rigor.bytes(packed.textContent)));
    const { table, form } = button.dataset;
    rigor.save(`${table}.${form}`, files[table][form], form === "csv" ? "text/csv" : "text/x-tex");
  });
}
