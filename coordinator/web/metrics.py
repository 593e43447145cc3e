"""Every metric in one table: name, kind, unit, meaning, and where its figures come from.

Names follow Prometheus: the prefix ``coordinator_``, base units, ``_total`` on counters. Figures are read
from `View.metrics` at each scrape, so that nothing is counted twice and nothing is paid between scrapes.
A figure that the view does not give is left out rather than shown as zero.
"""

from collections.abc import Iterator, Mapping
from typing import Literal

import attrs
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response

from coordinator.shell.view import View

PREFIX = "coordinator_"


@attrs.frozen(slots=True)
class Row:
    """One metric. With a `label`, every key ``<key>.<value>`` of the view is one series, labelled with its value."""

    name: str
    kind: Literal["counter", "gauge"]
    unit: str
    meaning: str
    key: str
    label: str | None = None


TABLE = (
    Row("uptime_seconds", "gauge", "seconds", "Age of the daemon.", "uptime_s"),
    Row("ready", "gauge", "", "1 while /readyz answers 200.", "ready"),
    Row("sessions", "gauge", "", "Sessions with a peer connected.", "sessions", "role"),
    Row("sessions_opened_total", "counter", "", "Sessions that said hello, resumed ones included.", "sessions_opened"),
    Row("sockets_accepted_total", "counter", "", "Sockets accepted.", "sockets_accepted"),
    Row("sockets_refused_total", "counter", "", "Sockets that did not get through the opening.", "sockets_refused"),
    Row("sockets_cut_total", "counter", "", "Peers cut, by cause: slow, silent, broken, fast.", "sockets_cut", "cause"),
    Row("frames_received_total", "counter", "", "Frames from peers.", "frames_in"),
    Row("received_bytes_total", "counter", "bytes", "Bytes received on all sockets.", "bytes_in"),
    Row("sent_bytes_total", "counter", "bytes", "Bytes that the kernel has taken from us.", "bytes_out"),
    Row("matches", "gauge", "", "Matches by status.", "matches", "status"),
    Row("matches_damaged", "gauge", "", "Matches set aside, since their journals are damaged.", "matches_damaged"),
    Row("matches_failed", "gauge", "", "Matches that stand still after a mistake of ours.", "matches_failed"),
    Row("players", "gauge", "", "Players still in, over all running matches.", "players"),
    Row("tables", "gauge", "", "Open tables.", "tables"),
    Row("tables_without_server", "gauge", "", "Open tables that wait for a table server.", "tables_without_server"),
    Row("hands_total", "counter", "", "Hand reports by verdict.", "hands", "verdict"),
    Row("journal_commits_total", "counter", "", "Group commits of the journal.", "journal_commits"),
    Row("journal_records_total", "counter", "", "Records in these commits.", "journal_records"),
    Row("journal_commit_seconds_total", "counter", "seconds", "Time spent in commits.", "journal_commit_s"),
    Row("journal_backlog", "gauge", "", "Records that wait for their commit.", "journal_backlog"),
    Row("timers_late_seconds", "gauge", "seconds", "How late the latest timer fired.", "timers_late_s"),
    Row("bugs_total", "counter", "", "Mistakes of the coordinator's own that were contained.", "bugs"),
)


def missing(figures: Mapping[str, int | float]) -> list[str]:
    """Keys of the table that `figures` does not have."""
    return [
        row.key for row in TABLE if row.key not in figures and not any(key.startswith(f"{row.key}.") for key in figures)
    ]


def unlisted(figures: Mapping[str, int | float]) -> list[str]:
    """Keys of `figures` that no row of the table shows."""
    keys = {row.key: row.label for row in TABLE}
    return [key for key in figures if key not in keys and keys.get(key.partition(".")[0]) is None]


class ViewCollector(Collector):
    """Turns the figures of a view into metrics, at each scrape anew."""

    def __init__(self, view: View) -> None:
        self._view = view

    def collect(self) -> Iterator[Metric]:
        """The metrics of the table, in its order."""
        build = GaugeMetricFamily(f"{PREFIX}build_info", "1, labelled with the version.", labels=["version"])
        build.add_metric([self._view.status()["version"]], 1)
        yield build
        figures = self._view.metrics()
        for row in TABLE:
            family: CounterMetricFamily | GaugeMetricFamily
            labels = [row.label] if row.label else []
            if row.kind == "counter":
                family = CounterMetricFamily(PREFIX + row.name, row.meaning, labels=labels)
            else:
                family = GaugeMetricFamily(PREFIX + row.name, row.meaning, labels=labels)
            for key, value in figures.items():
                head, dot, rest = key.partition(".")
                if head == row.key and bool(dot) == bool(row.label):
                    family.add_metric([rest] if row.label else [], value)
            if family.samples:
                yield family


class Metrics:
    """The page that Prometheus scrapes, in the format it asks for."""

    def __init__(self, view: View) -> None:
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(ViewCollector(view))

    async def get(self, request: Request) -> Response:
        """All metrics. Their number does not grow with players or tables, so this needs no thread of its own."""
        try:
            encode, content_type = choose_encoder(request.headers.get("accept", ""))
        except (TypeError, ValueError):
            encode, content_type = choose_encoder("")  # a version that is no number
        return Response(encode(self._registry), headers={"content-type": content_type, "cache-control": "no-store"})
