"""What was said, by whom, and who paid for it?"""

from collections.abc import Iterable

from assay.judge import Reply
from assay.store import rows
from assay.store.file import File
from assay.store.keys import short_key
from assay.store.records import Spent


class Replies(File):
    """The replies of one store."""

    def reply(self, key: str) -> Reply | None:
        """The reply under a key, None if there is none yet."""
        if not self.has_reply(key):  # the usual case, at a fraction of the cost
            return None
        with self._at_once():
            found = self.query(f"SELECT {rows.REPLY} WHERE r.key = ?", short_key(key))
            if not found:
                return None
            self._intact(f"reply {key}", *found[0])
            return rows.reply(found[0], self._text)

    def has_reply(self, key: str) -> bool:
        """Whether there is a reply under a key."""
        return bool(self.query("SELECT 1 FROM replies WHERE key = ?", short_key(key)))

    def names(self) -> frozenset[str]:
        """All back ends, runs, kinds of tasks, metrics and methods that were ever met."""
        return frozenset(name for (name,) in self.query("SELECT name FROM names"))

    async def keep_reply(self, reply: Reply, run: str) -> Reply:
        """Commit a reply; an equal key keeps what it has, which is given back then."""
        recent, new = self._writer.recent, [True]
        await self._writer.commit(lambda db: new.append(rows.write_paid(db, reply, run, recent)))
        return reply if new[-1] else self.reply(reply.key) or reply

    def spent(self, run: str) -> Spent:
        """What a run has paid for."""  # a draw below 0: billed, and no reply
        sums = "total(draw >= 0), total(tokens_in), total(tokens_out), total(ms)"
        sql = f"SELECT {sums} FROM replies WHERE run = {rows.NAME}"
        calls, read, written, ms = self.query(sql, run)[0]
        return Spent(int(calls), int(read), int(written), ms)

    def charged(self, run: str, free: Iterable[str]) -> tuple[int, int]:
        """(prompt tokens, reply tokens) that a run paid for, but those embedded.

        Args:
            run: The run.
            free: Names of judges that cost no money.
        """
        names = list(free)
        # An identity is a name, and what is asked behind "#".
        other = " AND substr(b.name || '#', 1, length(?) + 1) != ? || '#'" * len(names)
        read, written = self.query(
            "SELECT total(tokens_in), total(tokens_out) FROM replies r"
            " JOIN names b ON b.id = r.backend JOIN names k ON k.id = r.kind"
            f" WHERE r.run = {rows.NAME} AND k.name NOT IN ('embed', 'embed_texts'){other}",
            run,
            *(name for each in names for name in (each, each)),
        )[0]
        return int(read), int(written)

    def pace(self, backend: str, kind: str) -> tuple[int, float]:
        """How many replies of a back end to a kind of task there are, and their mean ms."""
        where = f"kind = {rows.NAME} AND backend = {rows.NAME} AND draw >= 0 AND ms > 0"
        sql = f"SELECT count(*), total(ms) FROM replies WHERE {where}"
        n, ms = self.query(sql, kind, backend)[0]
        return n, ms / n if n else 0.0

    def usual(self, backend: str, kind: str) -> tuple[int, float]:
        """How many replies of a back end to a kind of task there are, and their mean tokens."""
        where = f"kind = {rows.NAME} AND backend = {rows.NAME} AND draw >= 0"
        sql = f"SELECT count(*), total(tokens_out) FROM replies WHERE {where}"
        n, written = self.query(sql, kind, backend)[0]
        return n, written / n if n else 0.0
