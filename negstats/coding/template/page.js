"use strict";
// Coding talks: give codes, move, undo, keep, export, import. Text goes through textContent only; nothing is fetched.
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent), book = data.codebook, codes = book.codes;
  const HIDDEN = new RegExp($("data").dataset.hidden, "u"), SCHEMA = 1, LARGEST = 100e6, NOTE = 5000;
  const names = codes.map((code) => code.name), codeOf = new Map(codes.map((code) => [code.name, code]));
  const list = $("messages"), note = $("note"), status = $("status"), alarm = $("alert");
  const done = data.kind === "adjudication" ? "decided" : "coded";

  const mark = (c) => "⟨U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "⟩";
  const seen = (text) => Array.from(String(text), (c) => (HIDDEN.test(c) ? mark(c) : c)).join("");
  const make = (tag, attributes, ...inside) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    for (const one of inside) if (one !== null) node.append(one.nodeType ? one : seen(one));
    return node;
  };
  const count = (n, noun) => n.toLocaleString("en") + " " + noun + (n === 1 ? "" : "s");
  const labels = (chosen) => chosen.map((name) => codeOf.get(name).label).join(", ") || "none of the codes";

  // ---- messages in the order of the page
  const items = [], firstOf = [];
  data.talks.forEach((talk, place) => {
    firstOf.push(items.length);
    for (const [message, speaker, text, act, hash, asks, choices] of talk.m) {
      items.push({ place, talk: talk.n, message, speaker, text, act, hash, asks: asks === 1, choices: choices || [], id: talk.n + "/" + message });
    }
  });
  const asked = items.map((_, i) => i).filter((i) => items[i].asks), byId = new Map(asked.map((i) => [items[i].id, i]));

  // ---- decisions: one frozen state a message, and steps that can be taken back
  const EMPTY = Object.freeze({ coded: false, codes: [], spans: [], note: "", at: null });
  const states = new Map(), stateOf = (i) => states.get(items[i].id) || EMPTY;
  const past = [], future = [];
  let active = asked[0] ?? 0, shown = -1, pending = null, words = null, started = new Date().toISOString(), stored = true, typing = null;
  const KEY = ["negstats-coding", data.kind, data.study_sha256, data.codebook_sha256, data.coder, data.seed].join("/");

  const content = () => ({
    schema: SCHEMA, kind: data.kind, coder: data.coder, study_sha256: data.study_sha256, seed: data.seed, codebook_sha256: data.codebook_sha256,
    codebook: book, assigned: asked.length, started_at: started, exported_at: new Date().toISOString(),
    messages: asked.filter((i) => states.has(items[i].id)).map((i) => ({
      talk: items[i].talk, message: items[i].message, text_sha256: items[i].hash, codes: stateOf(i).codes, coded: stateOf(i).coded,
      spans: stateOf(i).spans, note: stateOf(i).note, coded_at: stateOf(i).at,
    })),
    page: { at: items.length ? items[active].id : "" },
  });
  const keep = () => {
    try { localStorage.setItem(KEY, JSON.stringify(content())); stored = true; } catch { stored = false; }
    $("saved").textContent = stored ? "kept in this browser" : "NOT kept by this browser: export before you close the page";
  };
  const put = (id, state) => { if (state === EMPTY || (!state.coded && !state.note)) states.delete(id); else states.set(id, state); };
  const commit = (changes, what, together = null) => {
    const step = { what, together, changes: changes.map(([i, after]) => ({ i, before: stateOf(i), after: Object.freeze({ ...after, at: new Date().toISOString() }) })) };
    const last = past[past.length - 1];
    if (together !== null && last && last.together === together) last.changes[0].after = step.changes[0].after; else past.push(step);
    future.length = 0;
    for (const { i, after } of step.changes) put(items[i].id, after);
    keep();
    refresh(step.changes.map((change) => change.i));
  };
  const travel = (from, to, side, word) => {
    const step = from.pop();
    if (!step) { say("Nothing to " + word + "."); return; }
    for (const change of step.changes) put(items[change.i].id, change[side]);
    to.push({ ...step, together: null });
    keep();
    go(step.changes[0].i);
    refresh(step.changes.map((change) => change.i));
    say((word === "undo" ? "Undone: " : "Done again: ") + step.what + ".");
  };
  const undo = () => travel(past, future, "before", "undo"), redo = () => travel(future, past, "after", "redo");

  // ---- what is done to a message
  const say = (text) => { status.textContent = seen(text); };
  const warn = (text) => { alarm.textContent = seen(text); };
  const inOrder = (chosen) => names.filter((name) => chosen.includes(name));
  const without = (state, gone) => ({ ...state, codes: state.codes.filter((name) => !gone.includes(name)), spans: state.spans.filter((span) => !gone.includes(span.code)) });
  const toggle = (name) => {
    const i = active, code = codeOf.get(name), old = stateOf(i), span = pending && pending.i === i ? { code: name, start: pending.start, end: pending.end } : null;
    if (!items[i].asks) { say("This message is shown for its context and is not coded."); return; }
    const same = span ? old.spans.findIndex((one) => one.code === name && one.start === span.start && one.end === span.end) : -1;
    let next, what;
    if (span && same >= 0) {
      next = { ...old, spans: old.spans.filter((_, at) => at !== same) };
      what = code.label + " no longer on these words";
    } else if (!span && old.codes.includes(name)) {
      next = without(old, [name]);
      what = code.label + " off";
    } else {
      const others = code.group === null ? [] : codes.filter((one) => one.group === code.group && one.name !== name).map((one) => one.name);
      next = without(old, others);
      next = { ...next, codes: inOrder([...next.codes, name]), spans: span ? [...next.spans, span] : next.spans };
      what = code.label + (span ? " on these words" : " on");
    }
    finishSelection();
    commit([[i, { ...next, coded: next.codes.length > 0 }]], what);
    say(what + ". " + $("count").textContent);
  };
  const none = () => {
    const old = stateOf(active);
    if (!items[active].asks) { say("This message is shown for its context and is not coded."); return; }
    const on = !(old.coded && !old.codes.length);
    commit([[active, { ...old, codes: [], spans: [], coded: on }]], on ? "None of the codes" : "No decision");
    say((on ? "None of the codes. " : "No decision. ") + $("count").textContent);
  };
  const take = (place) => {
    const choice = items[active].choices[place];
    if (!choice) return;
    commit([[active, { ...stateOf(active), codes: inOrder(choice.codes), spans: choice.spans, coded: true }]], "The choice of " + choice.coder);
    say("As " + choice.coder + " chose: " + labels(inOrder(choice.codes)) + ". " + $("count").textContent);
  };
  const writeNote = () => {
    if (!items[active].asks || note.value === stateOf(active).note) return;
    typing = typing || "note " + items[active].id + " " + Date.now();
    commit([[active, { ...stateOf(active), note: note.value }]], "The note", typing);
  };

  // ---- drawing
  const pieces = (i) => {  // the text, cut where a part begins or ends and where a character would hide
    const own = Array.from(items[i].text || ""), state = stateOf(i), cuts = new Set([0, own.length]);
    const parts = state.spans.map((span) => ({ ...span, pending: false }));
    if (pending && pending.i === i && words) parts.push({ ...pending, pending: true });
    for (const part of parts) cuts.add(part.start).add(part.end);
    own.forEach((c, at) => { if (HIDDEN.test(c)) cuts.add(at).add(at + 1); });
    const places = [...cuts].filter((at) => at <= own.length).sort((a, b) => a - b);
    return places.slice(0, -1).map((from, k) => {
      const text = own.slice(from, places[k + 1]).join(""), over = parts.filter((part) => part.start <= from && places[k + 1] <= part.end);
      const hides = places[k + 1] - from === 1 && HIDDEN.test(own[from]);
      const inner = make("span", { "data-at": from, ...(hides ? { class: "hides" } : {}) });
      inner.textContent = hides ? mark(own[from]) : text;
      if (!over.length) return inner;
      return make("mark", over.some((part) => part.pending) ? { class: "pending" } : { title: seen(labels(inOrder(over.map((part) => part.code)))) }, inner);
    });
  };
  const draw = (i) => {
    const item = items[i], state = stateOf(i);
    const node = make("div", { id: "message-" + i, role: "option", "aria-selected": String(i === active), "data-i": i,
      class: "message" + (item.asks ? "" : " context") + (item.speaker % 2 ? "" : " second") + (i === active ? " active" : "") },
    make("span", { class: "who" }, "Speaker " + item.speaker + ":"),
    item.text === null ? make("span", {}, "[" + (item.act || "no words") + "]") : make("span", { class: "text", dir: "auto" }, ...pieces(i)));
    if (item.asks) {
      const tags = make("span", { class: "tags" });
      for (const name of state.codes) tags.append(make("span", { class: "tag" }, codeOf.get(name).label), " ");
      if (state.coded && !state.codes.length) tags.append(make("span", { class: "tag" }, "none"), " ");
      if (!state.coded) tags.append(make("span", { class: "tag open" }, "not yet " + done), " ");
      if (state.note) tags.append(make("span", { class: "tag open" }, "note"));
      node.append(tags);
    }
    return node;
  };
  const showTalk = () => {
    const place = items[active].place, from = firstOf[place], to = firstOf[place + 1] ?? items.length;
    if (shown !== place) {
      list.replaceChildren(...items.slice(from, to).map((_, k) => draw(from + k)));
      $("talk-title").textContent = "Talk " + data.talks[place].n + " (" + (place + 1) + " of " + data.talks.length + ")";
      shown = place;
    }
  };
  const showPanel = () => {
    const state = stateOf(active), item = items[active];
    for (const button of document.querySelectorAll(".toggle")) {
      button.setAttribute("aria-pressed", String(state.codes.includes(button.dataset.code)));
      button.disabled = !item.asks;
    }
    $("none").setAttribute("aria-pressed", String(state.coded && !state.codes.length));
    $("none").disabled = !item.asks;
    if (note.value !== state.note) note.value = state.note;
    note.disabled = !item.asks;
    if (book.spans) {
      const own = Array.from(item.text || "");
      $("spans").replaceChildren(...state.spans.map((span, at) => {
        const text = own.slice(span.start, span.end).join(""), label = codeOf.get(span.code).label;
        const button = make("button", { type: "button", "aria-label": seen("Remove " + label + " from " + text) }, "Remove");
        button.addEventListener("click", () => { commit([[active, { ...stateOf(active), spans: stateOf(active).spans.filter((_, k) => k !== at) }]], label + " no longer on these words"); list.focus(); });
        return make("li", { dir: "auto" }, make("span", {}, label + ": “" + text + "”"), button);
      }));
    }
    if (data.kind === "adjudication") {
      $("choices").replaceChildren(...item.choices.map((choice, place) => {
        const button = make("button", { type: "button", "aria-keyshortcuts": "abc"[place] || "" }, make("kbd", {}, "abc"[place] || "–"), " Take");
        button.setAttribute("aria-label", seen("Take the choice of " + choice.coder));
        button.addEventListener("click", () => take(place));
        const own = Array.from(item.text || ""), quoted = choice.spans.map((span) => codeOf.get(span.code).label + ": “" + own.slice(span.start, span.end).join("") + "”");
        return make("div", { class: "choice" }, make("p", {}, make("b", { dir: "auto" }, choice.coder), ": " + labels(inOrder(choice.codes))),
          quoted.length ? make("p", { class: "soft", dir: "auto" }, quoted.join("; ")) : null,
          choice.note ? make("p", { class: "soft", dir: "auto" }, "Note: " + choice.note) : null, button);
      }));
      if (!item.choices.length) $("choices").replaceChildren(make("p", { class: "soft" }, "The coders do not differ on this message, or it is not coded."));
    }
    $("undo").disabled = !past.length;
    $("redo").disabled = !future.length;
  };
  const showCount = () => {
    const ready = asked.filter((i) => stateOf(i).coded).length;
    $("bar").max = asked.length || 1;
    $("bar").value = ready;
    $("count").textContent = ready.toLocaleString("en") + " of " + count(asked.length, "message") + " " + done;
  };
  const refresh = (changed) => {
    for (const i of changed) { const old = $("message-" + i); if (old) old.replaceWith(draw(i)); }
    showCount();
    showPanel();
  };
  const go = (to) => {
    if (!items.length) return;
    const before = active;
    if (pending && pending.i !== to) finishSelection();
    if (before !== to) typing = null;
    active = Math.max(0, Math.min(items.length - 1, to));
    showTalk();
    for (const i of [before, active]) {
      const node = $("message-" + i);
      if (node) { node.classList.toggle("active", i === active); node.setAttribute("aria-selected", String(i === active)); }
    }
    list.setAttribute("aria-activedescendant", "message-" + active);
    const node = $("message-" + active);
    if (node.offsetTop < list.scrollTop) list.scrollTop = node.offsetTop - 8;
    if (node.offsetTop + node.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = node.offsetTop + node.offsetHeight - list.clientHeight + 8;
    showPanel();
  };
  const openNext = () => {
    const open = (i) => !stateOf(i).coded, next = asked.find((i) => i > active && open(i)) ?? asked.find(open);
    if (next === undefined) { say("All messages are " + done + ". Export your file."); return; }
    go(next);
    list.focus();
  };
  const turnTalk = (by) => {
    const place = items[active].place + by;
    if (place < 0 || place >= data.talks.length) { say(by > 0 ? "This is the last talk." : "This is the first talk."); return; }
    const from = firstOf[place], to = firstOf[place + 1] ?? items.length;
    go(asked.find((i) => i >= from && i < to) ?? from);
  };

  // ---- parts of a text: by the mouse, or by the key s and the arrows over words
  const showPending = () => { if (book.spans) $("pending").textContent = pending ? "Selected: " + seen(Array.from(items[pending.i].text).slice(pending.start, pending.end).join("")) : ""; };
  const finishSelection = () => {
    const i = pending ? pending.i : -1, byKeys = words !== null;
    pending = null; words = null;
    showPending();
    if (byKeys && i >= 0 && $("message-" + i)) $("message-" + i).replaceWith(draw(i));
    if (i >= 0) getSelection().removeAllRanges();
  };
  const wordsOf = (text) => {
    const found = [];
    Array.from(text).forEach((c, at, own) => {
      if (/\s/u.test(c)) return;
      if (at && !/\s/u.test(own[at - 1])) found[found.length - 1][1] = at + 1; else found.push([at, at + 1]);
    });
    return found;
  };
  const selectWords = (first, last) => {
    words = { ...words, first, last };
    pending = { i: active, start: words.all[first][0], end: words.all[last][1] };
    $("message-" + active).replaceWith(draw(active));
    showPending();
  };
  const beginWords = () => {
    if (!book.spans || !items[active].asks) return;
    const all = wordsOf(items[active].text);
    getSelection().removeAllRanges();
    words = { all };
    selectWords(0, 0);
    list.focus();
  };
  const moveWords = (by, more) => {
    const { all, first, last } = words, to = Math.max(more ? first : 0, Math.min(all.length - 1, last + by));
    selectWords(more ? first : Math.max(0, Math.min(all.length - 1, first + by)), more ? to : Math.max(0, Math.min(all.length - 1, first + by)));
  };
  const placeOf = (node, offset) => {  // the character at which a selection begins or ends
    const piece = (node.nodeType === 3 ? node.parentNode : node).closest?.("[data-at]");
    if (!piece) return null;
    const from = +piece.dataset.at;
    if (piece.classList.contains("hides")) return from + (offset > 0 ? 1 : 0);
    return from + (node.nodeType === 3 ? Array.from(node.data.slice(0, offset)).length : offset ? Array.from(piece.textContent).length : 0);
  };
  const readSelection = () => {
    if (!book.spans || words) return;
    const selection = getSelection();
    if (selection.isCollapsed || !selection.rangeCount) return;
    const range = selection.getRangeAt(0), holder = (range.commonAncestorContainer.nodeType === 3 ? range.commonAncestorContainer.parentNode : range.commonAncestorContainer).closest(".message");
    if (!holder || !list.contains(holder)) return;
    const i = +holder.dataset.i, start = placeOf(range.startContainer, range.startOffset), end = placeOf(range.endContainer, range.endOffset);
    if (!items[i].asks || start === null || end === null || start >= end) return;
    pending = { i, start, end };
    if (i !== active) go(i);
    showPending();
  };

  // ---- files: what is read must be of this page, message by message
  const fault = (file) => {
    if (typeof file !== "object" || file === null || !Array.isArray(file.messages)) return "it is not a file that a coding page exported";
    if (file.schema !== SCHEMA) return "its schema is another one";
    if (file.kind !== data.kind) return "it is of another kind of page";
    if (file.study_sha256 !== data.study_sha256) return "it was coded from other talks";
    if (file.codebook_sha256 !== data.codebook_sha256) return "it was coded with another codebook";
    if (file.seed !== data.seed) return "it was coded with another seed, so its talks have other numbers";
    if (file.coder !== data.coder) return "it is the file of " + String(file.coder).slice(0, 60);
    for (const [place, one] of file.messages.entries()) {
      const at = "its message " + (place + 1), i = byId.get(one?.talk + "/" + one?.message);
      if (i === undefined) return at + " is none of this page";
      if (one.text_sha256 !== items[i].hash) return at + " has another text";
      if (!Array.isArray(one.codes) || one.codes.some((name) => !codeOf.has(name)) || new Set(one.codes).size < one.codes.length) return at + " has codes that are not in the codebook";
      const groups = one.codes.map((name) => codeOf.get(name).group).filter((group) => group !== null);
      if (new Set(groups).size < groups.length) return at + " has codes that exclude each other";
      const length = Array.from(items[i].text).length, whole = (span) => Number.isInteger(span?.start) && Number.isInteger(span?.end) && span.start >= 0 && span.start < span.end && span.end <= length && one.codes.includes(span.code);
      if (!Array.isArray(one.spans) || !one.spans.every(whole)) return at + " has a part of a text that is none";
      if (typeof one.note !== "string" || one.note.length > NOTE || typeof one.coded !== "boolean" || (one.codes.length && !one.coded)) return at + " cannot be read";
    }
    return null;
  };
  const statesIn = (file) => file.messages.map((one) => [byId.get(one.talk + "/" + one.message), Object.freeze({
    coded: one.coded, codes: inOrder(one.codes), spans: one.spans.map(({ code, start, end }) => ({ code, start, end })), note: one.note,
    at: typeof one.coded_at === "string" ? one.coded_at : null })]);
  const importText = (text) => {
    let file = null, reason = null;
    try { file = JSON.parse(text); reason = fault(file); } catch { reason = "it is not JSON"; }
    if (reason) { warn("The file was not imported: " + reason + "."); say(""); return; }
    warn("");
    const read = statesIn(file);
    if (read.length) commit(read, "The import of " + count(read.length, "message"));
    if (typeof file.started_at === "string" && file.started_at < started) started = file.started_at;
    say(count(read.length, "message") + " imported. " + $("count").textContent);
  };
  const exportFile = () => {
    const text = JSON.stringify(content(), (name, value) => (name === "page" ? undefined : value), 1), link = make("a", {});
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = (data.coder.replace(/[^A-Za-z0-9-]+/g, "_") || "coder") + (data.kind === "adjudication" ? "-decided" : "-coded") + ".json";
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say("Exported to " + link.download + ". " + $("count").textContent);
  };
  const resume = (text) => {
    try {
      const file = JSON.parse(text);
      if (fault({ ...file, messages: [] }) !== null) return;
      const readable = file.messages.filter((one) => fault({ ...file, messages: [one] }) === null);
      states.clear();
      for (const [i, state] of statesIn({ messages: readable })) put(items[i].id, state);
      if (typeof file.started_at === "string") started = file.started_at;
      const at = items.findIndex((item) => item.id === file.page?.at);
      if (at >= 0) active = at;
      if (readable.length) say("Resumed: " + count(readable.length, "message") + " from this browser.");
    } catch { warn("What this browser kept of this page cannot be read; import your exported file."); }
  };

  // ---- keys and buttons
  const dialog = $("keys");
  const PLAIN = {
    ArrowDown: () => go(active + 1), ArrowUp: () => go(active - 1), Enter: openNext, "]": () => turnTalk(1), "[": () => turnTalk(-1), 0: none,
    m: () => { if (!note.disabled) note.focus(); }, s: beginWords, u: undo, r: redo, e: exportFile, i: () => $("file").click(), "?": () => dialog.showModal(),
    Home: () => go(firstOf[items[active].place]), End: () => go((firstOf[items[active].place + 1] ?? items.length) - 1),
  };
  for (const code of codes) if (code.key) PLAIN[code.key] = () => toggle(code.name);
  if (data.kind === "adjudication") "abc".split("").forEach((letter, place) => { PLAIN[letter] = () => take(place); });
  const WITH_CONTROL = { z: undo, y: redo, Z: redo, s: exportFile };
  document.addEventListener("keydown", (event) => {
    if (dialog.open || event.altKey || event.isComposing) return;
    if (event.target === note) {
      if (event.key === "Escape") { writeNote(); typing = null; list.focus(); event.preventDefault(); }
      return;
    }
    const own = event.ctrlKey || event.metaKey;
    if (own) { if (WITH_CONTROL[event.key]) { event.preventDefault(); WITH_CONTROL[event.key](); } return; }
    if (words && (event.key === "ArrowRight" || event.key === "ArrowLeft")) { event.preventDefault(); moveWords(event.key === "ArrowRight" ? 1 : -1, event.shiftKey); return; }
    if (event.key === "Escape") { finishSelection(); list.focus(); return; }
    const onControl = event.target.closest("button, a, summary") !== null, isLetter = event.key.length === 1;
    if (onControl && (event.key === "Enter" || event.key === " ")) return;
    if (isLetter && !$("letters").checked) return;
    const does = PLAIN[event.key];
    if (does && items.length) { event.preventDefault(); does(); }
  });
  list.addEventListener("click", (event) => { const node = event.target.closest(".message"); if (node && +node.dataset.i !== active) go(+node.dataset.i); });
  list.addEventListener("mousedown", () => { if (pending) { finishSelection(); } });
  document.addEventListener("selectionchange", readSelection);
  for (const button of document.querySelectorAll(".toggle")) {
    button.addEventListener("mousedown", (event) => event.preventDefault());  // the selection stays
    button.addEventListener("click", () => toggle(button.dataset.code));
  }
  $("none").addEventListener("click", none);
  note.addEventListener("input", writeNote);
  note.addEventListener("blur", () => { writeNote(); typing = null; });
  for (const [name, does] of [["undo", undo], ["redo", redo], ["export", exportFile], ["import", () => $("file").click()], ["open-next", openNext], ["earlier", () => turnTalk(-1)],
    ["later", () => turnTalk(1)], ["help", () => dialog.showModal()], ["close", () => dialog.close()]]) $(name).addEventListener("click", does);
  $("file").addEventListener("change", async () => {
    const file = $("file").files[0];
    if (!file) return;
    if (file.size > LARGEST) warn("The file was not imported: it is too large."); else importText(await file.text());
    $("file").value = "";
  });
  addEventListener("storage", (event) => {
    if (event.key !== KEY || event.newValue === null) return;
    const here = active;
    resume(event.newValue);
    active = here; past.length = 0; future.length = 0; shown = -1;
    go(here); showCount();
    say("Another window of this page changed codes; this one shows them.");
  });
  addEventListener("pagehide", () => { writeNote(); keep(); });
  addEventListener("beforeunload", (event) => { if (!stored && states.size) event.preventDefault(); });

  try { const text = localStorage.getItem(KEY); if (text !== null) resume(text); } catch { stored = false; }
  if (!items.length) { say("There is nothing to code on this page."); return; }
  go(active);
  showCount();
  if (!stored) keep();
  list.focus({ preventScroll: true });
})();
