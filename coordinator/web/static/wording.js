// Numbers and times as people read them; coordinator/web/wording.py says the same on the server.

const MINUS = "\u2212";

/** A score: digits in groups of three, a real minus sign. */
export function whole(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",").replace("-", MINUS);
}

/** Exact points, which come as text; empty where a match has none. */
export function points(text) {
  return text === null ? "" : text.replace("-", MINUS);
}

/** A number with its noun: "1 hand", "2 hands". */
export function count(number, one, many = `${one}s`) {
  return `${whole(number)} ${number === 1 ? one : many}`;
}

/** A time on a clock, "4:07" or "1:04:07". Parts of a second round up, so 0:00 means that it is over. */
export function matchTime(ms) {
  const all = Math.ceil(Math.max(ms, 0) / 1000);
  const two = (part) => String(part).padStart(2, "0");
  const hours = Math.floor(all / 3600);
  const minutes = Math.floor(all / 60) % 60;
  return hours ? `${hours}:${two(minutes)}:${two(all % 60)}` : `${minutes}:${two(all % 60)}`;
}

/** How long something has lasted, in its two largest units. */
export function duration(seconds) {
  let left = Math.floor(Math.max(seconds, 0));
  const parts = [];
  for (const [unit, size] of [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]]) {
    const number = Math.floor(left / size);
    left %= size;
    if (number || (unit === "s" && !parts.length)) parts.push(`${number} ${unit}`);
    else if (parts.length) break;
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

/** Where a player is: at a table, or what the player does instead. */
export function where(state, tableId) {
  return tableId === null ? state : `Table ${tableId}`;
}

/** What a list says of one firing of a start point. */
export function showInstance(instance) {
  const { places, min_players: needed } = instance;
  return {
    instance: instance.instance_id,
    status: instance.status,
    start: instance.start ?? "when it is full",
    registered: whole(instance.entered) + (places === null ? `, ${whole(needed)} needed` : ` of ${whole(places)}`),
  };
}

/** What a table server is doing. */
export function serverState(server) {
  if (!server.connected) return `away ${duration(server.away_s ?? 0)}`;
  return server.drain ? "draining" : "connected";
}
