"use strict";
// A button says its action and a value, a list says its name: the server has one handler for all of them.
const send = (action, value) => Shiny.setInputValue("do", { action, value: JSON.stringify(value) }, { priority: "event" });
const announce = (text) => { document.getElementById("announcement").textContent = text; };

document.addEventListener("click", (event) => {
  const doing = event.target.closest("[data-do]");
  if (doing) {
    const source = doing.dataset.from && document.getElementById(doing.dataset.from);
    send(doing.dataset.do, source ? source.value : JSON.parse(doing.dataset.value));
  }
  const copying = event.target.closest("[data-copy]");
  if (copying) copy(document.getElementById(copying.dataset.copy), copying);
});
document.addEventListener("change", (event) => {
  const { choice } = event.target.dataset;
  if (choice) send(`choose-${choice}`, event.target.type === "checkbox" ? (event.target.checked ? "on" : "") : event.target.value);
  if (event.target.matches("#files, #folder")) upload([...event.target.files].map((file) => [file.webkitRelativePath || file.name, file]));
});
// The search above a list hides what does not fit; Enter goes to the list.
document.addEventListener("input", (event) => {
  const list = document.getElementById(event.target.dataset.search);
  if (!list) return;
  const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const option of list.options) option.hidden = !words.every((word) => option.text.toLowerCase().includes(word));
  for (const group of list.querySelectorAll("optgroup")) group.hidden = ![...group.children].some((option) => !option.hidden);
});
document.addEventListener("keydown", (event) => {
  const list = event.key === "Enter" && document.getElementById(event.target.dataset?.search);
  const first = list && [...list.options].find((option) => !option.hidden);
  if (first) { list.value = first.value; list.focus(); list.dispatchEvent(new Event("change", { bubbles: true })); }
});

async function copy(source, button) {
  const plain = (text) => text.replaceAll("\u00a0", " ");
  const parts = {
    "text/plain": new Blob([plain(source.innerText)], { type: "text/plain" }),
    "text/html": new Blob([plain(source.innerHTML)], { type: "text/html" }),
  };
  await navigator.clipboard.write([new ClipboardItem(parts)]);
  button.textContent = "Copied";
  announce("Copied");
}

// Files go into the folder of the project one after the other; a folder keeps its paths.
async function upload(entries) {
  if (!entries.length) return;
  const id = crypto.randomUUID();
  const several = entries.length > 1 && !entries[0][0].includes("/");
  let name = "";
  for (const [place, [path, file]] of entries.entries()) {
    document.getElementById("sending").textContent = `Copying ${place + 1} of ${entries.length}: ${file.name}`;
    const query = new URLSearchParams({ upload: id, path: several ? `files/${path}` : path });
    const response = await fetch(`upload?${query}`, { method: "PUT", body: file });
    if (!response.ok) {
      document.getElementById("sending").textContent = await response.text();
      return;
    }
    name = (await response.json()).name;
  }
  document.getElementById("sending").textContent = "";
  send("open", name);
}
async function files_in(entry, path = "") {
  if (entry.isFile) return [[path + entry.name, await new Promise((done, fail) => entry.file(done, fail))]];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const part = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (!part.length) break;
    for (const child of part) found.push(...await files_in(child, `${path}${entry.name}/`));
  }
  return found;
}
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, async (event) => {
    event.preventDefault();
    document.getElementById("drop")?.classList.toggle("over", kind === "dragover");
    if (kind !== "drop") return;
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    upload((await Promise.all(entries.map((entry) => files_in(entry)))).flat());
  });
}

// Whoever works by keys keeps the place when a part of the page is written anew.
let place = null;
const key_of = (element) => element.id || (element.dataset?.do ? `[data-do="${element.dataset.do}"][data-value='${element.dataset.value}']` : null);
document.addEventListener("focusin", (event) => { place = key_of(event.target); });
const mend = () => {
  if (place && document.activeElement === document.body) {
    try { (document.getElementById(place) || document.querySelector(place))?.focus({ preventScroll: true }); } catch { place = null; }
  }
  // What Shiny's grid and notes leave out for those who hear the page.
  document.getElementById("shiny-notification-panel")?.setAttribute("role", "status");
  for (const grid of document.querySelectorAll("shiny-data-frame table")) {
    grid.removeAttribute("aria-multiselectable");
    const heads = [...grid.querySelectorAll("thead tr:first-child th")].map((head) => head.innerText);
    grid.querySelectorAll("thead tr.filters th").forEach((cell, at) => {
      for (const field of cell.querySelectorAll("input")) field.setAttribute("aria-label", `Filter ${heads[at]} ${field.placeholder || ""}`.trim());
    });
  }
};
const scheme = matchMedia("(prefers-color-scheme: dark)");
const set_scheme = () => document.documentElement.setAttribute("data-bs-theme", scheme.matches ? "dark" : "light");
set_scheme();
scheme.addEventListener("change", set_scheme);
document.addEventListener("DOMContentLoaded", () => {
  new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
  Shiny.addCustomMessageHandler("went", ({ page }) => {
    for (const step of document.querySelectorAll("[data-page]")) {
      if (step.dataset.page === page) step.setAttribute("aria-current", "page");
      else step.removeAttribute("aria-current");
    }
    scrollTo(0, 0);
  });
  Shiny.addCustomMessageHandler("reload", (_) => location.reload());
  Shiny.addCustomMessageHandler("show", ({ id, shown }) => { document.getElementById(id).hidden = !shown; });
});
