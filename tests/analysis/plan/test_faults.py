"""Each fault of a plan: its line, its field, what was found and what would do."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.analysis.plan import Plan, parse, read
from negstats.errors import PlanError
from negstats.toml_text import lines_of
from tests.analysis.plan.plans import FOLDER, NAMES, SMALLEST, Table, plans, spelled
from tests.conftest import runs

TOP = 'title = "t"\n'
RULE = '[[leave_out]]\ncolumn = "games.session"\nvalue = "Demo"\nreason = "r"\n'
FACTOR = '[factors.condition]\nlevels = ["CL", "FC"]\n'
THREE = '[factors.condition]\nlevels = ["a", "b", "c"]\n'

# What follows the questions of the smallest plan (or replaces a line of it), and the line that is said of it.
FAULTS: dict[str, tuple[str, str]] = {
    "1": (
        SMALLEST.replace('"points"', '"point"'),
        "3: questions.H1.measure: no measure is called 'point'; did you mean 'points'? "
        '(an answer needs measures.point.answer = "QUESTION")',
    ),
    "2": (
        SMALLEST.replace('measure = "points"\n', ""),
        '1: questions.H1: has no measure; give one such as measure = "points"',
    ),
    "3": ('title = "none"\n', "1: the plan asks nothing; add [questions.H1] with asks and measure"),
    "4": (
        SMALLEST.replace("measure", "mesure"),
        "3: questions.H1.mesure: no such field; did you mean 'measure'?",
    ),
    "11": (
        SMALLEST + 'direction = "CL > XX"\n' + FACTOR,
        """6: questions.H1.direction: 'XX' is not a level of 'condition'; write "CL > FC" or "FC > CL\"""",
    ),
    "12": (
        SMALLEST + 'direction = "a > b"\n' + THREE,
        "6: questions.H1.direction: needs two levels, 'condition' has 3; name them with only, or give contrasts",
    ),
    "13": (
        SMALLEST + "equivalent = -0.05\n",
        "6: questions.H1.equivalent: is -0.05; give a positive bound or [low, high] around 0",
    ),
    "14": (
        SMALLEST + 'contrasts = [{ name = "RAP against SP-A", weights = { RAP = 1, SP-A = 0 } }]\n',
        "6: questions.H1.contrasts: 'RAP against SP-A' has weights that sum to 1; they must sum to 0",
    ),
    "15": (
        SMALLEST + 'effect = "country"\n',
        "6: questions.H1.effect: 'country' is not in by; by has condition",
    ),
    "16": (SMALLEST + 'test = "ttest"\n', "6: questions.H1.test: no test is called 'ttest'; did you mean 'paired'?"),
    "19": ("alpha = 5\n" + SMALLEST, "1: alpha: is 5; give a number between 0 and 0.5 such as 0.05"),
    "20": ('alpha = "0.05"\n' + SMALLEST, "1: alpha: is text ('0.05'); give a number without quotes"),
    "21": (
        SMALLEST + '[families.main]\nquestions = ["H9"]\n',
        "7: families.main.questions: no question is called 'H9'; there are H1",
    ),
    "22": (
        SMALLEST + '[families.main]\nquestions = ["H1"]\ncorrection = "bonferoni"\n',
        "8: families.main.correction: is 'bonferoni'; did you mean 'bonferroni'?",
    ),
    "23": (
        SMALLEST + '[questions.E1]\nasks = "a"\nmeasure = "agreed"\nexplore = true\n[families]\n'
        'main.questions = ["H1", "E1"]\n',
        "11: families.main.questions: 'E1' is explored; planned and explored questions are not corrected together",
    ),
    "24": (
        SMALLEST + RULE.replace("games.", ""),
        "7: leave_out 1.column: is 'session'; give table and column such as 'games.session'",
    ),
    "25": (SMALLEST + RULE.replace('reason = "r"\n', ""), '6: leave_out 1: has no reason; give reason = "…"'),
    "28": (
        SMALLEST + '[factors.region]\ncolumn = "games.country"\nmerge = { Asia = ["China", "USA"], West = ["USA"] }\n',
        "8: factors.region.merge: 'USA' is in 'Asia' and 'West'; a level goes to one",
    ),
    "29": (
        SMALLEST + 'expect = { cells = [{ condition = "CL", mean = 1 }], sd = 0 }\n',
        "6: questions.H1.expect.sd: is 0; give a positive number",
    ),
    "29 of a share": (
        SMALLEST + 'expect = { cells = [{ condition = "CL", p = 0.5 },\n { condition = "FC", p = 1.2 }] }\n',
        "7: questions.H1.expect.cells 2.p: is 1.2; give a number between 0 and 1",
    ),
    "30": (
        SMALLEST + SMALLEST.replace("H1", "h1"),
        "6: questions: 'h1' and 'H1' differ only in case; choose other ids",
    ),
    "30 of a path": (
        SMALLEST.replace("questions.H1", 'questions."../x"'),
        "1: questions: '../x' is not an id; write a letter, then letters, digits, _ or -, 32 characters at most",
    ),
    "31": (SMALLEST + "wrong\n", "6: TOML cannot read this: expected '=' after a key"),
    # Beyond the table.
    "a whole section that is none": ("questions = 1\n", "1: questions: is 1; write [questions] and its fields below"),
    "a question that is none": (
        "[questions]\nH1 = 5\n",
        "2: questions.H1: is 5; write [questions.H1] and its fields below",
    ),
    "a version to come": (
        "plan = 2\n" + SMALLEST,
        "1: plan: is 2; give plan = 1, the version that this negstats reads",
    ),
    "a seed that is a text": ('seed = "1"\n' + SMALLEST, "1: seed: is text ('1'); give a number without quotes"),
    "half a seed": ("seed = 1.5\n" + SMALLEST, "1: seed: is 1.5; give a whole number from 0 to 2^53 - 1"),
    "no number": ("alpha = nan\n" + SMALLEST, "1: alpha: is nan; give a number that is finite"),
    "beyond what is exact": (
        "seed = 9007199254740993\n" + SMALLEST,
        "1: seed: is beyond 2^53, where whole numbers are not exact; give a smaller one",
    ),
    "a flag in quotes": (
        SMALLEST + 'explore = "true"\n',
        "6: questions.H1.explore: is text ('true'); give true or false without quotes",
    ),
    "twice in a set": (
        SMALLEST.replace('"condition"', '["condition", "condition"]'),
        "5: questions.H1.by: 'condition' is listed twice",
    ),
    "two rules alike": (SMALLEST + RULE + RULE, "10: leave_out 2: is the same as leave_out 1; one is enough"),
    "a rule without a value": (
        SMALLEST + RULE.replace('value = "Demo"\n', ""),
        "6: leave_out 1: has no value; relation '=' needs one",
    ),
    "a value for what is missing": (
        SMALLEST + RULE + 'relation = "missing"\n',
        "8: leave_out 1.value: cannot be combined with relation 'missing', which takes none; leave it out",
    ),
    "a rule of games that takes people": (
        SMALLEST + RULE.replace('value = "Demo"\n', 'takes = "person"\n') + 'relation = "missing in all"\n',
        "8: leave_out 1.takes: is text ('person'); relation 'missing in all' excludes games, so leave it out",
    ),
    "a column that does not name games": (
        SMALLEST + RULE.replace('value = "Demo"\n', "") + 'relation = "repeated"\n',
        "7: leave_out 1.column: is text ('games.session'); relation 'repeated' is of games: write 'games.game_id'",
    ),
    "a list for one value": (
        SMALLEST + RULE.replace('"Demo"', '["Demo"]'),
        '8: leave_out 1.value: is a list; give one value, or relation = "in"',
    ),
    "one value for a list": (
        SMALLEST + RULE + 'relation = "in"\n',
        '8: leave_out 1.value: is text (\'Demo\'); give a list such as ["a", "b"]',
    ),
    "a table that rules cannot look at": (
        SMALLEST + RULE.replace("games.", "game."),
        "7: leave_out 1.column: is 'game.session'; did you mean 'games'?",
    ),
    "a rule that is one table": (
        SMALLEST + RULE.replace("[[leave_out]]", "[leave_out]"),
        "6: leave_out: is a table; write [[leave_out]]",
    ),
    "a column of seats that tells no seats": (
        SMALLEST + '[factors.p]\ncolumn = "players.points"\n',
        "7: factors.p.column: is 'players.points'; of players a factor may be players.role, players.kind, "
        "players.agent, players.player",
    ),
    "a control character": (
        SMALLEST.replace('"agent"', '"ag\\u202ent"'),
        r"4: questions.H1.who: 'ag\u202ent' holds control characters or characters that reverse text; leave them out",
    ),
    "above without a number": (
        SMALLEST + 'direction = "above"\n',
        "6: questions.H1.direction: 'above' needs a number; give against",
    ),
    "a prediction of a level that is none": (
        SMALLEST + 'predicts = "CL < XX"\n' + FACTOR,
        """6: questions.H1.predicts: 'XX' is not a level of 'condition'; write "CL > FC" or "FC > CL\"""",
    ),
    "a prediction with both signs": (
        SMALLEST + 'predicts = "a > b < c"\n' + THREE,
        "6: questions.H1.predicts: is 'a > b < c', which has both > and <; write one of them",
    ),
    "a chain without contrasts": (
        SMALLEST + 'predicts = "a > b > c"\n' + THREE,
        "6: questions.H1.predicts: needs two levels, 'condition' has 3; name them with only, or give contrasts",
    ),
    "a chain that fixes no sign": (
        SMALLEST
        + 'predicts = "a > b > c"\ncontrasts = [{ name = "bend", weights = { a = 1, b = -2, c = 1 } }]\n'
        + THREE,
        "6: questions.H1.predicts: 'a > b > c' does not fix the sign of 'bend'",
    ),
    "a prediction beside a direction": (
        SMALLEST + 'direction = "CL > FC"\npredicts = "CL > FC"\n' + FACTOR,
        "7: questions.H1.predicts: cannot be combined with direction; both predict a sign",
    ),
    "what is expected against what is predicted": (
        SMALLEST
        + 'predicts = "CL > FC"\n'
        + 'expect = { cells = [{ condition = "CL", mean = 1 }, { condition = "FC", mean = 2 }], sd = 1 }\n'
        + FACTOR,
        "7: questions.H1.expect.cells: have 'FC' as the larger, and predicts is 'CL > FC'",
    ),
    "a measure and its own sum": (
        SMALLEST.replace('by = "condition"', 'with = "joint_value"'),
        "5: questions.H1.with: 'joint_value' and 'points' are both computed from players.points, so that they are "
        "related by definition; name another measure",
    ),
    "a direction that is none": (
        SMALLEST + 'direction = "positiv"\n',
        "6: questions.H1.direction: is 'positiv'; did you mean 'positive'?",
    ),
    "a number beside groups": (
        SMALLEST + "against = 1\n",
        "6: questions.H1.against: cannot be combined with by; a number is for one group",
    ),
    "an outcome related to itself": (
        SMALLEST + 'covariates = "points"\n',
        "6: questions.H1.covariates: 'points' is the outcome itself; name another measure",
    ),
    "a factor that is a covariate": (
        SMALLEST.replace('"condition"', '"rounds"') + 'covariates = "rounds"\n',
        "6: questions.H1.covariates: 'rounds' is also named in by; name it once",
    ),
    "a name of ours": (
        SMALLEST.replace('"condition"', '"unit"'),
        "5: questions.H1.by: 'unit' is a column of every analysis; give it another name under [factors]",
    ),
    "an order of yes and no": (
        SMALLEST + RULE.replace('"Demo"', "true") + 'relation = "<"\n',
        "8: leave_out 1.value: is true, which has no order; give a number or text",
    ),
    "a question in two families": (
        SMALLEST + '[families]\na.questions = ["H1"]\nb.questions = ["H1"]\n',
        "8: families.b.questions: 'H1' is in 'a' too; a question is in one family",
    ),
    "a family without members": (
        SMALLEST + "[families.a]\nquestions = []\n",
        "7: families.a.questions: is empty; name questions",
    ),
    "shares that sum to more": (
        SMALLEST + 'expect = { cells = [{ condition = "CL", shares = [0.5, 0.6] }] }\n',
        "6: questions.H1.expect.cells 1.shares: sum to 1.1; shares sum to 1",
    ),
    "a measure of the plan that is none": (
        SMALLEST + "[measures.likeness]\n",
        """6: measures.likeness: no measure is called 'likeness'; give answer = "…", or measure = "…", """
        """such as "games.likeness" for a column of the logs""",
    ),
    "an answer that is a measure": (
        SMALLEST + '[measures.m]\nanswer = "a"\nmeasure = "points"\n',
        "8: measures.m.measure: cannot be combined with answer; give one of the two",
    ),
    "a label of no level": (
        SMALLEST + FACTOR + 'labels = { Cl = "x" }\n',
        "8: factors.condition.labels: 'Cl' is not a level; did you mean 'CL'?",
    ),
    "a level of a contrast that is none": (
        SMALLEST + 'contrasts = [{ name = "c", weights = { CL = 1, XX = -1 } }]\n' + FACTOR,
        "6: questions.H1.contrasts: 'c' weighs 'XX', which is not a level of 'condition'; it has CL, FC",
    ),
    "a cell that is not expected": (
        SMALLEST + 'expect = { cells = [{ condition = "CL", mean = 1 }], sd = 1 }\n' + FACTOR,
        "6: questions.H1.expect.cells: no cell is expected for condition FC; each cell is covered once",
    ),
    "a cell that is expected twice": (
        SMALLEST + 'expect = { cells = [{ mean = 1 }, { condition = "FC", mean = 1 }], sd = 1 }\n' + FACTOR,
        "6: questions.H1.expect.cells: condition FC is covered by 2 cells; each cell is covered once",
    ),
    "a cell of no level": (
        SMALLEST + 'expect = { cells = [{ mean = 1, condition = "XX" }], sd = 1 }\n' + FACTOR,
        "6: questions.H1.expect.cells: 'XX' is not a level of 'condition'; it has CL, FC",
    ),
    "a cell of no factor": (
        SMALLEST + 'expect = { cells = [{ mean = 1, country = "XX" }], sd = 1 }\n',
        "6: questions.H1.expect.cells: 'country' is not in by; by has condition",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_one_line(name: str) -> None:
    text, expected = FAULTS[name]
    with pytest.raises(PlanError) as caught:
        parse(text)
    assert str(caught.value) == f"plan.toml:{expected}"


@pytest.mark.slow(keep=80)
@pytest.mark.parametrize("name", [name for name in FAULTS if name not in ("3", "31")])
@pytest.mark.parametrize("seed", range(3))
def test_the_line_is_right_wherever_the_fault_stands(name: str, seed: int) -> None:
    text, expected = FAULTS[name]
    rng = random.Random(f"{name}{seed}")  # noqa: S311
    number, _, said = expected.partition(": ")
    lines = text.splitlines()
    blanks = ["", "# [questions.H1]", '   # measure = \'x\' """', "\t"]
    start = next((place for place, it in enumerate(lines) if it.startswith("[")), 0)
    moved, where = [], 0
    for place, one in enumerate(lines):
        if place == 0 or not lines[place - 1].endswith(","):
            moved += rng.choices(blanks, k=rng.randrange(4))
        if place == start and seed:
            moved += ['known = """', "[questions.H1]", "measure = 'points'", 'alpha = 5 \\"""x"""']
        moved.append(one + rng.choice(["", "   # it's", "\t"]))
        if place + 1 == int(number):
            where = len(moved)
    end = rng.choice(["\n", "\r\n"])
    with pytest.raises(PlanError) as caught:
        parse(end.join(moved) + end)
    assert str(caught.value) == f"plan.toml:{where}: {said}"


def test_all_faults_are_said_in_the_order_of_their_lines() -> None:
    text = (
        "alpha = 5\n" + SMALLEST.replace('"agent"', "5") + 'test = "x"\nnoet = "n"\n[[leave_out]]\n[power]\nn = [1]\n'
    )
    with pytest.raises(PlanError) as caught:
        parse(text, "ours.toml")
    assert str(caught.value).splitlines() == [
        "ours.toml:1: alpha: is 5; give a number between 0 and 0.5 such as 0.05",
        "ours.toml:5: questions.H1.who: is 5; give text in quotes",
        "ours.toml:8: questions.H1.noet: no such field; did you mean 'note'?",
        'ours.toml:9: leave_out 1: has no column; give column = "games.session"',
        'ours.toml:9: leave_out 1: has no reason; give reason = "…"',
        "ours.toml:11: power.n: is 1; give how many units the smallest cell has, such as 20",
    ]
    assert len(caught.value.faults) == 6


def test_faults_inside_a_record_hide_none_of_the_others() -> None:
    text = (
        "alpha = 5\n" + SMALLEST + 'test = "tset"\n[questions.H2]\nasks = "b"\n[families]\na.questions = ["H2", "H3"]\n'
    )
    with pytest.raises(PlanError) as caught:
        parse(text)
    assert [fault.split(":")[1:3] for fault in caught.value.faults] == [
        ["1", " alpha"],
        ["7", " questions.H1.test"],
        ["8", " questions.H2"],
        ["11", " families.a.questions"],
    ]


def test_faults_between_records_are_all_said_too() -> None:
    text = SMALLEST.replace('"points"', '"point"') + 'test = "tset"\n[families]\na.questions = "H2"\n'
    with pytest.raises(PlanError) as caught:
        parse(text)
    assert [fault.split(":")[1] for fault in caught.value.faults] == ["3", "6", "8"]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"\xff\xfe", "is not UTF-8 text (byte 1); save it as UTF-8"),
        (b"#" * 1_000_001, "is larger than 1 MB, which no plan needs"),
    ],
)
def test_what_cannot_be_read_has_no_line(tmp_path: Path, raw: bytes, said: str) -> None:
    file = tmp_path / "plan.toml"
    file.write_bytes(raw)
    with pytest.raises(PlanError) as caught:
        read(file)
    assert str(caught.value) == f"{file}: {said}"


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="is not there"):
        read(tmp_path / "plan.toml")
    with pytest.raises(PlanError, match="is a folder; name a plan, which"):
        read(tmp_path)
    with pytest.raises(PlanError, match="cannot be read"):
        read("a\0b")


def test_a_mapping_that_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(SMALLEST + '[data]\nmapping = "map.toml"\n', encoding="utf-8")
    with pytest.raises(PlanError, match=r"plan.toml:7: data.mapping: .*map.toml: is not there"):
        read(file)
    (tmp_path / "map.toml").write_text("x", encoding="utf-8")
    with pytest.raises(PlanError, match=r"plan.toml:7: data.mapping: .*TOML cannot read"):
        read(file)
    (tmp_path / "map.toml").write_text("x = inf", encoding="utf-8")
    with pytest.raises(PlanError, match=r"plan.toml:7: data.mapping: .*finite"):
        read(file)


LIMITS = {
    "questions": "".join(f'[questions.Q{n}]\nasks = "a"\nmeasure = "agreed"\n' for n in range(201)),
    "levels": SMALLEST + f"[factors.condition]\nlevels = {[f'l{n}' for n in range(41)]}\n",
    "nested": "a = " + "[" * 7 + "]" * 7 + "\n" + SMALLEST,
    "nested far": "a = " + "[" * 50_000 + "]" * 50_000,
    "characters": SMALLEST.replace("earn more", "e" * 2001),
    "digits": "seed = " + "9" * 5000 + "\n" + SMALLEST,
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits(name: str) -> None:
    with pytest.raises(PlanError, match=r"at most|deeper than 6|cannot read this"):
        parse(LIMITS[name])


@pytest.mark.parametrize("name", NAMES)
def test_the_plans_are_without_fault(name: str) -> None:
    assert read(FOLDER / f"{name}.toml").questions


@pytest.mark.slow
@given(st.binary(max_size=400))
@settings(max_examples=runs(2000, 200))
def test_any_bytes_are_refused_in_one_way(raw: bytes) -> None:
    _try(raw.decode("utf-8", "replace"))


@pytest.mark.slow
@given(st.sampled_from([*(text for text, _ in FAULTS.values())]), st.integers(0, 10**6), st.text(max_size=6))
@settings(max_examples=runs(5000, 300))
def test_any_damage_is_refused_in_one_way(text: str, place: int, typed: str) -> None:
    at = place % len(text)
    _try(text[:at] + typed + text[at + place % 5 :])


def _try(text: str) -> None:
    faults = _faults(lambda: parse(text))
    assert all(fault.startswith("plan.toml") for fault in faults)


def _faults(make: Callable[[], Plan]) -> tuple[str, ...]:
    """Return the faults; any other error than that of a plan passes."""
    try:
        make()
    except PlanError as error:
        return error.faults
    return ()


values = st.recursive(
    st.none().map(lambda _: "x") | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda it: st.lists(it, max_size=3) | st.dictionaries(st.text(min_size=1, max_size=4), it, max_size=3),
    max_leaves=5,
)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=runs(2000, 150))
def test_any_value_in_any_field_is_refused_in_one_way(data: st.DataObject) -> None:
    from negstats.analysis.plan.parse import plan_of

    content: Table = data.draw(plans())
    holder: Table = content
    while True:
        key = data.draw(st.sampled_from(sorted(holder)))
        if not isinstance(holder[key], dict) or not holder[key] or data.draw(st.booleans()):
            break
        holder = holder[key]
    holder[key] = data.draw(values)
    assert all(fault.startswith("plan.toml") for fault in _faults(lambda: plan_of(content, "plan.toml")))


@pytest.mark.slow
@given(st.data())
@settings(max_examples=runs(300, 60))
def test_every_field_has_its_line(data: st.DataObject) -> None:
    text = spelled(data.draw(plans()), data.draw)
    lines = text.split("\n")
    for path, line in lines_of(text).items():
        keys = [step for step in path if isinstance(step, str)]
        assert 1 <= line <= len(lines)
        if path and path[-1] == "asks":
            assert "asks" in lines[line - 1]
        assert keys


def test_a_mapping_is_no_plan() -> None:
    with pytest.raises(PlanError, match=r"plan\.toml: is a mapping, which says what the columns of logs are"):
        parse('row = "game"\n[games]\ngame_id = "pair"\n')
