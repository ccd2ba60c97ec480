// The page from its data.

const report = JSON.parse(document.getElementById("report-data").textContent);
const summary = report.summary ?? {};
const about = { ...report, summary };
const aboutFit = report.summary !== null;

const content = document.getElementById("content");
content.replaceChildren(
  el("p", { class: "eyebrow" }, "andnmf report"),
  el("h1", {}, report.title),
  ...(aboutFit ? [verdictCard(summary), overview(about)] : []),
  ...(report.methods.length > 0 ? [methods(report)] : []),
  ...(report.trace?.stage.length > 0 ? [convergence(report)] : []),
);
const [componentsPart, activityPart] = report.components ? componentSections(report) : [];
if (componentsPart) content.append(componentsPart);
if (report.correlations) content.append(correlationSection(report));
if (activityPart) content.append(activityPart);
content.append(...report.sections.map(extraSection));
document.getElementById("footer").append(`Made by ${report.made_by}. Everything shown is in this file.`);

// Navigation: a link per section; the one being read is marked.
const sections = [...content.querySelectorAll(":scope > section")];
const titleOf = (section) => (section.id === "verdict" ? "Verdict" : section.querySelector("h2").textContent);
const links = sections.map((section) => el("a", { href: `#${section.id}` }, titleOf(section)));
document.getElementById("navigation").append(el("div", { class: "bar" }, el("div", { class: "links" }, links), theme.button));

function follow() {
  // A little below where a section stands after its link was followed.
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
addEventListener("scroll", follow, { passive: true });
follow();
