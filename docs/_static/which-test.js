// Five questions lead to the row of the table below, as `negstats.analysis.rules` takes it: the first whose wants are met.
// Without a script the form stays hidden, and the table says the same.
const whichTest = JSON.parse(document.getElementById("test-data").textContent);

function featuresOf(places) {
  const facts = { ...whichTest.features };
  whichTest.questions.forEach((answers, at) => Object.assign(facts, answers[places[at]]));
  if (facts.several && !facts.inside && ["yes/no", "count", "ordered"].includes(facts.kind)) {
    facts.averaged = facts.kind;
    facts.kind = "interval";  // a unit's rows are averaged first
  } else {
    facts.averaged = "interval";
  }
  return facts;
}

function holds(card, facts) {
  return Object.entries(card.wants).every(([name, allowed]) => allowed.includes(facts[name]));
}

function choose(places) {
  const facts = featuresOf(places);
  const rule = whichTest.rules.find((card) => holds(card, facts)) ?? null;
  return { rule, leading: rule?.test ? whichTest.leading.filter((card) => holds(card, facts)) : [] };
}

function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

function code(text, label) {
  const block = element("pre", "", element("code", text));
  block.tabIndex = 0;
  block.setAttribute("aria-label", label);
  return block;
}

function part(title, ...children) {
  return [element("h3", title), ...children];
}

function show(card, leading, area) {
  area.replaceChildren();
  if (card === null) {
    area.append(element("p", "The package has no test for this design. The table below lists the designs it has tests for."));
    return;
  }
  const why = [...leading, card].map((one) => one.why).join(" ");
  const head = element("h2");
  if (!card.test) {
    head.textContent = "No test";
    area.append(head, element("p", why));
    return;
  }
  const link = document.querySelector(`table a[href$="#${card.function}"]`);
  const name = element("a", card.function.replace("negstats.", ""));
  if (link) name.href = link.href;
  head.append(element("code", card.test), " (", name, ")");
  const rows = [...leading, card].map((one) => `${one.row} (${one.design})`).join(", then row ");
  area.append(head, element("p", why), element("p", `This is row ${rows} of the table below. ${card.gives}`));
  if (card.plan) area.append(...part("In a plan", code(card.plan, "Lines of a plan"), code("negstats run plan.toml", "Command")));
  if (card.report) area.append(...part("How to report it (simulated data without a difference)", element("p", card.report)));
  const calls = Object.entries(card.elsewhere).filter(([, call]) => call !== "–");
  if (calls.length) {
    const list = element("dl");
    for (const [program, call] of calls) list.append(element("dt", program), element("dd", "", element("code", call)));
    area.append(...part("The same test in other programs", list));
  }
  if (card.call) {
    area.append(...part("The same data in R", code(`${card.call}\n\n${card.printed}`, "The call of R and its output")));
    if (card.apart) area.append(element("p", `The two differ: ${card.apart}.`));
  }
  // On the page each picture stands twice, once for each theme.
  const pictures = card.figure
    ? document.querySelectorAll(`img[src$="/${card.figure}.png"], img[src$="/${card.figure}_dark.png"]`)
    : [];
  if (pictures.length) area.append(...part("How it is drawn", ...[...pictures].map((one) => one.cloneNode())));
}

document.addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("test-questions");
  const area = document.getElementById("test-card");
  const answer = () => {
    const places = [...form.querySelectorAll("select")].map((select) => Number(select.value));
    const { rule, leading } = choose(places);
    show(rule, leading, area);
  };
  form.addEventListener("change", answer);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  area.hidden = false;
  answer();
});
