// The connection of a page with the daemon, and how the page says whether it has one.

/**
 * Listen to a stream of pictures. `handlers` maps event names to functions; "message" is the picture itself.
 *
 * The browser comes back by itself after a loss, and the first thing it then gets is a whole new picture. A tab that
 * nobody sees lets its stream go: a browser has only six connections for all tabs of a site.
 */
export function listen(address, handlers) {
  const sign = document.querySelector(".live");
  const text = sign.querySelector(".live-text");
  const say = (state, word) => {
    sign.dataset.state = state;
    if (text.textContent !== word) text.textContent = word;
  };
  let source = null;
  let again = null;

  const open = () => {
    clearTimeout(again);
    source?.close();
    source = new EventSource(address);
    source.onopen = () => say("on", "live");
    source.onerror = () => {
      say("off", "reconnecting");
      // After a refusal (503, or the match is gone) the browser gives up for good: try again, slowly.
      if (source.readyState === EventSource.CLOSED) again = setTimeout(open, 5000 + 5000 * Math.random());
    };
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => handle(JSON.parse(event.data)));
    }
  };
  const pause = () => {
    clearTimeout(again);
    source?.close();
    say("off", "paused");
  };

  document.addEventListener("visibilitychange", () => (document.visibilityState === "visible" ? open() : pause()));
  if (document.visibilityState === "visible") open();
}
