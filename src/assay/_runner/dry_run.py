"""The dry-run backend: it replies in place of a judge, so that calls and tokens are counted."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from assay import tasks
from assay._middleware.budget import Price
from assay._middleware.wrapper import Route
from assay._store import Store
from assay._store.integrity import reply_key
from assay._text.sentences import sentences, spans
from assay.judge import Backend, Reply, Task
from assay.judges.cascade import Cascade
from assay.judges.embedded.judge import Embedded
from assay.judges.llm import LLM
from assay.prompt import Template
from assay.tasks.statements import SplitTexts

CHARS_PER_TOKEN = 4
# Replies of a judge to one kind of task that tell how long its next ones will be.
ENOUGH = 20
# What the embedded judge does without a model, as quickly as any guess.
_BY_RULES = (tasks.SplitStatements.kind, tasks.NameEntities.kind)
# So many tasks of a kind are done in earnest, to see how long they take.
TRIED = 16
# Replies that are kept for those who ask the same again: the other metrics of a sample.
RECENT = 4096
# Words of "the shortest exact quote".
QUOTED = 10
# As long as the reasons that judges give.
REASON = "The answer says what is asked for, and the contexts bear it out."
_UNNAMED = "What is it ?"  # a follow-up question: it stands in the conversation, and names nothing
_EMPTY_VALUES: Mapping[str, Any] = {"string": "", "boolean": False, "number": 0.0, "array": []}


@dataclass
class Counts:
    """What was asked of a stand-in: see `Estimate` for what each number is."""

    calls: int = 0
    known: int = 0
    local: int = 0
    local_tokens: int = 0
    local_written: float = 0.0
    tokens_in: int = 0
    tokens_out: float = 0.0
    least_calls: float = 0.0
    charged: dict[str, list[float]] = field(default_factory=dict)

    def charge(self, judge: str, tokens_in: int, tokens_out: float, least: float) -> None:
        """Count what a judge outside this process would read and write, by its identity.

        Args:
            judge: Its identity.
            tokens_in: Prompt tokens.
            tokens_out: Reply tokens.
            least: How likely it is at least that it is asked: 1 but within a cascade.
        """
        tokens = tokens_in, tokens_out, least * tokens_in, least * tokens_out
        sums = self.charged.get(judge, [0.0] * 4)
        self.charged[judge] = [a + b for a, b in zip(sums, tokens, strict=True)]

    def money(self, price: Price | None, *, least: bool = False) -> float | None:
        """What the calls would cost but for embeddings, None without a price.

        At least, that is where nothing goes up a cascade but what is checked; else at most.
        """
        if price is None:
            return None
        first = 2 if least else 0
        return sum(
            price.of_judge(name).of(tokens[first], tokens[first + 1])
            for name, tokens in self.charged.items()
        )


@dataclass
class Workload:
    """What one backend would be asked for."""

    server: Backend  # the backend
    calls: Counter[str] = field(default_factory=Counter)  # calls by kind of task
    tokens: float = 0.0  # tokens read and written
    # Seconds that tasks of a kind took it here, one by one.
    trial: dict[str, list[float]] = field(default_factory=dict)


@dataclass
class DryRunBackend(Backend):
    """Answers in place of the judge: from the store where it can, roughly where it cannot."""

    route: Route  # the judge
    store: Store | None  # what is known already
    # What was asked so far; equal questions are counted once.
    counts: Counts = field(default_factory=Counts)
    # Calls by kind of task that would be asked in batches.
    batched: Counter[str] = field(default_factory=Counter)
    work: dict[int, Workload] = field(default_factory=dict)  # what each backend would be asked for
    _embedded: Embedded = field(default_factory=Embedded)
    # Of all that was asked 8 bytes of its key, of the last ones the replies.
    _counted: set[int] = field(default_factory=set)
    _recent: dict[str, Reply] = field(default_factory=dict)
    _mean_lengths: dict[tuple[str, str], float | None] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The judge's."""
        return self.route.name

    def identity(self, kind: type[Task[Any]]) -> str | None:
        """The judge's."""
        return self.route.identity(kind)

    def has(self, task: Task[Any], draw: int = 0) -> bool:
        """Whether the reply is in the store."""
        key = reply_key(self.identity(type(task)) or "", task, draw)
        return self.store is not None and self.store.has_reply(key)

    async def reply(self, task: Task[Any], draw: int = 0) -> Reply:
        """The known reply, or one about as long as the judge's."""
        key = reply_key(self.identity(type(task)) or "", task, draw)
        if key in self._recent:
            return self._recent[key]
        stored = self.store.reply(key) if self.store else None
        # A vector of the store and a guessed one would not have the same length.
        if stored is None or isinstance(task, tasks.Embed):
            reply = await self._likely_reply(task, draw)
        else:
            reply = stored
        self._recent[key] = reply
        if len(self._recent) > RECENT:
            del self._recent[next(iter(self._recent))]
        key_prefix = int(key[:16], 16)
        if key_prefix not in self._counted:
            self._counted.add(key_prefix)
            self._count(task, reply, is_known=stored is not None)
        return reply

    def _count(self, task: Task[Any], reply: Reply, *, is_known: bool) -> None:
        server = self.route.to(task.kind)
        if is_known:
            self.counts.known += 1
        elif isinstance(server, Cascade):
            for judge, least_share in zip(server.behind(), server.least_shares(), strict=True):
                self._count_call(judge, task, reply, least_share)
        else:
            self._count_call(server, task, reply, 1.0)

    def _count_call(
        self, server: Backend, task: Task[Any], reply: Reply, least_share: float
    ) -> None:
        counts = self.counts
        work = self.work.setdefault(id(server), Workload(server))
        work.calls[task.kind] += 1
        if server.capabilities.local:
            counts.local += 1
            if isinstance(server, LLM):
                self._add_local(server, task, reply)
        else:
            counts.calls += 1
            counts.least_calls += least_share
            if server.capabilities.batch_size is not None:
                self.batched[task.kind] += 1
            tokens = _prompt_length(server, task) // CHARS_PER_TOKEN
            counts.tokens_in += tokens
            if isinstance(task, tasks.Embed):
                work.tokens += tokens
            else:
                reply_tokens = self._reply_tokens(server, task, reply)
                counts.tokens_out += reply_tokens
                counts.charge(server.identity(type(task)) or "", tokens, reply_tokens, least_share)
                work.tokens += tokens + reply_tokens

    def _add_local(self, server: LLM, task: Task[Any], reply: Reply) -> None:
        """Count what a language model in this process reads and writes."""
        lengths = server.lengths(task)
        letters = _prompt_length(server, task) if lengths is None else lengths[0]
        self.counts.local_tokens += letters // CHARS_PER_TOKEN
        self.counts.local_written += (
            self._reply_tokens(server, task, reply) if lengths is None else lengths[1]
        )

    async def _try(self, task: Task[Any]) -> None:
        """See of a few tasks of the embedded judge how long it takes over them here."""
        server = self.route.to(task.kind)
        server = next(
            (backend for backend in server.behind() if isinstance(backend, Embedded)), server
        )
        if not isinstance(server, Embedded):
            return
        seconds = self.work.setdefault(id(server), Workload(server)).trial.setdefault(task.kind, [])
        if not seconds:
            await server.reply(task)  # its model may have to be loaded
        if len(seconds) < TRIED:
            seconds.append((await server.reply(task)).ms / 1000)

    def _reply_tokens(self, server: Backend, task: Task[Any], reply: Reply) -> float:
        """Tokens of a reply: as many as this judge writes on average where that is known."""
        judge = server.identity(type(task)) or ""
        if (judge, task.kind) not in self._mean_lengths:
            n, mean = self.store.usual(judge, task.kind) if self.store else (0, 0.0)
            self._mean_lengths[judge, task.kind] = mean if n >= ENOUGH else None
        mean_length = self._mean_lengths[judge, task.kind]
        template = _template(server, task)
        return (
            len(fit_to_schema(task, reply.raw, template)) / CHARS_PER_TOKEN
            if mean_length is None
            else mean_length
        )

    async def _likely_reply(self, task: Task[Any], draw: int) -> Reply:
        await self._try(task)
        if task.kind in _BY_RULES:
            return await self._embedded.reply(task, draw)
        return Reply(task.inputs(), guess(task), kind=task.kind, draw=draw)


def _prompt_length(server: Backend, task: Task[Any]) -> int:
    return sum(map(len, task.pieces(_template(server, task))))


def _template(server: Backend, task: Task[Any]) -> Template | None:
    return server.template(type(task)) if isinstance(server, LLM) else None


def guess(task: Any) -> str:
    """A reply that the task can read, about as long as a judge's, where one is known to be that."""
    if text := _TEXTS.get(type(task)):
        return text(task)
    value = _VALUES.get(type(task))
    return _paper_lines(task) if value is None else str(task.reply(value(task)))


def _generated_questions(task: Any) -> str:
    topic = task.answer.split(".")[0]
    questions = [f"{topic} ({number})?" for number in range(task.n)]  # each is embedded
    return json.dumps({"noncommittal": False, "questions": questions})


def _paper_verdicts(task: Any) -> str:
    explained = "\n".join(f"{s.text} The context supports this." for s in task.statements)
    return (
        f"{explained}\nFinal verdict for each statement in order:{' Yes.' * len(task.statements)}"
    )


def _paper_lines(task: Any) -> str:
    # One line a sentence of what was given last: statements of an answer, sentences of a context.
    text: str = task.input_texts()[-1].text
    return text.replace(". ", ".\n")[:4000] + "?"


def _closed_questions(task: Any) -> list[tasks.ClosedQuestion]:
    facts = [task.text[a:b] for a, b in spans(task.text)]
    return [tasks.ClosedQuestion(fact[:20], f"Is it so: {fact}?") for fact in facts]


def _topics(task: Any) -> list[str]:
    # One topic for each message of the user.
    lines = task.conversation.splitlines()
    questions = [line.removeprefix("user: ") for line in lines if line.startswith("user: ")]
    return [" ".join(text.split()[:5]) for text in questions]


def _short_answers(task: Any) -> list[tasks.ShortAnswer]:
    # A text answers what is asked in its own words.
    words = set(task.text.split())
    answers = (
        tasks.ShortAnswer(f"q{n}", question[:20] if words.issuperset(question.split()) else None)
        for n, question in enumerate(task.questions, start=1)
    )
    return [answer for answer in answers if answer.id in task.ids]


def _verdicts(task: Any) -> list[tasks.Verdict]:
    # What shares most of its words with a context is supported by it.
    contexts = [(set(text.split()), text) for text in task.contexts]
    verdicts = []
    for statement in task.statements:
        if statement.id not in task.ids:
            continue
        words = statement.text.rstrip(".").split()
        shared = [sum(word in of_context for word in words) for of_context, _ in contexts] or [0]
        best = max(range(len(shared)), key=shared.__getitem__)
        supported = 2 * shared[best] > len(words)
        quote = " ".join(contexts[best][1].split()[:QUOTED]) if supported else ""
        context = best if supported else None
        verdicts.append(tasks.Verdict(statement.id, supported, REASON, context, quote))
    return verdicts


def _usefulness(task: Any) -> list[tasks.Usefulness]:
    quotes = ((i, " ".join(text.split()[:QUOTED])) for i, text in task.shown().items())
    return [tasks.Usefulness(i, useful=True, reason=REASON, quote=quote) for i, quote in quotes]


def _choices(task: Any) -> list[tasks.Choice]:
    question_words = {word for word in task.question.lower().split() if len(word) > 3}
    sharing = [s for s in task.sentences if not question_words.isdisjoint(s.text.lower().split())]
    return [tasks.Choice(s.id, REASON) for s in sharing or task.sentences[:1]]


def _question(task: Any) -> tasks.Written:
    # In the text's own words, so that it goes through every check of a test set; backwards, so
    # that "in this document" does not point at a text.
    facts = [max(sentences(text), key=len, default="") for text in task.passages]
    answer = " ".join(facts)
    question = " ".join(reversed(answer.split()))
    if isinstance(task, tasks.WriteUnanswerable):
        return tasks.Written(f"{question} ... and what else?")
    return tasks.Written(question, answer, tuple(facts))


# Replies as they come.
_TEXTS: Mapping[type[Task[Any]], Callable[[Any], str]] = {
    tasks.GenerateQuestions: _generated_questions,
    tasks.PaperVerdicts: _paper_verdicts,
    tasks.AnswerFromPassages: lambda _task: REASON,
    tasks.MeasureLikelihood: lambda task: task.reply([task.text], [0.0]),
}
# What a reply says, for the task to put into its form.
_VALUES: Mapping[type[Task[Any]], Callable[[Any], Any]] = {
    tasks.Embed: lambda task: [float(len(task.text)), 1.0],
    tasks.VerifyStatements: _verdicts,
    tasks.JudgeContexts: _usefulness,
    tasks.SelectSentences: _choices,
    tasks.RateAnswer: lambda _task: tasks.Rating(1.0, noncommittal=False, reason=REASON),
    tasks.GiveGrade: lambda task: tasks.Grade(task.grades[-1][0], REASON),
    tasks.ChooseLabel: lambda task: tasks.Label(task.labels[-1][0], REASON),
    tasks.PlanEvaluation: lambda _task: [REASON] * 4,
    tasks.PreferAnswer: lambda _task: tasks.Preference("first", REASON),
    tasks.RankAnswers: lambda task: tasks.Ranking(tuple(range(len(task.answers))), REASON),
    tasks.AskClosedQuestions: _closed_questions,
    tasks.AnswerClosedQuestions: lambda task: [
        tasks.ClosedAnswer(i, yes=True, reason=REASON) for i in task.ids
    ],
    tasks.AskMultipleChoice: lambda task: [
        tasks.MultipleChoice(f"{n} {REASON}", ("no", "yes")) for n in range(task.n)
    ],
    tasks.AnswerMultipleChoice: lambda task: [tasks.ChosenOption(i, "A") for i in task.ids],
    tasks.NameTopics: _topics,
    tasks.JudgeTopics: lambda task: [
        tasks.TopicAnswer(i, answered=True, reason=REASON) for i in task.ids
    ],
    tasks.MatchTopics: lambda task: [tasks.TopicMatch(i, 0, REASON) for i in task.ids],
    tasks.InferGoal: lambda _task: tasks.Goal(REASON, REASON),
    tasks.CompareOutcomes: lambda _task: tasks.Comparison(reached=True, reason=REASON),
    tasks.AnswerQuestions: _short_answers,
    tasks.AnswerClosedBook: lambda _task: [REASON],
    tasks.ListNuggets: lambda _task: [f"{REASON} {n}" for n in range(10)],
    tasks.WriteFollowUp: lambda _task: tasks.FollowUp(_UNNAMED, REASON, _UNNAMED),
    tasks.WriteSingleHop: _question,
    tasks.WriteReasoning: _question,
    tasks.WriteMultiHop: _question,
    tasks.WriteUnanswerable: _question,
}


def fit_to_schema(task: Task[Any], raw: str, template: Template | None = None) -> str:
    """The reply in the form that a language model is asked for: no field more, none less.

    Its reasons are one sentence long, its quotes a few words.

    Args:
        task: What is asked.
        raw: A reply that the task can read.
        template: How it is asked; None for the built-in prompt.
    """
    schema = task.schema_for(template) if template else task.schema
    if schema is not None and schema == task.schema:
        reason = "" if template == task.template_for("none") else REASON
        if isinstance(task, tasks.VerifyStatements):
            verdicts = [replace(v, reason=reason) for v in task.read_some(raw).values()]
            return task.short_reply(verdicts)
        if isinstance(task, tasks.JudgeContexts):
            verdicts_read = task.read_some(raw).values()
            return task.short_reply([replace(v, reason="") for v in verdicts_read])
        if isinstance(task, tasks.SplitStatements | SplitTexts):
            return task.short_reply(raw)
    try:
        value = json.loads(raw)
    except ValueError:
        return raw  # free text
    return json.dumps(_fit(value, schema), ensure_ascii=False) if schema else raw


def _fit(value: Any, schema: Mapping[str, Any], name: str = "") -> Any:
    if name == "reason":
        return REASON
    if name == "quote":
        return " ".join(str(value or "").split()[:QUOTED])
    if isinstance(value, dict) and "properties" in schema:
        return {
            key: _fit(value.get(key, _EMPTY_VALUES.get(inner.get("type", ""))), inner, key)
            for key, inner in schema["properties"].items()
        }
    if isinstance(value, list) and "items" in schema:
        return [_fit(item, schema["items"]) for item in value]
    return value
