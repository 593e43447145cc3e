// The live page of a match: one picture in, the whole page follows.

import { Countdown } from "./clock.js";
import { drawCurve } from "./curve.js";
import { fill, follow, gliding, show } from "./rows.js";
import { listen } from "./stream.js";
import { count, matchTime, points, serverState, where, whole } from "./wording.js";

const EVENTS_SHOWN = 40;

const byId = (id) => document.getElementById(id);
const main = byId("main");
const own = main.dataset.own;
const figures = byId("figures");
const countdown = new Countdown(figures.querySelector('[data-f="clock"]'));

function showHead(match, over) {
  main.classList.toggle("over", over);
  const status = byId("status");
  status.className = `pill is-${match.status}`;
  if (status.textContent !== match.status) status.textContent = match.status;
  for (const stage of match.stages) {
    const step = [...byId("stages").children].find((child) => child.dataset.key === stage.id);
    if (!step) continue;
    step.className = `is-${stage.state}`;
    if (stage.state === "now") step.setAttribute("aria-current", "step");
    else step.removeAttribute("aria-current");
  }
  show(byId("halted"), match.halted !== null);
  fill(byId("halted"), { halted: match.halted ?? "" });
  show(byId("draining"), match.draining);
  show(byId("owed"), match.owed > 0);
  fill(byId("owed"), { owed: count(match.owed, "award") });
  show(byId("secret"), match.secret !== null);
  fill(byId("secret"), { secret: match.secret ?? "" });
}

function showFigures(match, over) {
  const { clock } = match;
  // Hands that began earlier are played to their end at the base of their beginning.
  const played = match.tables.filter((table) => table.in_hand).map((table) => table.base_score);
  const others = [...new Set(played)].filter((base) => base !== match.base_score).sort((one, two) => one - two);
  show(figures.querySelector(".clock"), !over && clock.label !== null);
  show(byId("bout-figure"), match.bout_no > 0);
  show(byId("waiting-figure"), !over);
  fill(figures, {
    clock_label: clock.label === null ? "" : `${clock.label[0].toUpperCase()}${clock.label.slice(1)} in`,
    base: whole(match.base_score),
    base_also: others.length ? `also ${others.map(whole).join(", ")}` : "",
    players_label: over ? "Players" : "Players in",
    remaining: whole(over ? match.players : match.remaining),
    players: over ? "" : `of ${whole(match.players)}`,
    bout: match.bout_no,
    bouts: match.bouts ? `of ${match.bouts}` : "",
    hands: whole(match.hands),
    waiting: whole(match.waiting),
    byes: match.byes.length ? `bye: ${match.byes.join(", ")}` : "",
  });
  countdown.set(clock);
}

function linkWhy(row, match, line) {
  const path = `/matches/${encodeURIComponent(match.match_id)}/why/${encodeURIComponent(line.player_id)}`;
  row.querySelector(".why").pathname = path;
}

function showStandings(match) {
  byId("standings").classList.toggle("with-points", match.standings.some((line) => line.points !== null));
  const cut = match.standings_total > match.standings.length;
  byId("standings-count").textContent = cut
    ? `first ${whole(match.standings.length)} of ${whole(match.standings_total)}`
    : "";
  const body = byId("standings").tBodies[0];
  gliding(body, () =>
    follow(body, match.standings, (line) => line.player_id, byId("standing-row"), (row, line) => {
      row.className = `is-${line.state}`;
      row.classList.toggle("own", line.player_id === own);
      row.querySelector("a").search = new URLSearchParams({ player: line.player_id });
      linkWhy(row, match, line);
      fill(row, {
        rank: line.rank,
        name: line.name,
        score: whole(line.score),
        points: points(line.points),
        where: where(line.state, line.table_id),
      });
    }),
  );
}

function showTables(match, over) {
  show(byId("tables-panel"), !over);
  byId("tables-count").textContent = count(match.tables_total, "table");
  follow(byId("tables"), match.tables, (table) => table.table_id, byId("table-card"), (card, table) => {
    const repeated = table.attempt_no > 1;
    card.className = "table-card";
    if (table.interrupted) card.classList.add("interrupted");
    else if (repeated) card.classList.add("repeated");
    else if (!table.in_hand) card.classList.add("between");
    const rest = !table.in_hand && !table.interrupted ? " over" : "";
    fill(card, {
      table_id: table.table_id,
      mark: table.interrupted ? "interrupted" : repeated ? `attempt ${table.attempt_no}` : "",
      hand: table.hand_no ? `hand ${table.hand_no}${rest}, base ${whole(table.base_score)}` : "not started",
      server: table.server_id ?? "waits for a table server",
    });
    follow(card.querySelector("tbody"), table.players, (seat) => seat.player_id, byId("seat-row"), (row, seat) => {
      row.classList.toggle("own", seat.player_id === own);
      fill(row, { seat_name: seat.name, seat_score: whole(seat.score) });
    });
  });
}

function showEvents(match) {
  const events = match.events.slice(0, EVENTS_SHOWN);
  follow(byId("events"), events, (event) => event.no, byId("event-row"), (row, event) => {
    row.className = `event is-${event.kind}`;
    fill(row, { event_time: matchTime(event.t_ms), kind: event.kind, text: event.text });
  });
}

function showResult(match, over) {
  const final = over && match.places.length > 0;
  show(byId("result"), over);
  show(byId("places-panel"), final);
  show(byId("standings-panel"), !final);
  follow(byId("podium"), match.places.slice(0, 3), (line) => line.place, byId("podium-step"), (step, line) =>
    fill(step, { name: line.name, score: whole(line.score), place: line.place }),
  );
  const body = byId("places").tBodies[0];
  follow(body, match.places, (line) => line.player_id, byId("place-row"), (row, line) => {
    row.classList.toggle("own", line.player_id === own);
    linkWhy(row, match, line);
    const out = line.disqualified ? "disqualified" : (line.out_in ?? "");
    fill(row, { place: line.place, name: line.name, score: whole(line.score), out_in: out });
  });
}

function showMatch(match) {
  const over = match.status === "over";
  showHead(match, over);
  showFigures(match, over);
  showResult(match, over);
  showStandings(match);
  drawCurve(byId("curve"), match.base_curve, match.t_ms);
  showTables(match, over);
  showEvents(match);
}

function showServers(servers) {
  follow(byId("servers"), servers, (server) => server.server_id, byId("server-chip"), (chip, server) => {
    chip.className = `server ${server.connected ? (server.drain ? "draining" : "connected") : "away"}`;
    chip.querySelector("a").pathname = `/servers/${encodeURIComponent(server.server_id)}`;
    fill(chip, {
      server_id: server.server_id,
      server_state: serverState(server),
      server_tables: `${whole(server.tables)} of ${count(server.capacity, "table")}`,
    });
  });
}

function showOwn(player) {
  const out = player.out_in === null ? "" : ` in ${player.out_in}`;
  fill(byId("own"), {
    own_rank: player.place ?? player.rank,
    own_name: player.name,
    own_where: where(player.state, player.table_id) + out,
    own_score: whole(player.score),
  });
}

const query = own ? `?${new URLSearchParams({ player: own })}` : "";
listen(main.dataset.stream + query, { message: showMatch, servers: showServers, player: showOwn });
