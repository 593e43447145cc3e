// The connection of a page with the daemon, and how the page says whether it has one.

/**
 * Listen to a stream of pictures. `handlers` maps event names to functions; "message" is the picture itself.
 * The browser comes back by itself after a loss, and the first thing it then gets is a whole new picture.
 */
export function listen(address, handlers) {
  const sign = document.querySelector(".live");
  const text = sign.querySelector(".live-text");
  const say = (state, word) => {
    sign.dataset.state = state;
    if (text.textContent !== word) text.textContent = word;
  };
  let source;
  const open = () => {
    source = new EventSource(address);
    source.onopen = () => say("on", "live");
    source.onerror = () => {
      say("off", "reconnecting");
      // After a refusal (503, or the match is gone) the browser gives up for good: try again, slowly.
      if (source.readyState === EventSource.CLOSED) setTimeout(open, 5000 + 5000 * Math.random());
    };
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => handle(JSON.parse(event.data)));
    }
  };
  say("off", "connecting");
  open();
  // A page that is left must not hold its stream open while the browser keeps it for the way back.
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => event.persisted && open());
}
