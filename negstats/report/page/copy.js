"use strict";
// Copies a sentence, a paragraph or a table as text, Markdown, LaTeX, or as Word takes it: from the page's own elements.
(() => {
  // Letters and signs that a document of LaTeX does not know of itself.
  const SIGNS = {};  // by their names, which the page fills in
  const MARKS = {
    Text: { i: ["", ""], b: ["", ""], sub: ["_", ""], escape: (text) => text },
    Markdown: { i: ["*", "*"], b: ["**", "**"], sub: ["<sub>", "</sub>"],
      escape: (text) => text.replace(/[\\*_`<|]/g, "\\$&") },
    LaTeX: { i: ["\\textit{", "}"], b: ["\\textbf{", "}"], sub: ["\\textsubscript{", "}"],
      escape: (text) => text.replace(/\\/g, "\\textbackslash{}").replace(/[&%$#_{}](?!\})/g, "\\$&")
        .replace(/−/g, "$-$").replace(/²/g, "$^2$")
        .replace(/\S/g, (sign) => SIGNS[sign] ? "$\\" + SIGNS[sign] + "$" : sign)
        .replace(/\u00a0/g, "~").replace(/\u2007/g, "") },
  };
  const written = (node, marks) => {
    if (node.nodeType === Node.TEXT_NODE) return marks.escape(node.data);
    if (node.nodeType !== Node.ELEMENT_NODE || node.classList.contains("copy")) return "";
    if (node.tagName === "BR") return " ";
    const [open, close] = marks[node.tagName.toLowerCase()] || ["", ""];
    return open + [...node.childNodes].map((child) => written(child, marks)).join("") + close;
  };
  const plain = (text) => text.replace(/[\u00a0\u2007]/g, " ").trim();
  // The cells of each row; one that spans columns is followed by empty ones, so that columns stay in line.
  const cells = (row, marks) => [...row.cells].flatMap((cell) =>
    [plain(written(cell, marks)), ...Array(cell.colSpan - 1).fill("")]);
  const grid = (table, marks) => {
    const texts = [...table.rows].map((row) => cells(row, marks)), heads = table.tHead.rows;
    if (heads.length < 2) return texts;
    // What spans both rows of heads stands in the second, in its own column.
    let place = 0;
    for (const cell of heads[0].cells) {
      if (cell.rowSpan === 2) {
        texts[1].splice(place, 0, texts[0][place]);
        texts[0][place] = "";
      }
      place += cell.colSpan;
    }
    return texts;
  };
  const tabled = (table, format) => {
    const marks = MARKS[format], rows = grid(table, marks), wide = Math.max(...rows.map((row) => row.length));
    const heads = table.tHead.rows.length, title = plain(written(table.caption, marks));
    const full = rows.map((row) => [...row, ...Array(wide - row.length).fill("")]);
    if (format === "Text") return title + "\n" + full.map((row) => row.join("\t")).join("\n");
    if (format === "Markdown") {
      const lines = full.map((row) => "| " + row.join(" | ") + " |");
      lines.splice(1, 0, "|" + " --- |".repeat(wide));
      return title + "\n\n" + lines.join("\n");
    }
    const body = full.map((row) => row.join(" & ") + " \\\\");
    body.splice(heads, 0, "\\midrule");
    return [title, "", "\\begin{tabular}{l" + "r".repeat(wide - 1) + "}", "\\toprule", ...body, "\\bottomrule",
      "\\end{tabular}"].join("\n");
  };
  const copied = (node, format, button) => {
    const table = node.querySelector("table"), clean = (table || node).cloneNode(true);
    clean.querySelectorAll(".copy").forEach((tool) => tool.remove());
    for (const one of clean.querySelectorAll("b, i, sub")) {  // two beside each other are one: "****" is no mark
      while (one.nextSibling && one.nextSibling.nodeName === one.nodeName) {
        one.append(...one.nextSibling.childNodes);
        one.nextSibling.remove();
      }
    }
    const kind = format === "Word" ? "Text" : format;
    const text = table ? tabled(clean, kind) : plain(written(clean, MARKS[kind]));
    const take = (event) => {
      event.preventDefault();
      event.clipboardData.setData("text/plain", text);
      if (format === "Word") event.clipboardData.setData("text/html", clean.outerHTML);
    };
    document.addEventListener("copy", take, { once: true });
    const done = document.execCommand("copy");
    document.removeEventListener("copy", take);
    button.textContent = done ? "Copied" : "Not copied";
    setTimeout(() => { button.textContent = format; }, 1200);
  };
  const labeled = (sign, label, action) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = sign;
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => action(button));
    return button;
  };
  // One small button beside each sentence, table and paragraph of several sentences; it opens the one row of formats.
  const formats = document.createElement("span");
  let opener = null, opened = null;
  formats.className = "formats";
  formats.setAttribute("role", "group");
  formats.append(...["Text", "Markdown", "LaTeX", "Word"].map((format) =>
    labeled(format, "Copy as " + format, (button) => copied(opened, format, button))));
  // What would reach over the right edge is moved to the left.
  const keepInside = (tool) => {
    tool.style.translate = "";
    const over = tool.getBoundingClientRect().right - document.documentElement.clientWidth;
    if (over > 0) tool.style.translate = -over - 4 + "px";
  };
  const close = () => {
    if (opener) opener.setAttribute("aria-expanded", "false");
    opener = opened = null;
    formats.remove();
  };
  const toggle = (node, button) => {
    const was = opener;
    close();
    if (was === button) return;
    [opener, opened] = [button, node];
    button.setAttribute("aria-expanded", "true");
    button.after(formats);
    keepInside(formats);
  };
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !opener) return;
    opener.focus();
    close();
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".copy")) close();
  });
  const place = (node, what, sign) => {
    const tool = document.createElement("span");
    tool.className = "copy";
    const button = labeled(sign, "Copy this " + what, () => toggle(node, button));
    button.setAttribute("aria-expanded", "false");
    tool.append(button);
    node.append(tool);
    for (const event of ["mouseenter", "focusin"]) node.addEventListener(event, () => keepInside(button));
  };
  for (const node of document.querySelectorAll("main .sentence")) place(node, "sentence", "Copy");
  for (const node of document.querySelectorAll("main p:has(.sentence + .sentence)")) place(node, "paragraph", "Copy \u00b6");
  for (const node of document.querySelectorAll("main .wide")) place(node, "table", "Copy");
})();
