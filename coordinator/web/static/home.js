// The first page: matches, table servers, alarms and the status line.

import { fill, follow, show } from "./rows.js";
import { listen } from "./stream.js";
import { count, duration, serverState, showInstance, whole } from "./wording.js";

const byId = (id) => document.getElementById(id);

function showMatches(matches) {
  follow(byId("matches"), matches, (match) => match.match_id, byId("match-row"), (row, match) => {
    row.className = `is-${match.status}`;
    row.querySelector(".pill").className = `pill is-${match.status}`;
    row.querySelector("a").pathname = `/matches/${encodeURIComponent(match.match_id)}`;
    fill(row, {
      title: match.title,
      game: match.game.replaceAll("_", " "),
      match_id: match.match_id,
      status: match.status,
      stage: (match.stage_title ?? "") + (match.bout_no ? `, bout ${match.bout_no}` : ""),
      left: `${whole(match.remaining)} of ${whole(match.players)}`,
      hands: whole(match.hands),
      base: whole(match.base_score),
    });
  });
}

function showTourneys(tourneys) {
  show(byId("tourneys-panel"), tourneys.length > 0);
  const starts = tourneys.flatMap((tourney) => tourney.instances.map((instance) => ({ tourney, instance })));
  follow(byId("instances"), starts, ({ instance }) => instance.instance_id, byId("instance-row"), (row, start) => {
    const { tourney, instance } = start;
    row.className = `is-${instance.status}`;
    row.querySelector(".pill").className = `pill is-${instance.status}`;
    row.querySelector("a").pathname = `/tourneys/${encodeURIComponent(tourney.tourney_id)}`;
    fill(row, { title: tourney.title, ...showInstance(instance) });
  });
}

function showServers(servers) {
  follow(byId("servers"), servers, (server) => server.server_id, byId("server-row"), (row, server) => {
    row.className = `server ${server.connected ? (server.drain ? "draining" : "connected") : "away"}`;
    row.querySelector("a").pathname = `/servers/${encodeURIComponent(server.server_id)}`;
    fill(row, {
      server_id: server.server_id,
      server_state: serverState(server),
      server_tables: `${whole(server.tables)} of ${whole(server.capacity)}`,
      server_hands: whole(server.hands),
      why: server.why_no_tables ?? "",
    });
  });
}

function showAlarms(alarms) {
  show(byId("alarms-panel"), alarms.length > 0);
  follow(byId("alarms"), alarms, (alarm) => `${alarm.at_ms} ${alarm.code}`, byId("alarm-row"), (row, alarm) =>
    fill(row, { code: alarm.code, message: alarm.message, alarm_match: alarm.match_id ?? "" }),
  );
}

function showStatus({ version, uptime_s: uptime, listen: address, sessions, journal, ready, checks }) {
  const failing = checks.filter((check) => !check.ok).map((check) => check.name);
  fill(byId("status-line"), {
    version,
    uptime: duration(uptime),
    listen: address,
    sessions: [
      count(sessions.table, "table server"),
      count(sessions.lobby, "lobby", "lobbies"),
      count(sessions.spectator, "spectator"),
    ].join(", "),
    journal: `${count(journal.records, "record")}, ${whole(journal.backlog)} waiting`,
    ready: ready ? "yes" : `no: ${failing.join(", ")}`,
  });
}

listen(byId("main").dataset.stream, {
  message({ status, matches, tourneys, servers, alarms }) {
    showMatches(matches);
    showTourneys(tourneys);
    showServers(servers);
    showAlarms(alarms);
    showStatus(status);
  },
});
