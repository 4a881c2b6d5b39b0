"""Two to five runs side by side, question by question, with what differs in their answers."""

MOST = 5


class Wanted:
    @classmethod
    def read(cls, *a): return cls()


def render(*a): return ""
