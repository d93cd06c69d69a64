// Names for what the theme and the gallery leave without one: who does not see a page hears what a control does.
document.addEventListener("DOMContentLoaded", () => {
  for (const toggle of document.querySelectorAll("nav details > summary")) {
    const part = toggle.closest("li")?.querySelector(":scope > a");
    toggle.setAttribute("aria-label", `Pages of ${part ? part.textContent.trim() : "this part"}`);
  }
  for (const link of document.querySelectorAll(".sphx-glr-thumbcontainer a.internal")) {
    link.setAttribute("aria-label", link.textContent.trim());
  }
  for (const head of document.querySelectorAll("th:empty")) {
    head.replaceWith(document.createElement("td"));  // the corner of a table of pandas heads nothing
  }
});
