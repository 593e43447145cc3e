// The base-score curve as a step line; coordinator/web/curve.py draws the same on the server.

import { matchTime, whole } from "./wording.js";

const WIDTH = 1000;
const HEIGHT = 100;
const HEADROOM = 1.15;
const APART = 16;
const SVG = "http://www.w3.org/2000/svg";

/** Draw the steps [t_ms, base] up to the match clock into the frame that the server made. */
export function drawCurve(frame, steps, tMs) {
  frame.dataset.drawn = steps.length ? "yes" : "no";
  if (!steps.length) return;
  const begin = steps[0][0];
  const last = steps[steps.length - 1];
  const end = Math.max(tMs, last[0], begin + 1);
  const top = Math.max(Math.max(...steps.map(([, base]) => base)) * HEADROOM, 1);
  const x = (t) => (((t - begin) / (end - begin)) * WIDTH).toFixed(1);
  const y = (base) => (HEIGHT - (base / top) * HEIGHT).toFixed(1);

  let line = `M0 ${y(steps[0][1])}`;
  for (const [t, base] of steps.slice(1)) line += `H${x(t)}V${y(base)}`;
  line += `H${WIDTH}`;
  frame.querySelector(".line").setAttribute("d", line);
  frame.querySelector(".area").setAttribute("d", `${line}V${HEIGHT}H0Z`);

  const heights = [];
  for (const base of [last[1], Math.max(...steps.map(([, one]) => one)), steps[0][1]]) {
    if (heights.every(([, at]) => Math.abs(parseFloat(at) - y(base)) >= APART)) {
      heights.push(["100%", `${y(base)}%`, whole(base)]);
    }
  }
  const times = [0, 1, 2].map((part) => [
    `${part * 50}%`, "100%", matchTime(begin + Math.floor(((end - begin) * part) / 2)),
  ]);
  label(frame.querySelector(".heights"), heights);
  label(frame.querySelector(".times"), times);
}

function label(group, words) {
  while (group.children.length > words.length) group.lastElementChild.remove();
  while (group.children.length < words.length) group.append(document.createElementNS(SVG, "text"));
  words.forEach(([x, y, text], place) => {
    const node = group.children[place];
    node.setAttribute("x", x);
    node.setAttribute("y", y);
    if (node.textContent !== text) node.textContent = text;
  });
}
