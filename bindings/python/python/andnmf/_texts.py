"""Words of texts, counted as the command ``andnmf topics`` does."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from andnmf import _core, _settings
from andnmf._files import Table


def count_words(
    texts: Iterable[str] | str | os.PathLike[str],
    *,
    strip_headers: bool = False,
    min_documents: float | None = None,
    max_documents: float = 0.5,
    max_words: int | None = 4000,
    stop_words: str | Iterable[str] = "english",
    min_letters: int = 2,
    numbers: bool = False,
) -> Table:
    """Count the words of texts.

    Parameters
    ----------
    texts : iterable of str, or path-like
        The texts, or a folder of text files, a .tar.gz archive of them, or a file with one text per line. A single string
        is a path.
    strip_headers : bool, default=False
        Remove headers, quotes and signatures of e-mail and news posts.
    min_documents, max_documents : float or int, optional
        Keep words in at least and at most so many texts: an integer is a number, a float a share. By default from ten texts
        (1 % of fewer than 1000) to half of all.
    max_words : int or None, default=4000
        Number of words; the most frequent are kept.
    stop_words : "english", "none" or iterable of str, default="english"
        Words to leave out.
    min_letters : int, default=2
        Minimum number of letters of a word.
    numbers : bool, default=False
        Keep numbers and words with digits.

    Returns
    -------
    Table
        Texts × words, a CSR matrix with the words as ``feature_names``; every estimator takes it.

    Examples
    --------
    >>> from andnmf.topics import count_words
    >>> table = count_words(["red wine", "white wine", "red stars"], min_documents=1, max_documents=1.0)
    >>> table.feature_names, table.values.toarray()[0].tolist()
    (['red', 'stars', 'white', 'wine'], [1.0, 0.0, 0.0, 1.0])
    """
    least = None if min_documents is None else _frequency("min_documents", min_documents)
    listed = [] if stop_words == "none" else None if stop_words == "english" else stop_words
    if isinstance(listed, str):
        raise ValueError(f"stop_words is '{stop_words}', but it must be english, none or a list of words")
    rules = (least, _frequency("max_documents", max_documents), max_words, None if listed is None else list(listed))
    return word_table(texts, strip_headers, min_letters, numbers, rules)


def _frequency(name: str, value: float) -> str:
    """A number of documents as a number, a share as per cent."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} is {value!r}, but it must be an integer (texts) or a float (a share of them)")
    return str(value) if isinstance(value, (int, np.integer)) else f"{100 * value!r}%"


def word_table(texts: Any, strip_headers: bool, min_letters: int, numbers: bool, rules: Any) -> Table:
    """The words of texts; with ``rules``, without those that are too rare or too frequent."""
    source = os.fspath(texts) if isinstance(texts, (str, os.PathLike)) else [str(text) for text in texts]
    if not source:
        raise ValueError("texts is empty, but there must be at least one")
    parts = _core.count_words(
        source,
        _settings.flag("strip_headers", strip_headers),
        _settings.integer("min_letters", min_letters),
        _settings.flag("numbers", numbers),
        rules,
    )
    counts = sparse.csr_matrix((parts["stored"], parts["indices"], parts["pointers"]), shape=parts["shape"])
    return Table(counts, parts["sample_names"], parts["feature_names"])
