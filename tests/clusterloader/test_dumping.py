"""What is dumped can be loaded again."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.clusterloader import config, dumping
from kubestage.clusterloader.config_loading import Parameters, load
from kubestage.clusterloader.files import Texts
from tests.clusterloader.configurations import FILES, METHODS, loaded, phase, steps

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=12)
NAMES = st.sampled_from(("Fast", "{{N}}", "yes", "1e3", "a: b", "{{", "x-{{.A}}"))
NUMBERS = st.one_of(st.integers(-(10**6), 10**6).map(float), st.floats(-1e9, 1e9))
FREE = st.dictionaries(
    TEXTS,
    st.recursive(
        st.one_of(TEXTS, NAMES, NUMBERS, st.booleans()),
        lambda inner: st.one_of(
            st.lists(inner, max_size=2), st.dictionaries(TEXTS, inner, max_size=2)
        ),
        max_leaves=4,
    ),
    max_size=3,
)
POSITIVE = st.floats(1e-6, 1e6)
WHOLE = st.integers(1, 2**31 - 1)
SPAN = st.integers(1, 10**15)
LOADS = st.one_of(
    st.builds(config.QpsLoad, POSITIVE),
    st.builds(config.RandomizedLoad, POSITIVE),
    st.builds(config.SteppedLoad, WHOLE, SPAN),
    st.builds(config.TimeLimitedLoad, SPAN),
    st.builds(config.RandomizedTimeLimitedLoad, SPAN),
    st.builds(config.ParallelismLimitedLoad, WHOLE),
    st.builds(config.GlobalQpsLoad, POSITIVE, WHOLE),
    st.builds(config.PoissonLoad, POSITIVE),
)
SELECTORS: st.SearchStrategy[dict[str, Any] | None] = st.one_of(
    st.none(), st.just({}), st.just({"matchLabels": {"a": "b"}})
)
OBJECTS = st.builds(
    config.ObjectSpec,
    st.sampled_from(("a", "b.c", "x-1")),
    st.sampled_from(("pod.yaml", "deployment.yaml")),
    FREE,
    SELECTORS,
    st.one_of(st.none(), st.builds(config.ObjectType, TEXTS, TEXTS, TEXTS)),
)
SPACES = st.builds(
    config.NamespaceRange, st.integers(0, 3), st.integers(3, 9), st.one_of(st.none(), TEXTS)
)
MENTIONS = st.one_of(
    st.builds(config.Mention, st.just("Sleep"), NAMES, FREE),
    st.builds(
        config.Mention,
        st.just("Timer"),
        st.just(""),
        FREE,
        st.lists(st.builds(config.Instance, NAMES, FREE), min_size=1, max_size=2).map(tuple),
    ),
)
NAMESPACES = st.builds(
    config.Namespaces,
    st.integers(1, 100_000),
    TEXTS,
    st.booleans(),
    st.booleans(),
    st.booleans(),
    SPAN,
)
CHAOS = st.builds(
    config.ChaosMonkey,
    st.one_of(st.none(), st.builds(config.NodeFailure, POSITIVE, SPAN, POSITIVE, SPAN)),
    st.frozensets(TEXTS, max_size=3),
)
DEPENDENCIES = st.builds(config.Dependency, NAMES, st.just("DRATestDriver"), SPAN, FREE)


@st.composite
def configs(draw: Any) -> config.Config:
    """A configuration in which nothing is wrong."""
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    sets = tuple(
        config.TuningSet(name, draw(LOADS), draw(st.integers(0, 10**12))) for name in names
    )
    phases = st.one_of(
        st.builds(
            config.Phase, st.lists(OBJECTS, max_size=2).map(tuple), st.just(3), st.just(names[0])
        ),
        st.builds(
            config.Phase,
            st.lists(OBJECTS, max_size=1).map(tuple),
            st.just(3),
            st.just(names[0]),
            SPACES,
        ),
        st.builds(
            config.Phase,
            st.just(()),
            st.just(0),
            st.just(names[0]),
            st.none(),
            st.lists(NAMES).map(tuple),
        ),
    )
    step = st.one_of(
        st.builds(config.Step, TEXTS, st.lists(phases, min_size=1, max_size=2).map(tuple)),
        st.builds(
            config.Step, TEXTS, st.just(()), st.lists(MENTIONS, min_size=1, max_size=2).map(tuple)
        ),
    )
    return config.Config(
        steps=tuple(draw(st.lists(step, min_size=1, max_size=3))),
        name=draw(TEXTS),
        tuning_sets=sets,
        namespaces=draw(NAMESPACES),
        chaos_monkey=draw(CHAOS),
        dependencies=tuple(draw(st.lists(DEPENDENCIES, max_size=1))),
    )


@settings(max_examples=150)
@given(configs())
def test_a_dump_is_loaded_as_the_configuration_that_it_was(found: config.Config) -> None:
    text = dumping.dump(found)
    again = load(
        "dump.yaml",
        Texts({**FILES, "dump.yaml": text}),
        Parameters(nodes=1),
        methods=METHODS,
        random=random.Random(1),
    )
    assert again.config == found
    assert dumping.dump(again.config) == text


def test_a_dump_is_spelled_as_clusterloader2_spells_it() -> None:
    text = dumping.dump(loaded(steps(phase(1)) + "name: test\n").config)
    assert text.startswith("name: test\nnamespace:\n  deleteAutomanagedNamespaces: true\n")
    assert "deleteNamespaceTimeout: 10m0s\n" in text
    assert "objectTemplatePath: pod.yaml\n" in text
    assert "qpsLoad:\n    qps: 10\n" in text
