// Light or dark theme: the system setting, or the reader's choice.

const theme = (() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const listeners = [];
  let chosen = null;
  // Browsers may deny storage to pages opened from a file.
  try { chosen = localStorage.getItem("andnmf-theme"); } catch { chosen = null; }

  const dark = () => (chosen ? chosen === "dark" : system.matches);
  const button = el("button", { type: "button", onclick: () => {
    chosen = dark() ? "light" : "dark";
    try { localStorage.setItem("andnmf-theme", chosen); } catch { /* the choice lasts until the page is closed */ }
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

  /** Canvases do not follow style sheets: they read colours here and redraw on a change of theme. */
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  return { button, colour, onChange: (listener) => listeners.push(listener) };
})();
