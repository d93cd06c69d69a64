"""Reading sheets: the text form, the rewriting of alternatives, and each fault with its own message."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from negstats.errors import SheetError
from negstats.games.rulesheet import Rules, ground, kif, parse, read_term, sheet, write
from negstats.games.rulesheet.grounding import ground_rules
from tests.effort import Effort, takes_less
from tests.games.rulesheet.sheets import SHEETS

HEAD = "(role a) (p 1) (q 1)\n"


def written(rules: Rules) -> list[str]:
    return [str(rule) for rule in rules.rules]


def test_case_comments_and_blanks_carry_no_meaning() -> None:
    tidy = parse("(role a)\n(<= (legal a (go 1)) (true (at 2)))")
    untidy = parse("(ROLE A) ; who plays (really\n( <= (Legal a(GO 1))\t(true(At 2)))")
    assert tidy.rules == untidy.rules
    assert tidy.roles == ("a",)
    assert tidy.source_sha256 != untidy.source_sha256


def test_a_name_without_arguments_needs_no_brackets() -> None:
    assert parse(HEAD + "(<= (terminal) (done)) (<= (done))").rules == parse(HEAD + "(<= terminal done) done").rules


@pytest.mark.parametrize(
    ("body", "alternatives"),
    [
        ("(or (true ?x) (not (p ?x))) (q ?x)", ["(true ?x) (q ?x)", "(not (p ?x)) (q ?x)"]),
        ("(q ?x) (not (or (p ?x) (not (true ?x))))", ["(q ?x) (not (p ?x)) (true ?x)"]),
        ("(q ?x) (not (and (p ?x) (true ?x)))", ["(q ?x) (not (p ?x))", "(q ?x) (not (true ?x))"]),
        ("(and (q ?x) (not (not (p ?x))))", ["(q ?x) (p ?x)"]),
        ("(or (p ?x) (and (q ?x) (or (true ?x) (p ?x))))", ["(p ?x)", "(q ?x) (true ?x)", "(q ?x) (p ?x)"]),
    ],
)
def test_alternatives_become_rules(body: str, alternatives: list[str]) -> None:
    assert written(parse(f"{HEAD}(<= (h ?x) {body})"))[3:] == [f"(<= (h ?x) {one})" for one in alternatives]


def test_a_negated_distinct_is_an_equality() -> None:
    rules = parse("(role a) (init (at 1)) (p 1) (p 2) (<= (legal a ?x) (p ?x) (true (at ?y)) (not (distinct ?x ?y)))")
    game = ground(rules)
    assert game.legal(game.first) == {"a": ("1",)}


def test_lists_of_what_may_be_are_ignored() -> None:
    public = HEAD + "(base (cell 1)) (<= (input a (mark ?m)) (cell ?m)) (<= (base (cell ?x ?y)) (p ?x) (p ?y))"
    assert written(parse(public)) == ["(role a)", "(p 1)", "(q 1)"]


def test_names_that_clingo_would_stumble_over() -> None:
    text = """(role #script) (init (state not)) (<= (legal #script (_a "x" 007 -1 {b} A.b)) (true (state not)))
    (<= (next (state #end.)) (does #script ?m)) (<= terminal (true (state #end.)))
    (<= (goal #script 7) (true (state ?x)))"""
    game = ground(parse(text))
    (move,) = game.legal(game.first)["#script"]
    assert move == '(_a "x" 007 -1 {b} a.b)'
    end = game.next(game.first, {"#script": move})
    assert game.over(end)
    assert game.payoffs(end) == {"#script": 7}


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_that_is_written_out_reads_the_same(name: str) -> None:
    rules = parse(SHEETS[name])
    again = parse(write(rules))
    assert again.rules == rules.rules
    assert again.roles == rules.roles


def test_terms_are_printed_as_they_are_read() -> None:
    for text in ("noop", "(propose 7)", "(f (g a b) ?x)"):
        assert kif(read_term(text)) == text


GENERATED = {
    "alternating_offers": sheet.alternating_offers(),
    "prisoners": sheet.prisoners(),
    "negotiating_prisoners": sheet.negotiating_prisoners(),
    "set_offers": sheet.set_offers(),
    "large_domain": sheet.large_domain(),
    "large_domain_boxes": sheet.large_domain(payoff="boxes"),
}


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("name", GENERATED)
def test_the_generators_write_these_sheets(name: str) -> None:
    """Whoever changes a sheet changes the file beside this test too."""
    file = Path(__file__).parent / "generated" / f"{name}.kif"
    assert GENERATED[name] == file.read_text(encoding="utf-8")
    assert parse(GENERATED[name]).source_sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


FAULTS = {
    "a bracket that is never closed": ("(role a)\n(p (q 1)", 2, "(", "never closed"),
    "a bracket too many": ("(role a))", 1, ")", "never opened"),
    "too deep": ("(role a)" + "(p " * 200, 1, "(", "brackets within each other"),
    "empty brackets": ("(role a) (p ())", 1, "()", "empty brackets"),
    "a variable as a name": ("(role a)\n(p (?x 1))", 2, "?x", "brackets must begin with a name"),
    "a rule without head": ("(role a) (<=)", 1, "<=", "has a head"),
    "not of two": ("(role a) (<= p (not q r))", 1, "not", "takes 1 literal and has 2"),
    "or of none": ("(role a) (<= p (or))", 1, "or", "has none"),
    "too many alternatives": ("(role a) (<= p " + "(or a b c d) " * 9 + ")", 1, "or", "more than 1000 alternatives"),
    "an atom that is a connective": ("(role a) (or p q)", 1, None, "is not a relation"),
    "arity of a word": ("(role a)\n(<= terminal (true p q))", 2, "true", "takes 1 arguments and has 2"),
    "arity of a relation": ("(role a) (p 1)\n(p 1 2)", 2, "p", "has 2 arguments here and 1 before"),
    "an unsafe variable": ("(role a) (q 1)\n(<= (p ?x) (q 1))", 2, "?x", "no positive literal"),
    "a variable only negated": ("(role a) (<= p (not (q ?x)))", 1, "?x", "no positive literal"),
    "a variable only compared": ("(role a) (<= p (distinct ?x 1))", 1, "?x", "no positive literal"),
    "a negative cycle": ("(role a)\n(<= p (not q))\n(<= q p)", 2, "q", "its own negation"),
    "a role by a rule": ("(role a) (p b) (<= (role ?x) (p ?x))", 1, "role", "is a fact"),
    "no role": ("(p 1)", None, "role", "there is no role"),
    "true in a head": ("(role a) (<= (true p) q)", 1, "true", "is in the head of no rule"),
    "does in a head": ("(role a) (does a p)", 1, "does", "is in the head of no rule"),
    "next in a body": ("(role a) (<= p (next q))", 1, "next", "is in the body of no rule"),
    "init that depends on true": ("(role a) (<= p (true q)) (<= (init p) p)", 1, "init", "depends on 'true'"),
    "legal that depends on does": ("(role a) (<= p (does a x)) (<= (legal a x) p)", 1, "legal", "depends on 'does'"),
    "goal that depends on does": ("(role a) (<= (goal a 1) (does a x))", 1, "goal", "depends on 'does'"),
    "recursion that grows": ("(role a) (p 1)\n(<= (p (s ?x)) (p ?x))", 2, "?x", "could grow for ever"),
    "hidden information": ("(role a) (<= (sees a p) (true p))", 1, "sees", "hidden information"),
    "chance": ("(role a)\n(role random)", 2, "random", "chance"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_one_fault_one_message(fault: str) -> None:
    text, line, word, reason = FAULTS[fault]
    with pytest.raises(SheetError, match=reason) as caught:
        parse(text, name="my.kif")
    assert (caught.value.file, caught.value.line, caught.value.word) == ("my.kif", line, word)
    assert str(caught.value).startswith("my.kif, ")
    assert "\n" not in str(caught.value)


def test_recursion_that_does_not_grow_is_fine() -> None:
    parse("(role a) (e 1 2) (<= (r ?x ?y) (e ?x ?y)) (<= (r ?x ?z) (e ?x ?y) (r ?y ?z))")
    parse("(role a) (total 0 0) (less 0 1) (plus 0 1 1) (<= (total ?j ?n) (total ?i ?s) (less ?i ?j) (plus ?s 1 ?n))")


START = "(role a) (legal a go) (init (n z)) (init (c z z z)) "
GROWING = {
    "a successor": "(<= (next (n (s ?x))) (true (n ?x)))",
    "terms that double": "(<= (next (n (f ?x ?x))) (true (n ?x)))",
    "trees": "(<= (next (n (f ?x ?y))) (true (n ?x)) (true (n ?y)))",
    "trees through a relation": "(<= (next (n ?x)) (tree ?x)) (<= (tree (f ?x ?y)) (true (n ?x)) (true (n ?y)))",
    "moves": "(<= (legal a (say (s ?x))) (true (n ?x))) (<= (next (n ?x)) (does a (say ?x)))",
    "facts in facts": "(<= (wrap ?f (s ?f)) (true ?f)) (<= (next ?g) (true ?f) (wrap ?f ?g))",
    "three counters": "(<= (next (c (s ?x) ?y ?z)) (true (c ?x ?y ?z)))"
    "(<= (next (c ?x (s ?y) ?z)) (true (c ?x ?y ?z))) (<= (next (c ?x ?y (s ?z))) (true (c ?x ?y ?z)))",
}


@pytest.mark.slow
@pytest.mark.parametrize("rules", GROWING.values(), ids=GROWING)
def test_terms_that_grow_from_state_to_state_are_refused_at_once(rules: str) -> None:
    with Effort() as effort, pytest.raises(SheetError, match="terms grow for ever"):
        ground(parse(START + rules))
    assert effort.millions < 40  # it took minutes and gigabytes


FORTY = "(role a) (legal a go) (init on) " + " ".join(f"(d {i})" for i in range(40))
MANY = " ".join(f"(e {i})" for i in range(1_100))
CHAIN = " ".join(f"(e {i} {i + 1})" for i in range(1_500)) + " (<= (r ?x ?z) (r ?x ?y) (e ?y ?z)) "
LARGE = {
    "moves": "(<= (legal a (m ?x ?y ?z ?w)) (d ?x) (d ?y) (d ?z) (d ?w))",
    "facts": "(<= (p ?x ?y ?z ?w) (d ?x) (d ?y) (d ?z) (d ?w))",
    "a view, with what is distinct": "(<= (p ?x ?y ?z ?w) (d ?x) (d ?y) (d ?z) (d ?w) (distinct ?x ?y) (true on))",
    "of what may hold": "(<= (next (v ?x)) (d ?x))"
    "(<= (p ?x ?y ?z ?w) (true (v ?x)) (true (v ?y)) (true (v ?z)) (true (v ?w)))",
    "of moves": "(<= (legal a (say ?x)) (d ?x)) (<= (next (v ?x)) (does a (say ?x)))"
    "(<= (p ?x ?y ?z ?w) (true (v ?x)) (does a (say ?y)) (true (v ?z)) (true (v ?w)))",
    "states": "(<= (next (c ?x ?y ?z ?w)) (d ?x) (d ?y) (d ?z) (d ?w))",
    "bodies of one head": "(<= (next (v ?x)) (d ?x))"
    "(<= (p ?x) (true (v ?x)) (true (v ?y)) (true (v ?z)) (true (v ?w)))",
    "pairs of many": f"{MANY} (<= (p ?x ?y) (e ?x) (e ?y) (true on))",
    "terms in terms": "(<= (next (v (f ?x ?y))) (d ?x) (d ?y)) (<= (p ?f ?g) (true (v ?f)) (true (v ?g)))",
    "a negation of what changes": "(<= (next (p ?x ?y ?z ?w)) (d ?x) (d ?y) (d ?z) (d ?w) (not (true (on ?x))))",
    "a negation of a fact": "(bad 3) (<= (next (p ?x ?y ?z ?w)) (d ?x) (d ?y) (d ?z) (d ?w) (true on) (not (bad ?x)))",
    "a head that is a fact as well": "(q 1 1 1 1) (<= (q ?x ?y ?z ?w) (d ?x) (d ?y) (d ?z) (d ?w) (true on))",
    "a recursion of facts": CHAIN + "(<= (r ?x ?y) (e ?x ?y))",
    "a recursion of what changes": CHAIN + "(<= (r ?x ?y) (e ?x ?y) (true on))",
    "values without a negated one": "(odd 1) (<= (even ?x) (d ?x) (not (odd ?x)))"
    "(<= (next (p ?x ?y ?z ?w)) (even ?x) (even ?y) (d ?z) (d ?w) (true on))",
}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("rules", LARGE.values(), ids=LARGE)
def test_too_many_ground_rules_are_refused(rules: str) -> None:
    with pytest.raises(SheetError, match="more than 5,000 ground rules; the largest relation so far is"):
        ground_rules(parse(FORTY + rules), limit=5_000)


@pytest.mark.slow
@pytest.mark.parametrize("rules", LARGE.values(), ids=LARGE)
def test_too_many_ground_rules_are_refused_in_time(rules: str) -> None:
    sheet = parse(FORTY + rules)

    def ground_all() -> None:
        with pytest.raises(SheetError, match="more than 300,000 ground rules; the largest relation so far is"):
            ground_rules(sheet)

    assert takes_less(40, ground_all)


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules",
    [
        # A projection: one fact for each x, however many y and z there are.
        "(<= (p ?x) (d ?x) (d ?y) (d ?z) (d ?w) (d ?v))",
        # One rule for each x, since what always holds is left out of bodies.
        "(<= (p ?x) (true on) (d ?x) (d ?y) (d ?z) (d ?w) (d ?v))",
        # Nothing: no atom is both.
        "(<= (p ?x ?y ?z ?w) (true on) (d ?x) (d ?y) (d ?z) (d ?w) (not (d ?x)))",
        # The same facts by two rules.
        " ".join(["(<= (p ?x ?y ?z) (d ?x) (d ?y) (d ?z))"] * 20),
    ],
)
def test_what_clingo_simplifies_away_is_not_counted(rules: str) -> None:
    assert ground_rules(parse(FORTY + rules)).count < 200_000


@pytest.mark.slow
def test_terms_that_grow_as_far_as_a_relation_says_are_fine() -> None:
    steps = " ".join(f"(follows {i} {i + 1})" for i in range(100))
    counting = "(init (step 0)) (<= (next (step ?y)) (true (step ?x)) (follows ?x ?y))"
    listing = "(init (list end)) (<= (next (list (put ?x ?l))) (true (list ?l)) (true (step ?x)) (short ?l))"
    short = "(short end) (<= (short (put ?x end)) (follows ?x ?y))"
    grounded = ground_rules(parse(f"(role a) (legal a go) {steps} {counting} {listing} {short}"))
    assert sum(atom[0] == "true" and atom[1][0] == "list" for atom in grounded.atoms) > 100 * 100


PLAYED = (
    "(role a) (role b) (init start) (<= (legal a go) (true start)) (<= (next end) (does a go)) (<= terminal (true end))"
)
WRONG = {
    "a role without move": ("", "b has no legal move in a state that is not terminal"),
    "no goal": ("(legal b wait)", "a has no goal in a terminal state"),
    "two goals": ("(legal b wait) (<= (goal a 1) (true end)) (<= (goal a 2) (true end))", "a has the goals 1, 2"),
    "a goal above 100": (
        "(legal b wait) (goal a 101) (goal b 0)",
        "a has the goal 101; give a whole number from 0 to 100",
    ),
    "a goal below 0": ("(legal b wait) (goal a -1) (goal b 0)", "a has the goal -1"),
    "a goal that is not a number": ("(legal b wait) (goal a much) (goal b 0)", "a has the goal much"),
    "a goal that is not whole": ("(legal b wait) (goal a 1.5) (goal b 0)", "a has the goal 1.5"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_sheet_that_shows_its_fault_when_played(fault: str) -> None:
    more, reason = WRONG[fault]
    game = ground(parse(f"{PLAYED} {more}", name="my.kif"))
    with pytest.raises(SheetError, match=rf"my\.kif, word '(legal|goal)': {reason}"):
        assert game.payoffs(game.next(game.first, {"a": "go", "b": "wait" if game.legal(game.first)["b"] else ""}))


def test_goals_of_others_than_roles_are_dropped() -> None:
    game = ground(parse(f"{PLAYED} (legal b wait) (goal a 1) (goal b 2) (goal empty 3) (goal empty 4)"))
    assert game.payoffs(game.next(game.first, {"a": "go", "b": "wait"})) == {"a": 1, "b": 2}


def test_a_sheet_without_fluents() -> None:
    game = ground(parse("(role a) terminal (goal a 5)"))
    assert game.over(game.first)
    assert game.payoffs(game.first) == {"a": 5}


def search(literals: str, facts: str) -> str:
    return f"{START} {facts} (<= (goal a 100) {literals})"


PIGEONS = " ".join(f"(d ?v{i})" for i in range(12)) + " ".join(
    f" (distinct ?v{i} ?v{j})" for i in range(12) for j in range(i)
)
SEARCHES = {
    "more variables than values": search(PIGEONS, " ".join(f"(d {i})" for i in range(11))),
    "an odd circle of pairs": search(
        "(e ?a ?b) (e ?b ?c) (e ?c ?d) (e ?d ?f) (e ?f ?g) (e ?g ?h) (e ?h ?a)",
        " ".join(f"(e l{i} r{j}) (e r{j} l{i})" for i in range(30) for j in range(30)),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", SEARCHES.values(), ids=SEARCHES)
def test_rules_whose_values_hardly_ever_fit_are_refused_at_once(text: str) -> None:
    """Billions of combinations and no ground rule, which a limit on these never sees."""
    refused = pytest.raises(SheetError, match="values of variables were tried, and hardly any fit together")
    with Effort() as effort, refused:
        ground(parse(text))
    assert effort.millions < 40  # it took longer than anybody waits


@pytest.mark.slow
def test_many_variables_that_fit_are_fine() -> None:
    facts = " ".join(f"(d {i})" for i in range(6))
    text = f"{START} {facts} (<= (next (c ?a ?b ?c)) (d ?a) (d ?b) (d ?c) (true (n ?d)) (true (c ?e ?f ?g)))"
    assert ground(parse(text)).legal(ground(parse(text)).first) == {"a": ("go",)}
