// The page of one table server.

import { fill, show } from "./rows.js";
import { listen } from "./stream.js";
import { duration, serverState, whole } from "./wording.js";

const byId = (id) => document.getElementById(id);
const main = byId("main");

listen(main.dataset.stream, {
  message({ servers }) {
    const server = servers.find(({ server_id: id }) => id === main.dataset.server);
    if (!server) return;
    const state = byId("state");
    state.className = `beneath server ${server.connected ? (server.drain ? "draining" : "connected") : "away"}`;
    fill(state, { server_state: serverState(server) });
    show(byId("why"), server.why_no_tables !== null);
    fill(byId("why"), { why: server.why_no_tables ?? "" });
    fill(byId("figures"), {
      tables: whole(server.tables),
      capacity: `of ${whole(server.capacity)}`,
      hands: whole(server.hands),
      since: duration(server.since_s),
    });
    fill(byId("facts"), {
      games: server.games.join(", "),
      peer: server.peer,
      life: server.life,
      drain: server.drain ? "yes" : "no",
    });
  },
});
