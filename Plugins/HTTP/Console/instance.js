// SPDX-License-Identifier: Apache-2.0
//
// One instance: what it is, what it has done, how it is, what it has under way, and what happened to it.

import { ask, at, bytes, clock, count, json, line, make, meanTime, offer, press, quoted, show, span, write } from "/console/page.js";
import { marks, wordsOf } from "/console/hour.js";
import { letterProblem } from "/console/problems.js";

const [shownEffects, shownLetters, shownMarks, shownGenerations] = [20, 10, 12, 10];

/** The last status. */
let status = null;
let chosen = "";
/** What each list shows, so that it is made anew only for something else. */
const known = new Map();
let lettersOf = "";
let generationsOf = "";
let isAsking = false;

/** Shows the chosen instance as a status has it. */
export async function showInstance(next) {
  status = next;
  offer(at("instance-of"), next.instances.map(({ id }) => id));
  chosen = at("instance-of").value;
  const instance = next.instances.find(({ id }) => id === chosen);
  show(at("instance-body"), Boolean(instance));
  write(at("instance-command"), "ctl status --json");
  if (!instance) return;
  showFacts(instance);
  showMarks();
  if (isAsking) return;
  isAsking = true;
  try {
    await showEffects(instance);
    await showLetters();
    await showGenerations();
    write(at("instance-note"), "", false);
  } catch (error) {
    write(at("instance-note"), error.message, true);
  } finally {
    isAsking = false;
  }
}

/** Fills a list of terms and what they are, without touching what stays. */
function fill(list, pairs) {
  const names = pairs.map(([name]) => name);
  if (known.get(list.id) !== line(names)) {
    known.set(list.id, line(names));
    list.replaceChildren(...names.map((name) => make("div", {}, make("dt", { textContent: name }), make("dd"))));
  }
  pairs.forEach(([, value, isBad = false], index) => write(list.children[index].lastChild, value, isBad));
}

function showFacts(instance) {
  const { worker } = instance;
  const placed = { default: "by the default", digest: "by its digest", version: `by version ${instance.workerVersion}` }[instance.placedBy];
  const gate = [instance.gate, instance.follows ? `follows the state at ${instance.follows}` : "", instance.partitions ? `in ${count(instance.partitions.count)} partitions, open in ${count(instance.partitions.active)}` : ""];
  fill(at("instance-facts"), [
    ["plugin", `${instance.plugin} ${instance.version}`],
    ["library", instance.library ?? "linked in"],
    ["health", instance.health === "failing" ? `failing: ${instance.reason}` : "ok", instance.health === "failing"],
    ["gate", gate.filter(Boolean).join(", ")],
    ["state", instance.slice ?? "none"],
    ["runs in", [instance.placement, placed].filter(Boolean).join(", ")],
    ...(worker ? [
      ["worker", worker.pid === null ? "none runs" : `process ${worker.pid}, ${count(worker.waiting)} orders waiting`],
      ["memory", worker.memory === null ? "unknown" : `${bytes(worker.memory)}${worker.peak === null ? "" : `, at most ${bytes(worker.peak)}`}`],
      ["deaths", count(worker.deaths), worker.deaths > 0],
    ] : []),
    ...(instance.quarantine ? [["quarantine", instance.quarantine, true]] : []),
    ...(instance.standing ? [["missed", `${count(instance.standing.missed)} actions since action ${count(instance.standing.at)}`, true]] : []),
  ]);
  const bad = new Set(["refused", "misfits", "failures"]);
  fill(at("instance-counts"), [
    ...["heard", "emitted", "stopped", "dropped", "refused", "misfits", "failures", "effects"]
      .map((name) => [name, count(instance[name]), bad.has(name) && instance[name] > 0]),
    ...["handle", "reduce", "io"].map((stage) => [stage, span(meanTime(instance.time[stage]))]),
  ]);
  const own = [
    ...Object.entries(instance.counts ?? {}).map(([name, number]) => [name, count(number)]),
    ...Object.entries(instance.gauges ?? {}).map(([name, number]) => [name, number.toLocaleString("en")]),
    ...Object.entries(instance.times ?? {}).map(([name, time]) => [name, time.count ? `${count(time.count)} times, ${span((time.seconds * 1e9) / time.count)} on average` : "0 times"]),
  ];
  fill(at("instance-own"), own);
  show(at("instance-own-part"), own.length > 0);
}

/** Puts lines into a list unless they are there already; tells of nothing in words. */
function list(name, lines, nothing) {
  const shown = line(lines);
  if (known.get(name) === shown) return;
  known.set(name, shown);
  at(name).replaceChildren(...(lines.length ? lines : [nothing]).map((text) => make("li", { textContent: text })));
}

const fate = { again: "begins again if it is interrupted", tell: "is reported if it is interrupted" };

async function showEffects(instance) {
  write(at("effects-command"), `ctl effects ${quoted(chosen)}`);
  const id = chosen;
  const { effects, count: all, pauses } = instance.effects > 0 ? await ask("effects", { instances: [id], limit: shownEffects }) : { effects: [], count: 0, pauses: 0 };
  if (id !== chosen) return;
  write(at("now-command"), `ctl now ${quoted(id)}`);
  write(at("now-pauses"), `${count(pauses)} ${pauses === 1 ? "waits" : "wait"} for a later moment`);
  show(at("now-control"), pauses > 0);
  const lines = effects.map((effect) =>
    `${effect.type ?? "an action"}${effect.action === undefined ? "" : `, action ${effect.action}`}: attempt ${count(effect.attempt)}; ${fate[effect.recovery] ?? "is forgotten if it is interrupted"}`);
  if (all > effects.length) lines.push(`${count(all - effects.length)} more`);
  list("instance-effects", lines, instance.effects > 0 ? `${count(instance.effects)} of its own, which no action has started` : "none");
}

async function showLetters() {
  const now = `${chosen} ${status.deadLetters} ${status.pid}`;
  if (now === lettersOf) return;
  const id = chosen;
  const letters = status.deadLetters > 0 ? (await ask("deadLetters")).letters : [];
  if (id !== chosen) return;
  const own = letters.filter(({ instance }) => instance === id).reverse();
  lettersOf = now;
  const items = own.slice(0, shownLetters).map(letterProblem);
  if (own.length > shownLetters) items.push(make("li", { textContent: `${count(own.length - shownLetters)} older ones` }));
  at("instance-letters").replaceChildren(...(items.length ? items : [make("li", { textContent: "none" })]));
}

/** Tells what the journal has of its versions, settings and gates, once for each generation. */
async function showGenerations() {
  show(at("generations-part"), Boolean(status.journal));
  const now = `${chosen} ${status.generation} ${status.pid}`;
  if (!status.journal || now === generationsOf) return;
  const id = chosen;
  write(at("generations-command"), `ctl generations ${quoted(id)}`);
  const { generations, count: all } = await ask("generations", { id, limit: shownGenerations });
  if (id !== chosen) return;
  generationsOf = now;
  const items = generations.map((one) => make("li", {},
    make("strong", { textContent: one.changes.join("; ") }),
    make("div", { className: "note", textContent: `generation ${one.generation} of run ${one.run}, after action ${count(one.after)}, ${new Date(one.time * 1000).toLocaleString("en-GB")}` }),
    make("div", { className: "note", textContent: [
      ...(one.plugin ? [`${one.plugin} ${one.version}, sha256 ${one.digest.slice(0, 12)}`] : []),
      ...(one.gate ? [`gate ${one.gate}`] : []),
    ].join(", ") })));
  if (all > items.length) items.push(make("li", { textContent: `${count(all - items.length)} older ones` }));
  at("instance-generations").replaceChildren(...(items.length ? items : [make("li", { textContent: "none" })]));
}

/** Tells what the hour has of the instance, once it is known. */
function showMarks() {
  write(at("marks-command"), `ctl hour ${quoted(chosen)}`);
  if (marks === null) return;
  const own = marks.filter(({ id, event }) => event !== "start" && (id === undefined || id === chosen))
    .map((mark) => `${clock(mark.moment)} ${wordsOf(mark)[1]}${mark.event === "reload" ? " runs" : ""}`);
  list("instance-marks", own.slice(-shownMarks).reverse(), "nothing in the last hour");
}

/** Shows another instance, and goes there. */
function choose(id, goes = false) {
  chosen = id;
  at("instance-of").value = id;
  lettersOf = "";
  show(at("instance-settings"), false);
  write(at("entry-command"), `ctl entry ${quoted(id)}`);
  if (status) showInstance(status);
  if (goes) at("instance-of").focus();
}

at("instance-of").addEventListener("change", () => choose(at("instance-of").value));
at("chain-rows").addEventListener("click", (event) => {
  const name = event.target.closest("td.instance strong");
  if (name) choose(name.textContent, true);
});
at("effects-now").addEventListener("click", () => press(at("effects-now"), () => ask("now", { id: chosen })));
at("entry-show").addEventListener("click", () => press(at("entry-show"), async () => {
  const id = chosen;
  const { entry } = await ask("entry", { id });
  if (id !== chosen) return;
  write(at("instance-settings"), json(entry));
  show(at("instance-settings"), true);
}));
document.addEventListener("pressed", () => { lettersOf = ""; });
