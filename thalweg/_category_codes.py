"""The codes of categories that are met one after another, of which any earlier state stays valid."""

from collections.abc import Iterable, Iterator, Mapping


class CategoryCodes(Mapping[str, int]):
    """An unchangeable mapping of texts to the codes 0, 1, 2, …, from which a larger one can be made at once.

    Mappings that grew from each other share one dict; each knows the first `n` entries of it. So a row that
    is refused leaves the categories as they were, and a new category costs the same however many there are.
    """

    __slots__ = ("_codes", "_n")

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._codes = {text: code for code, text in enumerate(texts)}
        self._n = len(self._codes)

    def with_text(self, text: str) -> "CategoryCodes":
        """Return the mapping with one more text, which has the next code."""
        larger = CategoryCodes()
        # If another mapping grew from this one, the dict has entries that are not ours.
        larger._codes = self._codes if len(self._codes) == self._n else dict(self.items())
        larger._codes[text] = self._n
        larger._n = self._n + 1
        return larger

    def __getitem__(self, text: str) -> int:
        code = self._codes[text]
        if code >= self._n:
            raise KeyError(text)
        return code

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._codes)[: self._n])

    def __len__(self) -> int:
        return self._n
