"use strict";
// The list of games: filter, open, draw. Text from the data goes through textContent only; nothing is ever fetched.
(() => {
  const $ = (id) => document.getElementById(id);
  const index = JSON.parse($("games-index").textContent);
  const rows = index.rows, factors = index.factors, F = factors.length;
  const [END, SEATS, POINTS, OFFERS, TALKS] = [F + 1, F + 2, F + 3, F + 4, F + 5];
  const HEIGHT = 56, MARGIN = 6, NS = "http://www.w3.org/2000/svg";
  const HIDDEN = new RegExp($("games-index").dataset.hidden, "gu");
  const list = $("games-list"), inner = $("games-rows"), panel = $("game"), status = $("games-count");
  const words = $("games-words"), low = $("games-low"), high = $("games-high"), end = $("games-end");
  const choices = factors.map((_, f) => $("games-factor-" + f));
  let kept = rows.map((_, i) => i), active = 0, opened = -1, typing = 0, turn = 0;

  const seen = (text) => String(text).replace(/\r\n/g, "\n").replace(HIDDEN, (c) =>
     "⟨U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "⟩");
  const num = (x) => (x === null || x === undefined ? "–" : String(+x.toPrecision(4)).replace("-", "−"));
  const put = (node, attributes, ...inside) => {
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    for (const one of inside) if (one !== null) node.append(one.nodeType ? one : seen(one));
    return node;
  };
  const make = (tag, attributes, ...inside) => put(document.createElement(tag), attributes, ...inside);
  const draw = (tag, attributes, ...inside) => put(document.createElementNS(NS, tag), attributes, ...inside);
  const brief = (text) => (text.length > 26 ? text.slice(0, 25) + "…" : text);
  const said = (text) => make("span", { dir: "auto" }, text);
  const seatsOf = (row) => index.seats[row[SEATS]] || [];
  const levelOf = (row, f) => (row[f + 1] < 0 ? "–" : index.levels[f][row[f + 1]]);

  // ---- the games themselves: chunks inside the page, or script files beside it that the page's one policy lets in
  const chunks = new Map(), waiting = new Map(), folder = index.folder;
  const policy = window.trustedTypes && folder ? trustedTypes.createPolicy("negstats", {
    createScriptURL: (url) => {
      if (new RegExp("^" + folder + "/[0-9]{4}\\.js$").test(url)) return url;
      throw new TypeError("not a file of this report");
    },
  }) : { createScriptURL: (url) => url };
  const chunkOf = (game) => {
    let from = 0, to = index.starts.length - 1;
    while (from < to) {
      const middle = (from + to + 1) >> 1;
      if (index.starts[middle] <= game) from = middle; else to = middle - 1;
    }
    return from;
  };
  window.negstatsGames = (place, chunk) => { chunks.set(place, chunk); };
  const chunk = (place) => {
    if (chunks.has(place)) return Promise.resolve(chunks.get(place));
    const name = String(place).padStart(4, "0");
    if (!folder) {
      chunks.set(place, JSON.parse($("games-" + name).textContent));
      return Promise.resolve(chunks.get(place));
    }
    if (!waiting.has(place)) waiting.set(place, new Promise((resolve, reject) => {
      const script = make("script"), url = folder + "/" + name + ".js";
      script.onload = () => (chunks.has(place) ? resolve(chunks.get(place)) : reject(url));
      script.onerror = () => { waiting.delete(place); reject(url); };
      script.src = policy.createScriptURL(url);
      document.head.append(script);
    }));
    return waiting.get(place);
  };
  const gameAt = async (game) => {
    const place = chunkOf(game), whole = await chunk(place), own = whole.g[game - index.starts[place]];
    return [own, own.s === undefined ? null : whole.p[own.s]];
  };

  // ---- words: one lower-case text a game, made at the first search
  const texts = [];
  const read = async () => {
    for (let place = 0; place < index.starts.length; place += 1) {
      const first = index.starts[place];
      if (texts[first] !== undefined) continue;
      try {
        (await chunk(place)).g.forEach((own, i) => {
          const talk = own.m.map((m) => (m[1] === null ? "" : m[1])), offers = own.o.map((o) => o[3]);
          texts[first + i] = [rows[first + i][0], ...talk, ...offers].join("\n").toLowerCase();
        });
      } catch (url) { missing(url); }
    }
  };

  // ---- the list: only rows that can be seen stand in the document, and the active one
  const show = () => {
    const top = list.scrollTop, many = Math.ceil(list.clientHeight / HEIGHT);
    const first = Math.max(0, Math.floor(top / HEIGHT) - MARGIN), last = Math.min(kept.length, first + many + 2 * MARGIN);
    const wanted = new Set([active]);
    for (let at = first; at < last; at += 1) wanted.add(at);
    inner.replaceChildren(...[...wanted].filter((at) => at < kept.length).sort((a, b) => a - b).map(option));
    inner.style.height = kept.length * HEIGHT + "px";
    if (kept.length) list.setAttribute("aria-activedescendant", "row-" + kept[active]);
    else list.removeAttribute("aria-activedescendant");
  };
  const option = (at) => {
    const game = kept[at], row = rows[game];
    const what = [...choices.map((_, f) => levelOf(row, f)).filter((level) => level !== "–"), index.ends[row[END]], row[OFFERS] + (row[OFFERS] === 1 ? " offer" : " offers")];
    const node = make("div", {
      id: "row-" + game, role: "option", class: at === active ? "row active" : "row", "aria-setsize": kept.length,
      "aria-posinset": at + 1, "aria-selected": String(game === opened),
    }, make("span", { class: "id", dir: "auto" }, row[0]), make("span", { class: "points" }, row[POINTS].map(num).join(" : ")),
      make("span", { class: "what", dir: "auto" }, what.join(" · ")));
    node.style.top = at * HEIGHT + "px";
    node.addEventListener("click", () => { active = at; open(game, true); });
    return node;
  };
  const go = (to) => {
    active = Math.max(0, Math.min(kept.length - 1, to));
    const top = active * HEIGHT;
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top + HEIGHT - list.clientHeight;
    show();
  };
  const bound = (field, otherwise) => (field.value === "" || Number.isNaN(+field.value) ? otherwise : +field.value);
  const filter = async () => {
    const mine = ++turn, word = words.value.trim().toLowerCase();
    if (word) { status.textContent = "reading the talk …"; await read(); }
    if (mine !== turn) return;
    const from = bound(low, -Infinity), to = bound(high, Infinity), free = from === -Infinity && to === Infinity;
    const levels = choices.map((one) => one.value), ending = end.value, before = kept[active];
    kept = [];
    rows.forEach((row, i) => {
      if (levels.some((level, f) => level !== "" && row[f + 1] !== +level)) return;
      if (ending !== "" && row[END] !== +ending) return;
      if (!free && !row[POINTS].some((x) => x !== null && x >= from && x <= to)) return;
      if (word && !(texts[i] || "").includes(word)) return;
      kept.push(i);
    });
    active = Math.max(0, kept.indexOf(before));
    status.textContent = kept.length + " of " + rows.length + (rows.length === 1 ? " game" : " games");
    list.hidden = !kept.length;
    go(active);
  };

  // ---- figures: marks differ by shape and colour; each says its values in words
  const W = 380, H = 260, LEFT = 44, BOTTOM = 34, TOP = 10, RIGHT = 12;
  const ticks = (from, to) => {
    const raw = (to - from || 1) / 5, unit = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 2.5, 5, 10].find((s) => s * unit >= raw) * unit;
    const found = [];
    for (let at = Math.ceil(from / step); at * step <= to + step * 1e-9; at += 1) found.push(+(at * step).toPrecision(12));
    return found;
  };
  const frame = (xs, ys, names, label) => {
    const reach = (v) => { const a = Math.min(...v), b = Math.max(...v), pad = (b - a) * 0.06 || Math.abs(a) / 4 || 1; return [a - pad, b + pad]; };
    const [x0, x1] = reach(xs), [y0, y1] = reach(ys);
    const x = (v) => +(LEFT + ((v - x0) / (x1 - x0)) * (W - LEFT - RIGHT)).toFixed(1);
    const y = (v) => +(H - BOTTOM - ((v - y0) / (y1 - y0)) * (H - BOTTOM - TOP)).toFixed(1);
    const svg = draw("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": seen(label), class: "drawn" });
    for (const t of ticks(x0, x1)) if (names[2] !== "whole" || Number.isInteger(t)) svg.append(
      draw("line", { x1: x(t), x2: x(t), y1: H - BOTTOM, y2: H - BOTTOM + 4, class: "axis" }),
      draw("text", { x: x(t), y: H - BOTTOM + 15, "text-anchor": "middle" }, num(t)));
    for (const t of ticks(y0, y1)) svg.append(
      draw("line", { x1: LEFT, x2: W - RIGHT, y1: y(t), y2: y(t), class: "grid" }),
      draw("text", { x: LEFT - 5, y: y(t) + 4, "text-anchor": "end" }, num(t)));
    svg.append(draw("path", { d: `M${LEFT} ${TOP}V${H - BOTTOM}H${W - RIGHT}`, class: "axis" }),
      draw("text", { x: (LEFT + W - RIGHT) / 2, y: H - 4, "text-anchor": "middle" }, names[0]),
      draw("text", { transform: `translate(11 ${(TOP + H - BOTTOM) / 2}) rotate(-90)`, "text-anchor": "middle" }, names[1]));
    return { svg, x, y };
  };
  const MARKS = ["M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "M-3.6-3.6h7.2v7.2h-7.2z", "M0-4.6L4.4 3.4H-4.4z", "M0-5L5 0L0 5L-5 0z"];
  const mark = (seat, x, y) => draw("path", { d: MARKS[seat % 4], transform: `translate(${x} ${y})`, class: "mark seat" + (seat % 4) });
  const line = (points, name) => draw("path", { d: "M" + points.map((p) => p.join(" ")).join("L"), class: name });
  const key = (names) => make("p", { class: "key" }, ...names.map((name, i) => make("span", {},
    put(draw("svg", { viewBox: "-6 -6 12 12", width: 12, height: 12, "aria-hidden": "true" }), {}, mark(i, 0, 0)), " ", said(name))));
  const boxed = (title, plot, ...below) => make("figure", {}, make("figcaption", {}, title), plot, ...below);

  const curves = (game, seats, possible) => {
    const own = seats.map((_, s) => game.o.map((o, i) => [i + 1, o[0] === s ? o[1] : null]).filter((p) => p[1] !== null));
    const all = own.flat();
    if (!all.length) return make("p", { class: "why" }, game.o.length ? "No curve: it is not known what the offers are worth to who made them." : "No curve: no offer was made.");
    const label = "Own points by offer. " + own.map((c, s) => seats[s] + ": " + (c.map((p) => p[0] + ", " + num(p[1])).join("; ") || "no offer")).join(". ");
    const reach = [...game.o.flatMap((o) => [o[1], o[2]]), ...(possible ? possible.p.flat() : [])].filter((v) => v !== null && v !== undefined);
    const { svg, x, y } = frame(all.map((p) => p[0]), [Math.min(...reach), Math.max(...reach)], ["offer", "own points", "whole"], label);
    own.forEach((c, s) => {
      if (c.length) svg.append(line(c.map((p) => [x(p[0]), y(p[1])]), "line seat" + (s % 4)), ...c.map((p) => mark(s, x(p[0]), y(p[1]))));
    });
    return boxed("Own points by offer", svg, key(seats));
  };
  const space = (game, seats, possible) => {
    if (seats.length !== 2) return make("p", { class: "why" }, "Outcomes are drawn for games of two.");
    const path = game.o.map((o) => [o[0] === 0 ? o[1] : o[2], o[0] === 0 ? o[2] : o[1], o[0], o[4]]).filter((p) => p[0] !== null && p[1] !== null && p[2] >= 0);
    const points = possible ? possible.p : [];
    if (!points.length && !path.length) return make("p", { class: "why" }, index.why);
    const deal = path.find((p) => p[3] === "accepted");
    const label = (possible ? possible.n + " outcomes; frontier: " + possible.f.map((i) => points[i].map(num).join(", ")).join("; ") + ". " : "")
      + "Offers in order: " + path.map((p) => num(p[0]) + ", " + num(p[1])).join("; ") + (deal ? ". Accepted: " + num(deal[0]) + ", " + num(deal[1]) : "");
    const all = [...points, ...path];
    const { svg, x, y } = frame(all.map((p) => p[0]), all.map((p) => p[1]), seats.map((seat) => brief(seat) + " (points)"), label);
    for (const p of points) svg.append(draw("circle", { cx: x(p[0]), cy: y(p[1]), r: 2, class: "outcome" }));
    if (possible) {
      const best = possible.f.map((i) => points[i]).sort((a, b) => a[0] - b[0]);
      svg.append(line(best.map((p) => [x(p[0]), y(p[1])]), "frontier"), ...best.map((p) => draw("circle", { cx: x(p[0]), cy: y(p[1]), r: 3, class: "best" })));
    }
    for (const s of [0, 1]) {
      const own = path.filter((p) => p[2] === s).map((p) => [x(p[0]), y(p[1])]);
      if (own.length) svg.append(line(own, "line seat" + s), ...own.map((p) => mark(s, ...p)));
    }
    if (deal) svg.append(draw("circle", { cx: x(deal[0]), cy: y(deal[1]), r: 8, class: "deal" }));
    const thin = possible && possible.p.length < possible.d ? `, ${possible.p.length} of ${possible.d} places drawn` : "";
    const under = possible
      ? `${possible.n} outcomes${thin}; dashed: Pareto frontier, a guide to the eye (nothing between two outcomes is attainable). `
      : index.why + " ";
    return boxed("Outcomes and the path of offers", svg, key(seats), make("p", { class: "note" }, under
      + (path.length ? "Lines: each seat's offers in order" + (deal ? "; ring: accepted." : ".") : "No offer was made.")));
  };

  // ---- one game
  const step = (game, seats, [kind, place]) => {
    const [seat, ...rest] = kind ? game.o[place] : game.m[place], name = seats[seat] || "?";
    const who = make("b", { class: "who seat" + (seat % 4), dir: "auto" }, name);
    if (!kind) return make("li", {}, who, " ", rest[0] === null ? null : make("span", { class: "said", dir: "auto" }, rest[0]),
      rest[1] ? make("span", { class: "act", dir: "auto" }, rest[0] === null ? rest[1] : " (" + rest[1] + ")") : null);
    const [own, other, offered, answer, to] = rest;
    const worth = own === null && other === null ? "" : ` own ${num(own)}, other ${num(other)}`;
    const whom = seats.length > 2 && to >= 0 ? " to " + seats[to] : "";
    return make("li", { class: "offer" }, who, ` offers${whom}: `, said(offered || "(not told what)"), make("span", { class: "worth" }, worth),
      answer === "none" ? null : make("span", { class: "answer " + answer }, answer));
  };
  const missing = (url) => panel.replaceChildren(make("p", { class: "why", role: "alert" }, typeof url === "string"
    ? `The file ${url} is not beside this page, so its games cannot be shown. Keep the folder ${folder} with the page.` : String(url)));
  let last = 0;
  const address = (game) => { // browsers allow few changes of the address
    clearTimeout(last);
    last = setTimeout(() => { try { history.replaceState(null, "", "#g" + game); } catch (_) { /* not from this place */ } }, 200);
  };
  const open = async (game, focus) => {
    opened = game;
    show();
    address(game);
    let own, possible;
    try { [own, possible] = await gameAt(game); } catch (url) { missing(url); return; }
    if (opened !== game) return;
    const row = rows[game], seats = seatsOf(row), title = make("h3", { tabindex: "-1", id: "game-title", dir: "auto" }, row[0]);
    const facts = [...factors.map((name, f) => name + ": " + levelOf(row, f)), index.ends[row[END]], ...seats.map((s, i) => `${s} ${num(row[POINTS][i])}`)];
    const back = make("button", { type: "button", class: "back" }, "Back to the list");
    back.addEventListener("click", () => list.focus());
    const notes = [own.u ? "The log does not tell in which order messages and offers came: messages stand first." : "",
      own.c ? `${own.c} characters are not shown: one game's words are cut at 100 kB.` : ""].filter(Boolean);
    panel.replaceChildren(title, make("p", { class: "facts", dir: "auto" }, facts.join(" · ")), back,
      make("div", { class: "plots" }, curves(own, seats, possible), space(own, seats, possible)), ...notes.map((n) => make("p", { class: "note" }, n)),
      own.t.length ? make("ol", { class: "talk" }, ...own.t.map((one) => step(own, seats, one))) : make("p", {}, "Nothing was said or offered."));
    panel.classList.remove("empty");
    if (focus) { title.focus({ preventScroll: true }); panel.scrollIntoView({ block: "nearest" }); }
  };

  // ---- events
  const keys = { ArrowDown: () => go(active + 1), ArrowUp: () => go(active - 1), Home: () => go(0), End: () => go(kept.length - 1),
    PageDown: () => go(active + Math.floor(list.clientHeight / HEIGHT)), PageUp: () => go(active - Math.floor(list.clientHeight / HEIGHT)),
    Enter: () => kept.length && open(kept[active], true), " ": () => kept.length && open(kept[active], true), Escape: () => { words.value = ""; filter(); } };
  list.addEventListener("keydown", (event) => {
    const does = keys[event.key];
    if (!does || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    does();
  });
  words.addEventListener("keydown", (event) => { if (event.key === "Escape") keys.Escape(); });
  panel.addEventListener("keydown", (event) => { if (event.key === "Escape") list.focus(); });
  let waits = false;
  list.addEventListener("scroll", () => {
    if (!waits) requestAnimationFrame(() => { waits = false; show(); });
    waits = true;
  }, { passive: true });
  words.addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(filter, 125); });
  for (const field of [...choices, end, low, high]) field.addEventListener("input", filter);
  $("games-filters").addEventListener("reset", () => setTimeout(filter));
  $("games-filters").addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", () => fromAddress());
  const fromAddress = () => {
    const found = /^#g([0-9]{1,7})$/.exec(location.hash);
    if (found && +found[1] < rows.length) { go(Math.max(0, kept.indexOf(+found[1]))); open(+found[1], false).then(() => $("games").scrollIntoView()); }
  };
  choices.forEach((one, f) => one.append(...index.levels[f].map((level, i) => make("option", { value: i }, level))));
  end.append(...index.ends.map((ending, i) => make("option", { value: i }, ending)));
  $("games-tool").hidden = false;
  filter();
  fromAddress();
})();
