// Starts plots and players, and makes links jump to a moment.
"use strict";
{
  const starting = new Map();
  const start = (root) => {
    if (!starting.has(root)) {
      const data = JSON.parse(root.querySelector("script").textContent);
      const player = new rigor.Player(root, data);
      const section = root.closest("section");
      starting.set(root, player.start().then((ready) => {
        rigor.players.push(ready);
        // A run that goes on is shown at its newest frame, until the reader goes back in time.
        if (document.body.dataset.live !== undefined) ready.clock.set(ready.end);
        section?.classList.add("playing");
        return ready;
      }, (error) => {
        root.append(make("p", { class: "source" }, `There is no playback: ${error.message}.`));
        return undefined;
      }));
    }
    return starting.get(root);
  };
  rigor.start = start;
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) { near.unobserve(target); start(target); }
  }, { rootMargin: "600px" });
  for (const root of document.querySelectorAll("div.player")) near.observe(root);
  for (const figure of document.querySelectorAll("figure.plot")) rigor.plots.push(new rigor.Plot(figure));
  rigor.legends();
  document.addEventListener("click", async (event) => {
    const link = event.target.closest?.("a[data-moment]");
    if (!link) return;
    const section = document.getElementById(link.hash.slice(1)), root = section?.querySelector("div.player");
    if (!root) return;
    const player = await start(root), [row, moment] = link.dataset.moment.split(" ").map(Number);
    const k = player?.data.runs.findIndex((run) => run.row === row);
    if (player && k >= 0) player.visit(k, player.data.runs[k].moments[moment]);
    root.scrollIntoView({ block: "nearest" });
  });
  if (document.body.dataset.live !== undefined) rigor.follow();
  addEventListener("beforeprint", () => {
    document.body.classList.add("printing");
    // Pictures that were never in sight are on paper too.
    for (const picture of document.images) picture.loading = "eager";
  });
  addEventListener("afterprint", () => document.body.classList.remove("printing"));
}
