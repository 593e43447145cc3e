// How a list on the page follows a list of data. Only text nodes are ever written: a name cannot become markup.

/** Write texts into the places of a node that are marked with data-f. */
export function fill(node, texts) {
  for (const place of node.querySelectorAll("[data-f]")) {
    const text = texts[place.dataset.f];
    if (text !== undefined && place.textContent !== String(text)) place.textContent = text;
  }
}

/** Show or hide an element. */
export function show(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
}

/**
 * Make the children of `parent` those of `items`, in that order. A child that stays is kept and updated, so that
 * focus and selection survive; a new one is a copy of `template`.
 */
export function follow(parent, items, keyOf, template, update) {
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  const wanted = new Set(items.map((item) => String(keyOf(item))));
  const present = new Map();
  for (const child of [...parent.children]) {
    if (wanted.has(child.dataset.key)) present.set(child.dataset.key, child);
    else child.remove();
  }
  let next = parent.firstElementChild;
  for (const item of items) {
    const key = String(keyOf(item));
    let child = present.get(key);
    if (!child) {
      child = template.content.firstElementChild.cloneNode(true);
      child.dataset.key = key;
    }
    update(child, item);
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
  }
  if (focused?.isConnected && document.activeElement !== focused) focused.focus({ preventScroll: true });
}

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Run `change`, then let every child of `parent` that moved glide from its old place to the new one. */
export function gliding(parent, change) {
  if (calm.matches || document.hidden) {
    change();
    return;
  }
  const before = new Map([...parent.children].map((child) => [child, child.offsetTop]));
  change();
  const leapt = [];
  for (const child of parent.children) {
    const from = before.get(child);
    const way = from === undefined ? 0 : from - child.offsetTop;
    if (from === undefined) {
      child.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 400, easing: "ease-out" });
    } else if (way) {
      child.animate([{ transform: `translateY(${way}px)` }, { transform: "none" }], {
        duration: 700,
        easing: "cubic-bezier(0.2, 0.8, 0.2, 1)",
      });
      // One place up or down is mostly somebody else's doing.
      if (Math.abs(way) > 1.5 * child.offsetHeight) leapt.push([child, way > 0 ? "--rises" : "--falls"]);
    }
  }
  // Where everybody moves, colour would tell nothing.
  if (leapt.length * 3 > parent.children.length) return;
  for (const [child, name] of leapt) {
    const tint = getComputedStyle(child).getPropertyValue(name);
    child.animate([{ backgroundColor: tint }, { backgroundColor: "transparent" }], { duration: 2400 });
  }
}
