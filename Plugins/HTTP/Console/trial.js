// SPDX-License-Identifier: Apache-2.0
//
// A candidate, chosen or dropped: how it differs from what runs on the recorded actions, and the button that puts it there.

import { announce, ask, at, control, count, line, make, press, show, write } from "/console/page.js";
import { choose } from "/console/action.js";
import { entryOf } from "/console/actions.js";

const note = (text) => make("p", { className: "note", textContent: text });
const kinds = ["missing", "added", "changed", "reordered"];

/** The number of the trial that is shown; an older one that still runs shows nothing any more. */
let shown = 0;

at("try").addEventListener("click", () => at("try-file").click());
at("try-file").addEventListener("change", () => {
  const [file] = at("try-file").files;
  at("try-file").value = "";
  if (file) press(at("try"), () => tryOut(file));
});

document.addEventListener("dragover", (event) => {
  if (![...event.dataTransfer.types].includes("Files") || at("try-control").hidden) return;
  event.preventDefault();
  document.body.classList.add("dropping");
});
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
document.addEventListener("drop", (event) => {
  document.body.classList.remove("dropping");
  const [file] = event.dataTransfer.files;
  if (!file || at("try-control").hidden) return;
  event.preventDefault();
  press(at("try"), () => tryOut(file));
});

/** The bytes of a file in Base64. */
function encoded(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result.slice(reader.result.indexOf(",") + 1)));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(file);
  });
}

/** Tries a file, and shows its progress and its outcome. */
async function tryOut(file) {
  const number = ++shown;
  const last = at("try-last").value;
  let trial = await ask("try", { name: file.name, content: await encoded(file), ...(last ? { last: Number(last) } : {}) });
  show(at("trial"), true);
  at("trial-title").focus();
  while (number === shown) {
    showTrial(trial);
    if (trial.stage !== "running") return announce(verdict(trial), trial.stage === "refused");
    trial = await ask("trial", { digest: trial.digest, after: trial.version });
  }
}

/** What came of a trial, in a sentence. */
function verdict({ file, stage, outcome }) {
  if (stage === "refused") return `${file} cannot take the place of what runs`;
  return outcome.same ? `${file} does the same as what runs` : `${file} differs from what runs`;
}

function showTrial(trial) {
  write(at("trial-title"), `Try ${trial.file}`);
  write(at("trial-digest"), `sha256 ${trial.digest}`);
  const progress = at("trial-progress");
  const isRunning = trial.stage === "running";
  show(progress, isRunning);
  if (isRunning) {
    if (trial.total) [progress.max, progress.value] = [trial.total, trial.done];
    else progress.removeAttribute("value");
    write(at("trial-note"), trial.total ? `${count(trial.done)} of ${count(trial.total)} actions` : "It is judged and rehearsed.");
    at("trial-outcome").replaceChildren();
    return;
  }
  if (trial.stage === "refused") {
    write(at("trial-note"), "It cannot take the place of what runs.");
    at("trial-outcome").replaceChildren(make("pre", { className: "bad", textContent: trial.reasons.join("\n") }));
    return;
  }
  const { outcome } = trial;
  write(at("trial-note"), outcome.text.split("\n")[0]);
  at("trial-outcome").replaceChildren(
    list("A swap does", trial.changes), list("Findings", outcome.findings.map((one) => one.sentence), "bad"),
    ...differences(outcome), ...states(outcome), ...first(outcome), costs(outcome),
    make("p", {}, control("Swap", `ctl swap ${trial.digest.slice(0, 12)}`, () => swap(trial))));
}

/** A list with a title; nothing for an empty one. */
function list(title, lines, className) {
  if (!lines.length) return "";
  return make("div", { className: className ?? "" }, make("h3", { textContent: title }),
    make("ul", {}, ...lines.map((text) => make("li", { textContent: text }))));
}

function table(id, heads, rows) {
  return make("div", { className: "scroll" }, make("table", { id },
    make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col", textContent: text })))),
    make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, cell)))))));
}

/** The differences by type and instance, each with its first example. */
function differences(outcome) {
  const rows = outcome.places.map(({ type, instance, counts }) => {
    const example = outcome.differences.find((one) => one.type === type && one.instance === instance);
    return [type, instance ?? "", ...kinds.map((kind) => count(counts[kind])), example ? difference(example) : ""];
  });
  for (const { type, before, now } of outcome.effects ?? []) rows.push([type, "", "", "", "", "", `begins ${before} → ${now} effects`]);
  if (!rows.length) return [];
  return [make("h3", { textContent: "What follows from the same actions" }),
    table("trial-places", ["type", "instance", ...kinds, "first"], rows)];
}

function difference({ cause, recorded, found }) {
  const cell = make("span", { className: "mono" });
  if (recorded) cell.append(make("del", { textContent: line(recorded.payload ?? null) }), " ");
  if (found) cell.append(make("ins", { textContent: line(found.payload ?? null) }), " ");
  cell.append(make("span", { className: "note", textContent: `after ${cause}` }));
  return cell;
}

function states(outcome) {
  if (!outcome.state.length) return [];
  const rows = outcome.state.slice(0, 50).map(({ pointer, instance, recorded, found }) => [pointer || "the whole", instance ?? "",
    make("span", { className: "mono" }, make("del", { textContent: line(recorded ?? null) }), " ", make("ins", { textContent: line(found ?? null) }))]);
  const since = outcome.firstStateDifference === undefined ? "" : `, for the first time after ${outcome.firstStateDifference}`;
  const parts = [make("h3", { textContent: `The state differs at ${count(outcome.state.length)} ${outcome.state.length === 1 ? "place" : "places"}${since}` }),
    table("trial-state", ["place", "instance", "value"], rows)];
  return outcome.state.length > rows.length ? [...parts, note(`and ${count(outcome.state.length - rows.length)} more`)] : parts;
}

/** What led to the first difference, each of which opens with its causes and what it changed. */
function first(outcome) {
  if (outcome.same || !outcome.causes.length) return [];
  const items = outcome.causes.map((told) => {
    const button = make("button", { type: "button", textContent: `${told.sequence}  ${told.action.type}` });
    button.addEventListener("click", () => choose(entryOf(told, told.time)));
    return make("li", {}, button, make("code", { textContent: line(told.action.payload ?? null) }));
  });
  return [make("h3", { textContent: "The first difference follows from" }), make("ul", { id: "trial-causes", className: "causes" }, ...items)];
}

function costs(outcome) {
  if (!outcome.costs) return "";
  const { keptBytes, processorSeconds, instructions } = outcome.costs;
  const rows = Object.entries(instructions).map(([type, { part, steps, before, now }]) =>
    [`instructions ${part === "answers" ? "to answer" : "of"} ${type}`, count(Math.round(before / steps)), count(Math.round(now / steps))]);
  rows.push(["bytes that stay allocated", count(keptBytes.before), count(keptBytes.now)],
    ["processor time (decides nothing)", `${processorSeconds.before.toFixed(2)} s`, `${processorSeconds.now.toFixed(2)} s`]);
  return make("details", {}, make("summary", { textContent: "Costs" }), table("trial-costs", ["", "before", "candidate"], rows));
}

/** Puts exactly the bytes that were tried in the place of what runs. */
async function swap(trial) {
  const answer = await ask("swap", { digest: trial.digest });
  announce(answer.text.trim(), answer.result === "refused");
  if (answer.result === "refused") return;
  shown += 1;
  show(at("trial"), false);
  at("try").focus();
}

at("trial-close").addEventListener("click", () => {
  shown += 1;
  show(at("trial"), false);
  at("try").focus();
});
