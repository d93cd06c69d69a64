"use strict";
// Copies a paragraph, what is selected of it, or a table as text, Markdown, LaTeX, or as Word takes it: from the page's own elements.
(() => {
  const MARKS = {
    Text: { i: ["", ""], b: ["", ""], sub: ["_", ""], escape: (text) => text },
    Markdown: { i: ["*", "*"], b: ["**", "**"], sub: ["<sub>", "</sub>"],
      escape: (text) => text.replace(/[\\*_`<|]/g, "\\$&") },
    LaTeX: { i: ["\\textit{", "}"], b: ["\\textbf{", "}"], sub: ["\\textsubscript{", "}"],
      escape: (text) => text.replace(/\\/g, "\\textbackslash{}").replace(/[&%$#_{}](?!\})/g, "\\$&")
        .replace(/−/g, "$-$").replace(/\u00a0/g, "~").replace(/\u2007/g, "") },
  };
  const said = (node, marks) => {
    if (node.nodeType === Node.TEXT_NODE) return marks.escape(node.data);
    if (node.nodeType !== Node.ELEMENT_NODE || node.classList.contains("copy")) return "";
    if (node.tagName === "BR") return " ";
    const [open, close] = marks[node.tagName.toLowerCase()] || ["", ""];
    return open + [...node.childNodes].map((child) => said(child, marks)).join("") + close;
  };
  const plain = (text) => text.replace(/[\u00a0\u2007]/g, " ").trim();
  // The cells of each row; one that spans columns is followed by empty ones, so that columns stay in line.
  const cells = (row, marks) => [...row.cells].flatMap((cell) =>
    [plain(said(cell, marks)), ...Array(cell.colSpan - 1).fill("")]);
  const grid = (table, marks) => {
    const rows = [...table.rows], heads = table.tHead.rows;
    const texts = rows.map((row) => cells(row, marks));
    if (heads.length === 2) {
      const spanning = [...heads[0].cells];
      texts[1] = [...spanning.filter((cell) => cell.rowSpan === 2).map(() => ""), ...texts[1]];
      texts[1][0] = texts[0][0]; texts[0][0] = "";
    }
    return texts;
  };
  const tabled = (table, format) => {
    const marks = MARKS[format], rows = grid(table, marks), wide = Math.max(...rows.map((row) => row.length));
    const heads = table.tHead.rows.length, title = plain(said(table.caption, marks));
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
  // What is selected of a paragraph, such as a sentence; null where nothing is.
  const selected = (node) => {
    const choice = document.getSelection();
    if (!choice.rangeCount || choice.isCollapsed || !node.contains(choice.getRangeAt(0).commonAncestorContainer))
      return null;
    const part = document.createElement("p");
    part.append(choice.getRangeAt(0).cloneContents());
    return part;
  };
  const copied = (node, format, button) => {
    const table = node.matches(".wide") ? node.querySelector("table") : null;
    const clean = table ? table.cloneNode(true) : selected(node) || node.cloneNode(true);
    clean.querySelectorAll(".copy").forEach((one) => one.remove());
    const kind = format === "Word" ? "Text" : format;
    const text = table ? tabled(table, kind) : plain(said(clean, MARKS[kind]));
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
  for (const node of document.querySelectorAll("main section:not(#games, #summary) > p:not(.table-note), .wide")) {
    const menu = document.createElement("span");
    menu.className = "copy";
    menu.addEventListener("mousedown", (event) => event.preventDefault());  // a click keeps the selection
    for (const format of ["Text", "Markdown", "LaTeX", "Word"]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = format;
      button.setAttribute("aria-label", "Copy as " + format);
      button.addEventListener("click", () => copied(node, format, button));
      menu.append(button);
    }
    node.append(menu);
  }
})();
