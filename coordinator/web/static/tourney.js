// The page of one tourney: whenever something moved in the daemon, it is read again as a whole.

import { fill, follow } from "./rows.js";
import { listen } from "./stream.js";
import { showInstance, whole } from "./wording.js";

const byId = (id) => document.getElementById(id);
const main = byId("main");
let reading = false;

async function read() {
  if (reading) return;
  reading = true;
  try {
    const answer = await fetch(main.dataset.json, { headers: { accept: "application/json" } });
    if (answer.ok) show(await answer.json());
  } finally {
    reading = false;
  }
}

function show(tourney) {
  byId("now").textContent = tourney.now;
  follow(byId("instances"), tourney.instances, (each) => each.instance_id, byId("instance-row"), (row, each) => {
    row.className = `is-${each.status}`;
    row.querySelector(".pill").className = `pill is-${each.status}`;
    fill(row, { title: tourney.title, ...showInstance(each) });
  });
  follow(byId("linked"), tourney.matches, (match) => match.match_id, byId("linked-row"), (row, match) => {
    row.className = `is-${match.status}`;
    row.querySelector(".pill").className = `pill is-${match.status}`;
    row.querySelector("a").pathname = `/matches/${encodeURIComponent(match.match_id)}`;
    fill(row, {
      match: match.match_id,
      status: match.status,
      players: whole(match.players),
      reason: match.reason,
    });
  });
  follow(byId("owed"), tourney.owed, (due) => due.key, byId("due-row"), (row, due) =>
    fill(row, {
      player: due.player_id,
      kind: due.kind,
      items: Object.entries(due.items).map(([item, amount]) => `${whole(amount)} ${item}`).join(", "),
      lobby: due.lobby,
    }),
  );
}

listen(main.dataset.stream, { message: read });
