"""Write the demo's conversations: invented people and two invented simulators at a shop and at a travel desk.

Everything is made from the phrases in this folder, which were written for this project; nothing comes from a data set.
Each conversation has a generator of its own, seeded with an integer, and only `Random.random()` is drawn from it, whose
sequence Python promises to keep: every interpreter writes the same bytes.

    python demo/generate.py [FOLDER]      default: the folder of the package from which the demo is shipped
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar

HERE = Path(__file__).resolve().parent
SHIPPED = HERE.parent / "workers" / "simgap_workers" / "store" / "demo"
LOOPS = 12  # turns that a stuck simulator says again; repetition counts from the 11th

PLAIN = frozenset({"bare_key", "bare_answer", "accept", "confirm", "close", "loop"})  # said as it stands
ANSWERS = frozenset({"key", "long_answer"})  # may begin with doubt, certainty or courtesy

Item = TypeVar("Item")


class Task(NamedTuple):
    """A situation and how easy it is: `difficulty` is the chance, in [0, 1], that the agent manages it."""

    id: str
    facts: dict[str, str]
    difficulty: float


class Voice(NamedTuple):
    """How a population writes: chances by name, what it says by act, and what it puts around a sentence."""

    rates: dict[str, float]
    says: dict[str, list[str]]
    around: dict[str, list[str]]


class Population(NamedTuple):
    """Who talks, how often, and how it ends.

    rounds: batches of people, or runs of a simulator. gaps: (round, task's place) that nobody did. help: added to the
    task's chance of success. kindness: added to the mood behind the survey. unanswered: chance of a missing answer.
    """

    name: str
    voice: str
    round_name: str
    rounds: int
    seed: int
    gaps: frozenset[tuple[int, int]]
    help: float
    kindness: float
    unanswered: float


POPULATIONS = (
    Population("people", "people", "batch", 3, 1, frozenset({(1, 7), (1, 30), (2, 12), (3, 4), (3, 21)}), 0, 0, 0.04),
    Population("simulator-polite", "polite", "run", 1, 2, frozenset({(1, 16)}), 0.22, 0.3, 0.02),
    Population("simulator-terse", "terse", "run", 3, 3, frozenset({(2, 25)}), 0.04, 0.12, 0.03),
)


def toml(name: str) -> dict[str, Any]:
    """A file of phrases in this folder."""
    return tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))


def pick(draw: Random, pool: Sequence[Item]) -> Item:
    """One of the pool, each as likely; `Random.choice` may change between versions of Python, this may not."""
    return pool[int(draw.random() * len(pool))]


def tasks() -> list[Task]:
    """The 36 situations; their difficulties are spread over all bins, more easy ones than hard ones, mean about 0.6."""
    facts = [(f"{desk}_{n}", task) for desk in ("shop", "travel") for n, task in enumerate(toml(desk)["task"])]
    draw = Random(36)
    order = sorted(range(len(facts)), key=lambda _: draw.random())
    spread = [round(0.06 + 0.92 * ((place + 0.5) / len(facts)) ** 0.7, 3) for place in order]
    return [Task(name, task, difficulty) for (name, task), difficulty in zip(facts, spread, strict=True)]


class Talk:
    """One conversation while it is being written."""

    def __init__(self, draw: Random, voice: Voice, agent: dict[str, list[str]], task: Task, typed: bool) -> None:
        self.draw = draw
        self.voice = voice
        self.agent = agent
        self.typed = typed
        self.messages: list[dict[str, str]] = []
        self.facts = dict(task.facts)
        self.lower_case = self.chance("lower_case")
        self.curt = voice.rates["curt"] * (0.4 + 1.2 * draw.random())

    def chance(self, name: str) -> bool:
        """Whether something happens that the voice does at this rate."""
        return self.draw.random() < self.voice.rates[name]

    def exchange(self, act: str, reply: str) -> None:
        """The user does `act`, the agent answers with `reply`."""
        self.user(act, pick(self.draw, self.voice.says[act]))
        self.assistant(reply)

    def answer(self, number: int, reply: str) -> None:
        """The user answers one of the agent's two questions, curtly or at length."""
        if self.draw.random() < self.curt:
            self.user("bare_answer", self.facts[f"a{number}"])
        else:
            self.facts["long"] = self.facts[f"l{number}"]
            self.user("long_answer", pick(self.draw, self.voice.says["long_answer"]))
        self.assistant(reply)

    def user(self, act: str, phrase: str) -> None:
        """A user's turn; what is not plain may get courtesy, doubt or a sentence more."""
        text = phrase.format_map(self.facts)
        around = self.voice.around
        if act in ANSWERS:
            if self.chance("hedged"):
                text = pick(self.draw, around["hedged_before"]) + text
            elif self.chance("certain"):
                text = pick(self.draw, around["certain_before"]) + text
            elif self.chance("polite"):
                text = pick(self.draw, around["polite_before"]) + text
        if act not in PLAIN:
            if self.chance("polite"):
                text += pick(self.draw, around["polite_after"])
            if self.chance("ramble"):
                text += (" " if text.endswith((".", "!", "?")) else ". ") + pick(self.draw, around["ramble"])
            if self.chance("dash"):
                text = text.replace(", ", " – ", 1)
        self.messages.append({"role": "user", "content": self.spelled(text)})

    def spelled(self, text: str) -> str:
        """The text as it leaves the keyboard."""
        text = text.replace("?.", "?").replace("?,", "?")
        if not self.typed:
            text = sentences(text)
        if self.lower_case:
            text = text.lower()
        if text.endswith(".") and self.chance("no_full_stop"):
            text = text[:-1]
        if self.chance("slip"):
            text = with_slip(self.draw, text)
        return text

    def assistant(self, act: str) -> None:
        """The agent's turn."""
        text = pick(self.draw, self.agent[act]).format_map(self.facts)
        self.messages.append({"role": "assistant", "content": sentences(text)})


def sentences(text: str) -> str:
    """The text with a capital at the start of every sentence."""
    capital = True
    letters = []
    for place, letter in enumerate(text):
        letters.append(letter.upper() if capital else letter)
        if not letter.isspace():
            capital = letter in ".?!" and text[place + 1 : place + 2] == " "
    return "".join(letters)


def with_slip(draw: Random, text: str) -> str:
    """The text with two letters of one longer word exchanged, or an apostrophe lost."""
    if "'" in text and draw.random() < 0.4:
        return text.replace("'", "", 1)
    words = text.split(" ")
    longer = [place for place, word in enumerate(words) if len(word) > 4 and word.isalpha()]
    if not longer:
        return text
    place = pick(draw, longer)
    word = words[place]
    at = 1 + int(draw.random() * (len(word) - 2))
    words[place] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return " ".join(words)


def converse(talk: Talk, succeeded: bool) -> list[dict[str, str]]:
    """The messages, from the opening to the goodbye; users and agent take turns, a user first."""
    talk.exchange("opening", "identify")
    talk.exchange("bare_key" if talk.chance("bare_key") else "key", "first_question")
    if talk.chance("clarify_question"):
        talk.exchange("clarify_question", "clarify_question")
    talk.answer(1, "second_question")
    talk.answer(2, "offer")
    reactions = [act for act in ("clarify_offer", "ask", "annoyed", "pushback", "pivot") if talk.chance(act)]
    for act in reactions:
        talk.exchange(act, act)
    if talk.chance("loop"):
        for _ in range(LOOPS):
            talk.exchange("loop", "loop")
    if talk.chance("identity"):
        talk.exchange("identity", "accept")
    outcome = "done" if succeeded else "failed"
    if talk.chance("confirm"):
        talk.exchange("accept", "accept")
        talk.exchange("confirm", outcome)
    else:
        talk.exchange("accept", outcome)
    if not succeeded and talk.chance("cross_at_failure"):
        talk.exchange("cross_at_failure", "annoyed")
    if succeeded and "pivot" not in reactions and talk.chance("aside"):
        talk.exchange("aside", "aside")
    if talk.chance("close"):
        talk.exchange("close", "close")
    return talk.messages


def survey(draw: Random, population: Population, succeeded: bool) -> dict[str, str]:
    """The answers after a conversation: a mood, better after success, and what each answer adds to it."""
    mood = (0.58 if succeeded else 0.2) + population.kindness + 0.3 * (draw.random() - 0.5)
    answers = {}
    for name, labels in toml("survey").items():
        felt = min(max(mood + 0.4 * (draw.random() - 0.5), 0.0), 0.999)
        if draw.random() >= population.unanswered:
            answers[name] = str(labels[int(felt * len(labels))])
    return answers


def traces(population: Population) -> Iterator[dict[str, object]]:
    """The population's traces, round by round, in the order of the tasks."""
    voice = Voice(**toml(population.voice))
    agent = toml("agent")
    for number in range(1, population.rounds + 1):
        for place, task in enumerate(tasks()):
            if (number, place) in population.gaps:
                continue
            draw = Random(1_000_000 * population.seed + 1_000 * number + place)
            succeeded = draw.random() < min(task.difficulty + population.help, 0.97)
            talk = Talk(draw, voice, agent, task, typed=population.voice == "people")
            yield {
                "metadata": {"synthetic": True},
                "id": f"{task.id}_{population.round_name}{number}",
                "task_id": task.id,
                population.round_name: number,
                "messages": converse(talk, succeeded),
                "reward": int(succeeded),
                "survey": survey(draw, population, succeeded),
            }


def main(arguments: Sequence[str]) -> int:
    """Write the four files into the folder that is named, or into the package."""
    folder = Path(arguments[0]) if arguments else SHIPPED
    folder.mkdir(parents=True, exist_ok=True)
    for population in POPULATIONS:
        lines = [json.dumps(trace, ensure_ascii=False, separators=(",", ":")) for trace in traces(population)]
        (folder / f"{population.name}.ndjson").write_bytes("".join(f"{line}\n" for line in lines).encode())
    pooled = json.dumps({task.id: task.difficulty for task in tasks()}, indent=2)
    (folder / "difficulty.json").write_bytes(f"{pooled}\n".encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
