"""What to do with a fitted model: its distinctive features, its tables, its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import _get_feature_names, check_is_fitted

from andnmf import _core, _settings
from andnmf._containers import Samples, select_features, unwrap
from andnmf._input import aligned
from andnmf._report import Report, report
from andnmf._types import TopFeature

if TYPE_CHECKING:
    import pandas as pd

#: How features may be ranked.
ORDERS = ("relevance", "value")


class FittedResults:
    """Methods of fitted estimators that show results."""

    components_: np.ndarray

    def top_features(self, n: int = 10, *, by: str = "relevance", X: Any = None) -> list[list[TopFeature]]:
        """The most distinctive features of each component: words, genes, bands.

        By relevance, features come first that a component has more of than the others; by value, those that are largest
        within it, which are often the same in every component. Only positive values are listed.

        Parameters
        ----------
        n : int, default=10
            Number of features per component.
        by : {"relevance", "value"}, default="relevance"
            The order.
        X : array-like or sparse matrix of shape (n_samples, n_features), optional
            The samples, which say how much each component contributes. Without them, all contribute equally.

        Returns
        -------
        list of list of TopFeature
            For each component its features, first ones first, with ``name``, ``value``, ``lift`` (how many times more
            frequent the feature is in the component than in the data as a whole) and ``index``.

        Examples
        --------
        >>> import numpy as np
        >>> from andnmf import AND
        >>> model = AND(2, random_state=0).fit(np.kron(np.eye(2), np.ones((20, 2))) * np.arange(1, 41)[:, None])
        >>> sorted(feature.name for feature in model.top_features(2)[0]) in (["0", "1"], ["2", "3"])
        True
        """
        check_is_fitted(self, "components_")
        return self._top_features(n, by, self._shares(X))

    def _top_features(self, n: int, by: str, shares: list[float] | None) -> list[list[TopFeature]]:
        _settings.choice("by", by, ORDERS)
        names = feature_names(self)
        components = aligned(np.ascontiguousarray(self.components_))
        found, lifts = _core.top_features(components, shares, by, _settings.at_least(1, "n", n))
        return [
            [TopFeature(names[i], float(component[i]), lift, i) for i, lift in zip(features, of_lift, strict=True)]
            for component, features, of_lift in zip(self.components_, found, lifts, strict=True)
        ]

    def to_frame(self, X: Any = None) -> pd.DataFrame:
        """The components, or the weights of samples, as a DataFrame with names.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), optional
            Samples. Without them, the components are returned.

        Returns
        -------
        pandas DataFrame
            Components × features, or samples × components. Rows and columns have the names of features, samples and
            components (``get_feature_names_out``), where they are known.

        Examples
        --------
        >>> import pandas as pd
        >>> from andnmf import AND
        >>> spectra = pd.DataFrame([[1, 0, 1], [0, 2, 2], [1, 1, 2.0]], columns=["red", "green", "blue"], index=["a", "b", "c"])
        >>> model = AND(2, random_state=0).fit(spectra)
        >>> model.to_frame().columns.tolist(), model.to_frame(spectra).index.tolist()
        (['red', 'green', 'blue'], ['a', 'b', 'c'])
        """
        import pandas as pd

        check_is_fitted(self, "components_")
        components = self.get_feature_names_out()  # type: ignore[attr-defined]
        if X is None:
            return pd.DataFrame(self.components_, index=components, columns=feature_names(self))
        table = unwrap(X)
        weights = self._weights(self._validated(table, reset=False))  # type: ignore[attr-defined]
        index = getattr(table.values, "index", None) if hasattr(table.values, "iloc") else table.sample_names
        return pd.DataFrame(weights, index=index, columns=components)

    def match_features(self, X: Any) -> Any:
        """The features of the model in its order, found by name in samples that have them in another order, or more.

        DataFrames follow scikit-learn: ``transform`` raises ValueError if their columns are not those of the fit in the same
        order. This picks those columns. AnnData, DataArrays and tables of :func:`andnmf.read` are matched without it.

        Parameters
        ----------
        X : DataFrame, AnnData, DataArray or Table
            Samples with names of their features.

        Returns
        -------
        DataFrame, array or sparse matrix
            The features of the model.

        Examples
        --------
        >>> import pandas as pd
        >>> from andnmf import AND
        >>> spectra = pd.DataFrame([[1, 0, 1], [0, 2, 2], [1, 1, 2.0]], columns=["red", "green", "blue"])
        >>> model = AND(2, random_state=0).fit(spectra)
        >>> other = spectra[["blue", "red", "green"]].assign(infrared=7.0)
        >>> bool((model.transform(model.match_features(other)) == model.transform(spectra)).all())
        True
        """
        check_is_fitted(self, "components_")
        table = unwrap(X)
        named = table.feature_names
        if named is None:
            named = _get_feature_names(table.values)
        if named is None or not hasattr(self, "feature_names_in_"):
            whose = "X has" if named is None else "the model has"
            raise ValueError(f"{whose} no names of features, by which they could be matched")
        return self._select(table.values, [str(name) for name in named])

    def _select(self, X: Any, named: list[str]) -> Any:
        """The features of the model among the named ones."""
        own = [str(name) for name in self.feature_names_in_]  # type: ignore[attr-defined]
        selected = select_features(X, named, own)
        if selected is None:
            known = set(named)
            missing = [name for name in own if name not in known]
            more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            raise ValueError(
                f"X lacks features of the model: {', '.join(missing[:3])}{more}"
                if missing
                else "X has features of the same name"
            )
        return selected

    def report(
        self,
        path: Any = None,
        X: Any = None,
        *,
        title: str | None = None,
        show: str = "auto",
        shape: tuple[int, int] | None = None,
    ) -> Report:
        """Build the report page of the fit, which notebooks show and ``path`` saves.

        Parameters
        ----------
        path : path-like, optional
            The file to write, by convention ``report.html``.
        X : array-like or sparse matrix of shape (n_samples, n_features), optional
            The samples, for their weights: shares, activity and correlations of the components.
        title : str, optional
            The title of the page.
        show : {"auto", "words", "image", "curve", "bars"}, default="auto"
            How components are drawn.
        shape : tuple of int, optional
            Height and width, if components are images.

        Returns
        -------
        Report
            The page.

        Examples
        --------
        >>> import andnmf
        >>> data = andnmf.datasets.make_dir(n_samples=200, n_features=30, n_components=3, random_state=0)
        >>> model = andnmf.AND(n_components=3, random_state=0).fit(data.samples)
        >>> len(model.report(X=data.samples, title="Three topics").html) > 10_000
        True
        """
        check_is_fitted(self, "components_")
        return report(self, path, X, title=title, show=show, shape=shape)

    def _shares(self, X: Any) -> list[float] | None:
        """The contribution of each component to samples, which need not sum to one."""
        if X is None:
            return None
        weights = self._weights(self._validated(X, reset=False))  # type: ignore[attr-defined]
        sizes = np.abs(self.components_.astype(np.float64)).sum(axis=1)
        return list(weights.astype(np.float64).sum(axis=0) * sizes)


def feature_names(model: Any) -> list[str]:
    """The names of the features of a fitted model; their numbers if they have none."""
    names = getattr(model, "feature_names_in_", None)
    return [str(i) for i in range(model.components_.shape[1])] if names is None else [str(name) for name in names]


def name_columns(model: Any, samples: np.ndarray, table: Samples) -> Any:
    """Reconstructed samples in the container that ``set_output`` asks for."""
    if not hasattr(model, "set_output"):
        return samples
    from sklearn.utils._set_output import _get_output_config

    container = _get_output_config("transform", model)["dense"]
    if container == "pandas":
        import pandas as pd

        index = table.values.index if hasattr(table.values, "iloc") else None
        return pd.DataFrame(samples, columns=feature_names(model), index=index)
    if container == "polars":
        import polars as pl

        return pl.DataFrame(samples, schema=feature_names(model), orient="row")
    return samples
