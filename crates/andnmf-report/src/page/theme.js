// Light or dark: as the system says until the reader says otherwise.

const theme = (() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const listeners = [];
  let chosen = null;
  // A page opened from a file may be refused its storage.
  try { chosen = localStorage.getItem("andnmf-theme"); } catch { chosen = null; }

  const dark = () => (chosen ? chosen === "dark" : system.matches);
  const button = el("button", { type: "button", onclick: () => {
    chosen = dark() ? "light" : "dark";
    try { localStorage.setItem("andnmf-theme", chosen); } catch { /* it lasts as long as the page */ }
    apply();
  } });

  function apply() {
    document.documentElement.dataset.theme = dark() ? "dark" : "light";
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", dark() ? "Switch to the light theme" : "Switch to the dark theme");
    listeners.forEach((listener) => listener());
  }
  system.addEventListener("change", apply);
  apply();

  /** Canvases know no style sheets: they ask for colours, and are told when these change. */
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  return { button, colour, changed: (listener) => listeners.push(listener) };
})();
