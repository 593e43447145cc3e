// The clock to the next event. It is set by each picture and counts down by itself in between.

import { count, matchTime } from "./wording.js";

/** A countdown written into `place`. */
export class Countdown {
  #place;
  #due = null;

  constructor(place) {
    this.#place = place;
    setInterval(() => this.#show(), 200);
  }

  /** What is due next, as the view tells it: in milliseconds, in hands, or not at all. */
  set({ in_ms: inMs, in_hands: inHands }) {
    this.#due = inMs === null ? null : performance.now() + inMs;
    if (inMs === null) this.#write(inHands === null ? "" : count(inHands, "hand"));
    else this.#show();
  }

  #show() {
    if (this.#due !== null) this.#write(matchTime(this.#due - performance.now()));
  }

  #write(text) {
    if (this.#place.textContent !== text) this.#place.textContent = text;
  }
}
