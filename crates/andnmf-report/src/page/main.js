// Builds the page from its data.

const report = JSON.parse(document.getElementById("report-data").textContent);
const summary = report.summary ?? {};
const reportData = { ...report, summary };
const hasSummary = report.summary !== null;

const content = document.getElementById("content");
content.replaceChildren(
  el("p", { class: "eyebrow" }, "andnmf report"),
  el("h1", {}, report.title),
  ...(hasSummary ? [verdictCard(summary), overview(reportData)] : []),
  ...(report.methods.length > 0 ? [methods(report)] : []),
  ...(report.trace?.stage.length > 0 ? [convergence(report)] : []),
);
const [componentsPart, activityPart] = report.components ? componentSections(report) : [];
if (componentsPart) content.append(componentsPart);
if (report.correlations) content.append(correlationSection(report));
if (activityPart) content.append(activityPart);
content.append(...report.sections.map(extraSection));
document.getElementById("footer").append(`Made by ${report.made_by}. This file contains all the data shown.`);

// Navigation: one link per section; the current section is marked.
const sections = [...content.querySelectorAll(":scope > section")];
const titleOf = (section) => (section.id === "verdict" ? "Verdict" : section.querySelector("h2").textContent);
const links = sections.map((section) => el("a", { href: `#${section.id}` }, titleOf(section)));
document.getElementById("navigation").append(el("div", { class: "bar" }, el("div", { class: "links" }, links), theme.button));

function markCurrentSection() {
  // Slightly below the top of a section after a click on its link.
  const line = 140;
  const atEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
  const reached = sections.filter((section) => section.getBoundingClientRect().top <= line);
  const current = atEnd && scrollY > 0 ? sections.at(-1) : reached.at(-1) ?? sections[0];
  links.forEach((link, i) => {
    if (sections[i] !== current) return link.removeAttribute("aria-current");
    if (!link.hasAttribute("aria-current")) {
      link.setAttribute("aria-current", "true");
      link.parentElement.scrollTo({ left: link.offsetLeft - link.parentElement.offsetLeft - 40 });
    }
  });
}
addEventListener("scroll", markCurrentSection, { passive: true });
markCurrentSection();
