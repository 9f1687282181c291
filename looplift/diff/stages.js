"use strict";
(() => {
  const box = document.querySelector(".looplift-stages");
  if (!box) return;
  const stages = [...box.querySelectorAll(".stage")];
  const controls = box.querySelector(".stage-controls");
  const number = document.getElementById("stage-number");
  const sentence = document.getElementById("stage-sentence");
  const previous = document.getElementById("previous-stage");
  const next = document.getElementById("next-stage");
  let now = Math.max(0, stages.findIndex((stage) => "#" + stage.id === location.hash));

  function show(at, scroll) {
    now = Math.min(Math.max(at, 0), stages.length - 1);
    stages.forEach((stage, index) => { stage.hidden = index !== now; });
    number.textContent = stages[now].querySelector(".stage-title").textContent;
    sentence.textContent = stages[now].querySelector(".stage-note").textContent;
    previous.setAttribute("aria-disabled", String(now === 0));
    next.setAttribute("aria-disabled", String(now === stages.length - 1));
    if (scroll) {
      history.replaceState(null, "", "#" + stages[now].id);
      stages[now].querySelector("tr.changed, tr.removed, tr.added").scrollIntoView({ block: "center" });
    }
  }

  function inSight() {
    const place = box.getBoundingClientRect();
    return place.bottom > 0 && place.top < window.innerHeight;
  }

  previous.addEventListener("click", () => show(now - 1, true));
  next.addEventListener("click", () => show(now + 1, true));
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !inSight()) return;
    if (event.target.closest("select, textarea, [contenteditable]")) return;
    if (event.key === "ArrowRight") show(now + 1, true);
    else if (event.key === "ArrowLeft") show(now - 1, true);
    else return;
    event.preventDefault();
  });
  window.addEventListener("hashchange", () => {
    const at = stages.findIndex((stage) => "#" + stage.id === location.hash);
    if (at >= 0) show(at, true);
  });
  box.classList.add("stepping");
  controls.hidden = false;
  show(now, false);
  // The browser scrolls to the address's part of the page itself, later than this script runs.
  const asked = location.hash === "#" + stages[now].id;
  if (asked) window.addEventListener("load", () => requestAnimationFrame(() => show(now, true)));
})();
