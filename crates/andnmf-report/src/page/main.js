// Builds the page from its data.

const report = JSON.parse(document.getElementById("report-data").textContent);
const summary = report.summary ?? {};
const reportData = { ...report, summary };
const hasSummary = report.summary !== null;

const content = document.getElementById("content");
const [componentsPart, activityPart] = report.components ? componentSections(reportData) : [];
// Components first: how they were found is for those who doubt them.
content.replaceChildren(...[
  el("p", { class: "eyebrow" }, "andnmf report"),
  el("h1", {}, report.title),
  hasSummary && verdictCard(summary),
  report.methods.length > 0 && methods(report),
  componentsPart,
  report.correlations && correlationSection(report),
  hasErrors(report) && errorsSection(reportData),
  activityPart,
  hasRankCurve(summary) && rankSection(reportData),
  hasSummary && overview(reportData),
  report.trace?.stage.length > 0 && convergence(report),
  ...report.sections.map(extraSection),
].filter(Boolean));
document.getElementById("footer").append(`Made by ${report.made_by}. This file contains all the data shown.`);

// Navigation: one link per section; the current section is marked.
const sections = [...content.querySelectorAll(":scope > section")];
const titleOf = (section) => (section.id === "verdict" ? "Verdict" : section.querySelector("h2").textContent);
const entries = sections.map((section) => el("a", { href: `#${section.id}` }, titleOf(section)));
document.getElementById("navigation").append(el("div", { class: "bar" }, el("div", { class: "links" }, entries), theme.button));

function markCurrentSection() {
  // Slightly below the top of a section after a click on its link.
  const line = 140;
  const atEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
  const reached = sections.filter((section) => section.getBoundingClientRect().top <= line);
  const current = atEnd && scrollY > 0 ? sections.at(-1) : reached.at(-1) ?? sections[0];
  entries.forEach((link, i) => {
    if (sections[i] !== current) return link.removeAttribute("aria-current");
    if (!link.hasAttribute("aria-current")) {
      link.setAttribute("aria-current", "true");
      link.parentElement.scrollTo({ left: link.offsetLeft - link.parentElement.offsetLeft - 40 });
    }
  });
}
// Charts take their places first, then the address says where to look.
requestAnimationFrame(() => { if (location.hash.length > 1) links.open(location.hash); });
addEventListener("scroll", markCurrentSection, { passive: true });
markCurrentSection();
