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
  const outputs = ".cell_output, .highlight-text, .highlight-none";
  for (const block of document.querySelectorAll("div.highlight")) {
    if (!navigator.clipboard || block.closest(outputs)) continue;
    const button = document.createElement("button");
    button.className = "ns-copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const code = block.querySelector("pre").innerText.replace(/^\$ /gm, "");  // without the prompts of a terminal
      await navigator.clipboard.writeText(code.trimEnd());
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    block.append(button);
  }
});
