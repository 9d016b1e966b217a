"""The pytest plugin: clusters as fixtures, found by entry point, idle unless a test uses one.

::

    @pytest.mark.kubestage(nodes=5, seed=7)
    def test_three_replicas_come_up(cluster):
        cluster.apply(make_deployment("web", replicas=3))
        cluster.expect("deploy/web").ready(3, within="1m")

NOTE: pytest imports this in every run of every project where kubestage is installed. Until a
fixture is used, nothing of the simulation is loaded (benchmarks/fixtures.py).
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

import pytest

from kubestage import lazy
from kubestage.errors import InputError, KubestageError
from kubestage.testing import pytest_settings

with lazy.imports():
    from kubestage.testing.clusters import factory as factories
    from kubestage.testing.clusters import keeping

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Generator, Iterator

    from kubestage.testing.clusters.cluster import Cluster
    from kubestage.testing.clusters.factory import ClusterFactory
    from kubestage.testing.clusters.options import ClusterOptions
    from kubestage.testing.clusters.server import ClusterServer

_MOST_TEXT: Final = 20_000
_item_key: Final = pytest.StashKey[pytest.Item]()
_clusters_key: Final = pytest.StashKey["list[Cluster]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the command line, and defaults for the configuration file."""
    pytest_settings.add_to(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", pytest_settings.MARKER_HELP)


@pytest.fixture(scope="session")
def cluster_factory(pytestconfig: pytest.Config) -> Iterator[ClusterFactory]:
    """Makes clusters: ``cluster_factory(nodes=5)``, ``cluster_factory.server(seed=7)``.

    The arguments are those of the marker. Servers are stopped when the tests end, or by `close`.
    """
    records = pytest_settings.keep_folder(pytestconfig) is not None

    def remember(cluster: Cluster) -> None:
        item = pytestconfig.stash.get(_item_key, None)
        if item is not None:
            item.stash.setdefault(_clusters_key, []).append(cluster)

    with _plain_errors():
        defaults = pytest_settings.defaults(pytestconfig)
    made = factories.ClusterFactory(defaults, records=records, on_new=remember if records else None)
    yield made
    made.close()


@pytest.fixture(scope="module")
def cluster_base() -> Cluster | None:
    """Override this in a module or conftest.py: `cluster` is then a copy of what it returns.

    A test with a marker of its own has a cluster of its own. ::

        @pytest.fixture(scope="module")
        def cluster_base(cluster_factory):
            base = cluster_factory(nodes=50, manifests=["platform/"])
            base.settle()
            return base
    """
    return None


@pytest.fixture
def cluster(
    request: pytest.FixtureRequest,
    cluster_factory: ClusterFactory,
    cluster_base: Cluster | None,
) -> Cluster:
    """A cluster of this test alone, in this process: scheduler, controllers and kubelets work."""
    with _plain_errors():
        options = _own_options(request, cluster_factory, cluster_base)
        if options is not None:
            return cluster_factory.make(options)
        assert cluster_base is not None
        return cluster_factory.copy(cluster_base)


@pytest.fixture
def cluster_server(
    request: pytest.FixtureRequest,
    cluster_factory: ClusterFactory,
    cluster_base: Cluster | None,
) -> Iterator[ClusterServer]:
    """The same behind HTTP on this machine, for every client: `url`, `kubeconfig`."""
    with _plain_errors():
        options = _own_options(request, cluster_factory, cluster_base)
        if options is not None:
            served = cluster_factory.make_server(options)
        else:
            assert cluster_base is not None
            served = cluster_factory.serve(cluster_base)
    yield served
    served.close()


def _own_options(
    request: pytest.FixtureRequest, factory: ClusterFactory, base: Cluster | None
) -> ClusterOptions | None:
    """The options of a test's cluster; None if it is a copy of the base."""
    arguments = pytest_settings.marked(request)
    if base is not None and not arguments:
        return None
    where = f"@pytest.mark.{pytest_settings.MARKER}"
    return factory.options(arguments, where, str(request.path.parent))


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    """Has input that cannot be used fail the test with a sentence instead of a traceback."""
    try:
        yield
    except InputError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Know which test is running."""
    item.config.stash[_item_key] = item
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep the clusters of a test that failed, if the command line says so."""
    report = yield
    folder = pytest_settings.keep_folder(item.config)
    if folder is not None and report.failed:
        lines = list(_kept(item, folder, report.longreprtext[:_MOST_TEXT]))
        if lines:
            report.sections.append(("kubestage", "\n".join(lines)))
    return report


def _kept(item: pytest.Item, folder: pathlib.Path, failure: str) -> Iterator[str]:
    """Keep all clusters of a test; yields where they are."""
    clusters = item.stash.get(_clusters_key, [])
    item.stash[_clusters_key] = []
    for number, cluster in enumerate(clusters, 1):
        name = "cluster" if number == 1 else f"cluster-{number}"
        place = keeping.place_of(folder, item.nodeid, name)
        try:
            keeping.keep_cluster(place, item.nodeid, name, failure, cluster)
        except (KubestageError, OSError) as error:
            yield f"The cluster could not be kept: {error}"
        else:
            yield f"The cluster is kept: kubestage open {place}"
            yield f"Why a pod waits: kubestage explain {place} POD"
