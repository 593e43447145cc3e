"""The formats by name. A new one is a file beside these and a line here."""

from collections.abc import Mapping
from types import MappingProxyType

from coordinator.engine.definition import Stage
from coordinator.engine.formats.continuous_swiss import CONTINUOUS_SWISS
from coordinator.engine.formats.default import DEFAULT
from coordinator.engine.formats.format import Format, Timeline
from coordinator.engine.formats.island import ISLAND
from coordinator.engine.formats.knockout import KNOCKOUT
from coordinator.engine.formats.ladder import LADDER
from coordinator.engine.formats.melee import MELEE
from coordinator.engine.formats.swiss_1v1 import SWISS_1V1
from coordinator.engine.formats.swiss_shift import SWISS_SHIFT

FORMATS: Mapping[str, Format] = MappingProxyType(
    {f.name: f for f in (DEFAULT, KNOCKOUT, SWISS_SHIFT, MELEE, ISLAND, CONTINUOUS_SWISS, SWISS_1V1, LADDER)}
)

__all__ = ["FORMATS", "Format", "Timeline", "format_of", "timeline_of"]


def format_of(stage: Stage) -> Format:
    """The format a stage follows."""
    return FORMATS[stage.format]


def timeline_of(stage: Stage) -> Timeline:
    """The timeline a stage follows."""
    return FORMATS[stage.format].timeline
