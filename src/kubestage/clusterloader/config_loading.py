"""From files to a load: the way of a configuration through variables, templates and checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.clusterloader.reading import configs, overwriting, undefined, variables
from kubestage.clusterloader.reading.checking import Checking
from kubestage.clusterloader.reading.modules import Flattening
from kubestage.clusterloader.reading.problems import Place, Problems
from kubestage.clusterloader.reading.steps import StepReader
from kubestage.clusterloader.templating.templates import Templates

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from kubestage.clusterloader.config import Config
    from kubestage.clusterloader.files import Files
    from kubestage.clusterloader.reading.mention_checks import Methods


class Parameters(msgspec.Struct, frozen=True, kw_only=True):
    """What a person decides besides the configuration.

    `overrides` are names and texts of override files, the later the stronger; `env` is the
    environment, of which ``CL2_`` variables count; `overwrite` sets single values of the
    configuration (``Namespace.Prefix=x``); steps of the names in `skip_steps` are left out.
    """

    nodes: int
    image_registry: str = "registry.k8s.io"
    env: Mapping[str, str] = msgspec.field(default_factory=dict)
    overrides: tuple[tuple[str, str], ...] = ()
    overwrite: tuple[str, ...] = ()
    skip_steps: tuple[str, ...] = ()


class LoadedConfig(msgspec.Struct, frozen=True):
    """A load that can be run: its configuration, its templates, and what fills them.

    `failures` are those warnings that will fail a step; they do not refuse the load.
    """

    config: Config
    mapping: dict[str, Any]
    templates: Templates
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


def load(
    main: str,
    files: Files,
    parameters: Parameters,
    *,
    methods: Methods,
    random: random.Random,
    is_strict: bool = False,
) -> LoadedConfig:
    """Render, read and check a configuration.

    InvalidConfig (an InputError) has everything that is wrong. `methods` are the measurements
    there are; with `is_strict` an unknown key is an error instead of a warning.
    """
    mapping = variables.mapping(
        parameters.nodes, parameters.image_registry, parameters.env, parameters.overrides
    )
    templates = Templates(files, random, parameters.env)
    value = templates.value(main, mapping)
    for each in parameters.overwrite:
        value = overwriting.overwritten(value, each)
    problems = Problems(is_strict)
    problems.reading(main, value)
    undefined.report(value, Place(main), problems)
    reader = StepReader(problems, configs.is_document(value))
    flattening = Flattening(reader, templates, mapping, problems, frozenset(parameters.skip_steps))
    read = configs.read(value, Place(main), problems, flattening)
    flattening.warn_of_missing()
    Checking(files, templates, methods, problems).check(read)
    problems.refuse_any()
    warnings, failures = tuple(problems.warnings), tuple(problems.failures)
    return LoadedConfig(read.config, mapping, templates, warnings, failures)
