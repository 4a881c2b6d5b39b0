"""What is used here of a Hugging Face `Dataset`, which need not be installed."""


class Dataset:
    """A dict of columns."""

    def __init__(self, columns):
        self._columns = columns

    @classmethod
    def from_dict(cls, columns):
        return cls(columns)

    @property
    def column_names(self):
        return list(self._columns)

    def to_list(self):
        rows = zip(*self._columns.values(), strict=True)
        return [dict(zip(self._columns, row, strict=True)) for row in rows]
