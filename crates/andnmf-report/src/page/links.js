// Deep links: the fragment of the address names a section, a component or a pair of components, and how they are shown:
// "#component-5&relevance=0.4", "#pair-3-7", "#components&search=tree&sort=name".

const links = (() => {
  const options = new Map();
  const targets = [];
  let shown = "";
  let waiting = null;

  /** The target and the options of a fragment; damaged parts are ignored. */
  function parse(fragment) {
    const decode = (text) => { try { return decodeURIComponent(text); } catch { return ""; } };
    const [target, ...parts] = fragment.replace(/^#/, "").split("&");
    return { target: decode(target), given: new Map(parts.filter((part) => part.includes("=")).map((part) => part.split(/=(.*)/s).slice(0, 2).map(decode))) };
  }

  function fragment() {
    const parts = [...options].filter(([, { value, usual }]) => value() !== usual).map(([name, { value }]) => `${name}=${encodeURIComponent(value())}`);
    return `#${[shown, ...parts].join("&")}`;
  }

  /** Writes the address, at most a few times per second: browsers refuse to write more often. */
  function write() {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      // Pages inside others (notebooks) have no address of their own.
      try { history.replaceState(null, "", fragment()); } catch { /* no link then */ }
    }, 250);
  }

  /** Shows what a fragment names. */
  function open(address) {
    const { target, given } = parse(address);
    for (const [name, option] of options) option.set(given.get(name) ?? option.usual);
    if (target === "") return;
    shown = target;
    for (const [pattern, show] of targets) {
      const found = pattern.exec(target);
      if (found) return show(...found.slice(1));
    }
    bring(document.getElementById(target));
  }

  /** Handled here, since a plain link inside a notebook would lead to the notebook's page. */
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const { target, given } = parse(link.getAttribute("href"));
    shown = target;
    try { history.pushState(null, "", given.size > 0 ? link.getAttribute("href") : fragment()); } catch { /* no history then */ }
    const place = document.getElementById(target);
    const handled = targets.find(([pattern]) => pattern.test(target));
    if (handled) handled[1](...handled[0].exec(target).slice(1));
    else bring(place);
    // The keyboard goes on from there, as after a plain link.
    if (place && !place.hasAttribute("tabindex")) place.tabIndex = -1;
    place?.focus({ preventScroll: true });
  });
  addEventListener("popstate", () => open(location.hash));

  /** Scrolls to a place, and again when cards that came into sight have taken their sizes. */
  function bring(place) {
    place?.scrollIntoView();
    requestAnimationFrame(() => requestAnimationFrame(() => place?.scrollIntoView()));
  }

  return {
    open,
    bring,
    /** Registers what to do for targets of this pattern. */
    target: (pattern, show) => targets.push([pattern, show]),
    /** Registers an option with its usual value, which links omit. */
    option: (name, usual, value, set) => options.set(name, { usual, value, set }),
    /** Notes that an option has changed, or what the reader looks at. */
    changed: (target) => { if (target !== undefined) shown = target; write(); },
  };
})();
