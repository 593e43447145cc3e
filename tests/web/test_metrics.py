"""What Prometheus scrapes."""

import re

import pytest

from coordinator.web.metrics import TABLE, missing, unlisted
from tests.web.conftest import Site
from tests.web.moving_cup import MovingCup


def test_names_follow_the_conventions() -> None:
    for row in TABLE:
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", row.name), row
        assert row.name.endswith("_total") == (row.kind == "counter"), row
        assert row.unit in row.name, row
        assert row.meaning.endswith("."), row
    assert len({row.name for row in TABLE}) == len({row.key for row in TABLE}) == len(TABLE)


def test_the_table_and_the_view_agree(cup: MovingCup) -> None:
    figures = cup.metrics()
    assert missing(figures) == []
    assert unlisted(figures) == []
    assert "bugs" in missing({key: value for key, value in figures.items() if key != "bugs"})
    assert unlisted({"sessions.table": 1, "other": 1, "other.part": 1, "bugs.part": 1}) == [
        "other",
        "other.part",
        "bugs.part",
    ]


async def test_scrape(site: Site, cup: MovingCup) -> None:
    cup.play(17)
    answer = await site.ask("/metrics")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/plain")
    lines = answer.text.splitlines()
    assert 'coordinator_build_info{version="0.1.0"} 1.0' in lines
    assert 'coordinator_sessions{role="table"} 3.0' in lines
    assert 'coordinator_hands_total{verdict="scored"} 17.0' in lines
    assert "coordinator_journal_commit_seconds_total 0.25" in lines
    assert "# TYPE coordinator_hands_total counter" in lines
    assert "# TYPE coordinator_tables gauge" in lines
    assert not any("_created" in line for line in lines)
    for row in TABLE:
        assert any(line.startswith(f"coordinator_{row.name}") for line in lines), row


async def test_open_metrics_when_asked_for(site: Site) -> None:
    answer = await site.ask("/metrics", Accept="application/openmetrics-text;version=1.0.0")
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert answer.text.endswith("# EOF\n")


@pytest.mark.parametrize("name", ["alerts.yml", "grafana.json"])
async def test_files_to_take_speak_of_metrics_that_exist(site: Site, name: str) -> None:
    text = (await site.ask(f"/static/{name}")).text
    used = set(re.findall(r"coordinator_\w+", text))
    assert used
    assert used <= {f"coordinator_{row.name}" for row in TABLE}


@pytest.mark.parametrize("version", ["\u00ff", "x", "1.", "-", "9" * 5000, "1.0.0.0.0"])
async def test_an_accept_that_makes_no_sense_gets_the_plain_text(site: Site, version: str) -> None:
    answer = await site.ask("/metrics", Accept=f"application/openmetrics-text;version={version}")
    assert answer.status == 200
    assert "coordinator_ready 1" in answer.text
