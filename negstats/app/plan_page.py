"""The page Plan: a card for each question, who counts, the family, the text of the plan, and the registration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from shiny import Inputs, Session, reactive, render, ui

from negstats.app.parts import button, card, facts, fault, notes, nothing, option_button, shown
from negstats.app.project import LOCK, PLAN
from negstats.app.state import State, follow, in_thread
from negstats.errors import UsageError
from negstats.sanitize import capitalised, counted

if TYPE_CHECKING:
    from pathlib import Path

    from negstats.analysis.preregistration.check import Check
    from negstats.analysis.preregistration.lock import Status
    from negstats.studies.study import Study

CHANGED_BESIDE = (
    "plan.toml was changed in another tab or program after this text was opened; copy what you wrote, show the present "
    "text, and write it there"
)
SIZES = (0.2, 0.35, 0.5)  # differences in SDs that a click expects


@dataclass(frozen=True, slots=True)
class CheckedPlan:
    """A plan beside its study: its check, its registration, the power of what it expects, and practice games."""

    check: Check
    status: Status
    power: dict[str, Any]
    practice: list[tuple[str, str]]


def layout() -> ui.TagList:
    """Return the page."""
    return ui.TagList(
        ui.h1("The plan"),
        ui.div({"class": "plan"}, ui.div(ui.output_ui("cards")), ui.div(ui.output_ui("beside"), ui.output_ui("text"))),
    )


def serve(input: Inputs, state: State, session: Session) -> None:  # noqa: A002, ARG001 - Shiny's names
    """Connect the page."""
    shows_text: reactive.Value[bool] = reactive.value(False)
    shown_text: reactive.Value[str] = reactive.value("")  # what the field began with, which somebody may be changing

    def inputs() -> tuple[Any, ...]:
        study, text = state.study(), state.plan_text()
        return state.project.path(PLAN), study, text, state.stamps[LOCK]()

    checked = follow(inputs, check_registered, is_shown=lambda: input.page() == "plan")
    _connect_actions(state, checked, shows_text, shown_text)
    _show_cards(state, checked)
    _show_text(state, checked, shows_text, shown_text)


def _connect_actions(
    state: State, checked: Any, shows_text: reactive.Value[bool], shown_text: reactive.Value[str]
) -> None:
    """Let buttons change the text of the plan, and register it."""
    from negstats.analysis.plan import editing

    def edit(change: Any) -> Any:
        def edited(value: Any) -> None:
            state.write_plan(change(state.project.plan_text(), value))

        return edited

    def expect(value: Any) -> None:
        key, difference = value
        with reactive.isolate():
            plan = checked.result()
        checked_question = next(question for question in plan.check.questions if question.id == key)
        factor = checked_question.question.by[0]
        levels = checked_question.came.design.levels[factor]
        state.write_plan(editing.set_expectation(state.project.plan_text(), key, levels, factor, difference))

    state.handlers |= {
        "remove": edit(editing.remove_question),
        "correct": edit(editing.set_correction),
        "leave-out": edit(lambda text, value: editing.add_exclusion(text, f"games.{value[0]}", value[1], "practice")),
        "count-again": edit(editing.remove_exclusion),
        "expect": expect,
        "text": lambda _: shows_text.set(not shows_text()),
    }
    _connect_files(state, checked, shown_text)


def _connect_files(state: State, checked: Any, shown_text: reactive.Value[str]) -> None:
    """Let buttons register the plan, and read its text back."""
    from negstats.analysis.plan import editing

    async def register(_: Any) -> None:
        from negstats.analysis.preregistration.lock import register as register_plan

        with reactive.isolate():
            plan, study = checked.result(), state.study()
        if isinstance(plan, CheckedPlan) and study is not None:
            write_lock = partial(register_plan, resolved=plan.check.resolved, again=True)
            outcome = await in_thread(write_lock, state.project.path(PLAN), study)
            if isinstance(outcome, str):
                raise UsageError(outcome)
            state.refresh()
            ui.notification_show("The plan is registered in plan.lock.", type="message", duration=5)

    def read_back(text: str) -> None:
        from negstats.analysis.plan import parse

        with reactive.isolate():
            if state.project.plan_text() != shown_text():
                raise UsageError(CHANGED_BESIDE)
        if editing.questions_of(text):
            parse(text, str(state.project.path(PLAN)))  # what is not a plan is refused, and the file stays as it is
        state.write_plan(text)
        shown_text.set(text)
        ui.notification_show("The text is the plan now.", type="message", duration=4)

    def show_current(_: Any) -> None:
        shown_text.set(state.project.plan_text())

    state.handlers |= {"register": register, "read-back": read_back, "show-current": show_current}


def _show_cards(state: State, checked: Any) -> None:
    """Show a card for each question, and beside them the registration, who counts and the family."""
    from negstats.analysis.plan.editing import looked_at

    @render.ui
    def cards() -> Any:
        if state.study() is None:
            return nothing("Open a study first.", "Open data", "open")
        plan = checked.result()
        if plan is None:
            return nothing("Nothing is planned yet.", "Ask a question", "ask")
        if isinstance(plan, str):
            return fault(plan, "Change the text of the plan beside this, and read it back.")
        return ui.TagList(*[_question_card(question, plan.power.get(question.id)) for question in plan.check.questions])

    @render.ui
    def beside() -> Any:
        plan = checked.result()
        if not isinstance(plan, CheckedPlan):
            return None
        seen = len(looked_at(state.plan_text()))
        return ui.TagList(_registration(plan.status, seen), _exclusions(plan), _family(plan.check.plan))


def _show_text(state: State, checked: Any, shows_text: reactive.Value[bool], shown_text: reactive.Value[str]) -> None:
    """Show the text of the plan where it is asked for or broken."""
    is_broken: reactive.Value[bool] = reactive.value(False)  # as a value it changes nothing where it stays the same

    @reactive.effect
    def _() -> None:
        is_broken.set(isinstance(checked.result(), str))

    @render.ui
    def text() -> Any:
        broken = is_broken()
        if state.study() is None or not state.project.path(PLAN).is_file():
            return None
        toggle = button("Hide the text of the plan" if shows_text() else "Show the text of the plan", "text", "")
        if not shows_text() and not broken:
            return ui.div({"class": "row"}, toggle)
        area = ui.tags.textarea(shown_text(), id="plan-text", rows="22", spellcheck="false", aria_label="plan.toml")
        save = ui.tags.button(
            "Read it back", type="button", class_="button primary", data_do="read-back", data_from="plan-text"
        )
        hint = "The cards are read from this file. Its words are on the page about plans in the documentation."
        row = ui.div({"class": "row"}, save, None if broken else toggle)
        return card("plan.toml", area, ui.output_ui("other_text"), row, hint=hint)

    @reactive.effect
    def _() -> None:
        """Take the present text as the field is opened."""
        if shows_text() or is_broken():
            with reactive.isolate():
                shown_text.set(state.project.plan_text())

    @render.ui
    def other_text() -> Any:
        if state.plan_text() == shown_text():
            return None
        current = button("Show the present text", "show-current", "", "small")
        words = "plan.toml was changed in another tab or program, or by a click on this page. "
        return ui.div({"class": "doubt", "role": "status"}, words, current)


def check_registered(path: Path, study: Study | None, text: str, _registered: int) -> CheckedPlan | None:
    """Check a plan, its registration, and the power of what it expects; None where nothing is planned."""
    from negstats.analysis.plan import read
    from negstats.analysis.plan.editing import questions_of
    from negstats.analysis.power.planned import power_at_hand
    from negstats.analysis.preregistration.check import check
    from negstats.analysis.preregistration.lock import lock_of, open_lock, status
    from negstats.analysis.preregistration.study_view import StudyView
    from negstats.analysis.roles import practice_levels

    if study is None or not text or not questions_of(text):
        return None
    plan = read(path)
    plan_check = check(plan, study)
    power = power_at_hand(plan_check)
    rows = [] if power is None else power.curve.to_dict("records")
    registration = status(plan, open_lock(lock_of(path)), resolved=plan_check.resolved)
    view = StudyView(study)
    practice = [(name, level) for name in study.factors for level in practice_levels(view.levels("games", name) or [])]
    return CheckedPlan(plan_check, registration, {row["question"]: row for row in rows}, practice)


def design_facts(checked: Any) -> ui.Tag:
    """Return the test, why, the units and the cells of a question, of which no outcome is looked at."""
    from negstats.analysis.method import label_of
    from negstats.analysis.questions.units import NOUNS

    design, rows = checked.came.design, checked.came.asked
    noun = NOUNS.get(rows.what, rows.what)
    units = checked.complete.units if checked.complete else design.units
    cells = []
    for cell in checked.came.cells.to_dict("records"):
        count = cell.pop("n")
        if cell:
            cells.append(f"{shown(', '.join(map(str, cell.values())), 80)}: {count:,}")
    if checked.choice is None:
        pairs = [("No test", shown(checked.refused, 600))]
    else:
        name = label_of(checked.choice.rule.test)
        pairs = [("Test", capitalised(name)), ("Why", shown(checked.choice.sentence, 600))]
    pairs.append(("Units", counted(units, noun)))
    pairs += [("In each group", "; ".join(cells))] if cells else []
    pairs += [("Effect size", checked.choice.rule.effect)] if checked.choice is not None else []
    return facts(pairs)


def _question_card(checked: Any, power: dict[str, Any] | None) -> ui.Tag:
    """Return one question with its design, and the power of what it expects."""
    question = checked.question
    kind = "exploratory" if question.explore else "hypothesis"
    remove = button("Remove", "remove", checked.id, "small", aria_label=f"Remove {checked.id}")
    head = ui.div({"class": "row apart"}, ui.span(f"{checked.id} · {kind}", class_="role"), remove)
    predicted = ui.p(f"Predicted: {shown(question.predicts)}", class_="note") if question.predicts else None
    warnings = [str(note) for note in (*checked.came.asked.notes, *checked.faults, *checked.warnings)]
    content = [
        head,
        ui.h2(shown(question.asks, 500)),
        predicted,
        design_facts(checked),
        _power(checked, power),
        notes(warnings),
    ]
    return card(None, *content, kind="planned" if kind == "hypothesis" else "planned explored")


def _power(checked: Any, power: dict[str, Any] | None) -> ui.Tag | None:
    """Return how probable it is to find a difference of a size that a click chooses."""
    question, design = checked.question, checked.came.design
    is_of_two = len(question.by) == 1 and not question.with_ and len(design.levels[question.by[0]]) == 2
    if checked.choice is None or not is_of_two or checked.came.asked.kind != "interval":
        return None
    expected = (question.expect or {}).get("cells") or ()
    current = max((cell.get("mean", 0) for cell in expected), default=None)
    options = [
        option_button(f"{size:g} SD", "expect", [checked.id, size], is_chosen=current == size) for size in SIZES
    ]  # fmt: skip
    hint = "Choose a difference that the study should be able to find."
    if power is not None and current is not None:
        within = ", where the values of a unit correlate by .5" if "within" in design.factors.values() else ""
        hint = f"A difference of {current:g} SD would be found in {100 * power['power']:.0f}% of such studies{within}."
    return ui.div(ui.h3("Power"), ui.div({"class": "options"}, *options), ui.p(hint, class_="hint"))


def _registration(status: Any, seen: int) -> ui.Tag:
    """Return whether the plan is registered, what was changed since, and how many results were looked at."""
    sentence = (
        "Not registered. Registering writes the plan, its fingerprint and the time into plan.lock, before it is run."
    )
    label = "Register the plan"
    if status.lock is not None:
        when = status.lock.registered.replace("T", " ").removesuffix("Z")
        sentence = f"{status.state.capitalize()}: {when} UTC, fingerprint {status.lock.sha256[:12]}."
        label = "Register the changed plan"
    is_due = status.lock is None or bool(status.changes)
    looked = f"{counted(seen, 'result')} looked at before registration; the plan and its report say so."
    remarks = [*([looked] if seen else []), *map(str, status.changes)]
    buttons = [button(label, "register", "", "primary")] if is_due else []
    buttons.append(button("Go to the report", "go", "report", "" if is_due else "primary"))
    return card("Registration", ui.p(shown(sentence, 400)), notes(remarks), ui.div({"class": "row"}, *buttons))


def _exclusions(plan: CheckedPlan) -> ui.Tag:
    """Return who counts; games that look like practice are left out by a click."""
    check = plan.check
    people = f" of {counted(check.people, 'person')}" if check.people else ""
    rows = []
    for place, (rule, flow) in enumerate(zip(check.remaining.rules, check.remaining.flow, strict=True)):
        counts = [
            counted(flow[what], noun)
            for what, noun in (("games", "game"), ("people", "person"), ("seats", "seat"))
            if flow.get(what)
        ]
        text = f"{', '.join(counts) or 'Nothing'} excluded: {shown(rule.reason)} ({shown(flow['rule'])}) "
        rows.append(ui.tags.li(text, button("Count them again", "count-again", place, "small")))
    left_out = {str(rule.value) for rule in check.plan.leave_out}
    offers = [
        button(f"Leave out the games of “{shown(level, 40)}”, which look like practice", "leave-out", [name, level])
        for name, level in plan.practice
        if level not in left_out
    ]
    content = [ui.tags.ul(*rows) if rows else None, ui.div({"class": "row"}, *offers) if offers else None]
    return card("Who counts", ui.p(f"{counted(check.games, 'game')}{people}."), *content)


def _family(plan: Any) -> ui.Tag | None:
    """Return which hypotheses are corrected together, and how."""
    if not plan.families:
        return None
    from negstats.report.labels import CORRECTIONS

    name, family = next(iter(plan.families.items()))
    options = [
        option_button(CORRECTIONS[key] if key != "none" else "None", "correct", key, is_chosen=family.correction == key)
        for key in ("holm", "bonferroni", "bh", "none")
    ]
    hint = f"{', '.join(family.questions)} are corrected together."
    return card("Several hypotheses", ui.div({"class": "options"}, *options), hint=shown(hint, 400), kind=name)
