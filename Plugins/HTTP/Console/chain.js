// SPDX-License-Identifier: Apache-2.0
//
// The head of the page and the chain of instances with their gates.

import { announce, ask, at, count, isShutOut, line, make, many, meanTime, pollPause, press, quoted, rate, show, span, write } from "/console/page.js";
import { showCluster } from "/console/cluster.js";
import { showProblems } from "/console/problems.js";
import { showInstances } from "/console/actions.js";
import { showPast } from "/console/state.js";
import { showShadows } from "/console/shadows.js";
import { arrange, LongList, tableRow } from "/console/rows.js";
import { showGraph } from "/console/graph.js";
import { showInstance } from "/console/instance.js";

// MARK: The head of the page

export let status = null;
let statusMoment = 0;
export let pollTimer = 0;

/** Asks for the status now, and again after a while, as long as the page can be seen. */
export async function refresh() {
  clearTimeout(pollTimer);
  const begun = performance.now();
  try {
    const next = await ask("status");
    const moment = performance.now();
    const isSame = status !== null && status.pid === next.pid && status.uptime <= next.uptime;
    const seconds = isSame ? (moment - statusMoment) / 1000 : 0;
    if (!isSame || seconds > 0.2) {
      const before = isSame ? status : null;
      [status, statusMoment] = [next, moment];
      showStatus(before, seconds);
    } else {
      // Too soon for rates; what is true at once is shown at once.
      showGates(next);
      showProblems(next);
    }
    tellLink("connected");
  } catch {
    tellLink(isShutOut ? "the host asks for its token" : "the host does not answer");
  }
  clearTimeout(pollTimer);
  // Of a host with many instances the page is not to do nothing else.
  if (!document.hidden) pollTimer = setTimeout(refresh, Math.max(pollPause, 10 * (performance.now() - begun)));
}

function tellLink(text) {
  write(at("link"), text);
  at("link").classList.toggle("lost", text !== "connected");
}

function showStatus(before, seconds) {
  const title = status.name ?? "Gatehouse";
  write(at("name"), title);
  if (document.title !== `${title} – Gatehouse`) document.title = `${title} – Gatehouse`;
  write(at("ctl-words"), `gatehouse ctl --name ${quoted(title)}`);
  write(at("version"), `Gatehouse ${status.version}, process ${status.pid}.`);
  write(at("fact-generation"), count(status.generation));
  write(at("fact-rate"), rate(before ? (status.actions - before.actions) / seconds : undefined));
  write(at("fact-queue"), count(status.waiting));
  write(at("fact-effects"), count(status.effects));
  write(at("fact-journal"), status.journal ? `${status.journal.mode}, ${count(status.journal.recorded)}` : "none");
  show(at("try-control"), Boolean(status.journal));
  const last = status.lastReload;
  write(at("fact-reload"), last ? `${last.result}, ${span(last.milliseconds * 1e6)}` : "none so far", last?.result === "refused");
  write(at("reload-command"), `ctl reload --expect ${status.generation}`);
  showChain(before, seconds);
  showGraph(status, numbers);
  showCluster();
  showShadows(status);
  showInstance(status);
  showProblems(status);
  showInstances();
  showPast();
  document.dispatchEvent(new Event("status"));
}

/** Shows what a plan or a reload would change, has changed, or why not. */
function showOutcome(title, answer) {
  write(at("outcome-title"), title);
  write(at("outcome-text"), answer.text.trimEnd(), answer.result === "refused");
  show(at("outcome"), true);
  at("outcome-title").focus();
}

document.addEventListener("pressed", refresh);
at("plan").addEventListener("click", (event) => press(event.currentTarget, async () => {
  const answer = await ask("plan");
  showOutcome(answer.result === "refused" ? "A reload would be refused" : "Plan", answer);
}));

at("reload").addEventListener("click", (event) => press(event.currentTarget, async () => {
  const answer = await ask("reload", status ? { expect: status.generation } : {});
  showOutcome(answer.result === "refused" ? "The reload was refused" : "Reload", answer);
}));

at("outcome-close").addEventListener("click", () => {
  show(at("outcome"), false);
  at("reload").focus();
});

// MARK: The chain

/** The rows by the ids of their instances, or by their plugin after a slash. */
const rows = new Map();
/** So many instances need no filter. */
const fewRows = 12;
const numberCells = [["heard", "heard/s"], ["emitted", "emitted/s"], ["failures", "failures"], ["handle", "handle"], ["reduce", "reduce"]];

function makeRow(id) {
  const [row, cell] = tableRow();
  row.id = id;
  row.plugin = make("span");
  row.mark = make("span", { className: "mark" });
  cell("instance", undefined, make("strong", { textContent: id }), row.plugin, row.mark);
  row.button = make("button", { type: "button", className: "switch", role: "switch", ariaLabel: `gate of ${id}` });
  row.command = make("code");
  cell("gate", undefined, row.button, row.command);
  row.button.addEventListener("click", () => press(row.button, () => moveGate(row)));
  for (const [name, label] of numberCells) row[name] = cell("number", label);
  return row;
}

/** Closes an open gate and opens a closed one; one that follows the state is moved by the state. */
async function moveGate(row) {
  const wantsOpen = row.button.getAttribute("aria-checked") !== "true";
  if (!wantsOpen && row.isServer && !row.isWarned) {
    row.isWarned = true;
    announce(`Behind a closed gate ${row.id} lets this console look and change nothing, so only gatehouse ctl can open it again; press once more to close it`, true);
    return;
  }
  row.isWarned = false;
  if (row.follows) {
    await ask("dispatch", { action: { type: "host/state/merge", payload: patch(row.follows, wantsOpen) } });
    announce(`${row.id}: the state at ${row.follows} is ${wantsOpen} now, and the gate follows it`);
  } else {
    const answer = await ask("gate", { id: row.id, position: wantsOpen ? "open" : "close" });
    announce(answer.partitions === undefined
      ? `${row.id}: the gate was ${answer.was}, and is ${answer.gate}`
      : `${row.id}: the gate will be ${answer.gate} in ${count(answer.partitions)} partitions, each when it gets to it`);
  }
}

/** The merge patch that puts a value at a place of the state. */
function patch(pointer, value) {
  const keys = pointer.split("/").slice(1).map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  return keys.reduceRight((inner, key) => ({ [key]: inner }), value);
}

function gateCommand(row, isOpen) {
  if (!row.follows) return `ctl ${isOpen ? "close" : "open"} ${quoted(row.id)}`;
  return `ctl dispatch host/state/merge ${quoted(line(patch(row.follows, !isOpen)))}`;
}

function showGates(status) {
  for (const instance of status.instances) {
    const row = rows.get(instance.id);
    if (!row) continue;
    const isOpen = instance.gate === "active";
    row.follows = instance.follows;
    row.isServer = instance.plugin === "http";
    row.element.classList.toggle("bypass", !isOpen);
    row.button.setAttribute("aria-checked", isOpen);
    write(row.button, instance.gate);
    write(row.command, gateCommand(row, isOpen));
    row.button.setAttribute("aria-description", row.command.textContent);
    const reason = problem(instance) ? problem(instance) : instance.follows ? `follows ${instance.follows}` : instance.partitions ? `in ${count(instance.partitions.count)} partitions` : "";
    write(row.mark, reason, Boolean(instance.quarantine) || instance.health === "failing");
  }
}

/** What the rows show of each instance, by its id. */
let numbers = new Map();
/** The ids of the rows, in the order in which they were last put. */
let order = [];
const list = new LongList("chain", rows, () => arrangeChain());

const problem = (instance) => (instance.quarantine ? "in quarantine" : instance.health === "failing" ? `failing: ${instance.reason}` : "");

/** What takes an instance before another one, for each order that can be chosen. */
const orders = {
  problem: (one, other) => Boolean(other.problem) - Boolean(one.problem) || other.failures - one.failures,
  name: (one, other) => one.id.localeCompare(other.id, "en", { numeric: true }),
};
for (const name of ["heard", "emitted", "failures", "handle", "reduce"]) {
  orders[name] = (one, other) => (other[name] ?? 0) - (one[name] ?? 0);
}

/** What the rows show of an instance; rates are unknown before the second time. */
function measure(instance, last, seconds) {
  const perSecond = (name) => (last ? Math.max(0, instance[name] - last[name]) / seconds : undefined);
  return {
    id: instance.id, plugin: instance.plugin, problem: problem(instance),
    heard: perSecond("heard"), emitted: perSecond("emitted"),
    failures: instance.failures + instance.misfits + instance.refused,
    handle: meanTime(instance.time.handle), reduce: meanTime(instance.time.reduce),
  };
}

function showChain(before, seconds) {
  const old = new Map((before?.instances ?? []).map((instance) => [instance.id, instance]));
  numbers = new Map(status.instances.map((instance) => [instance.id, measure(instance, old.get(instance.id), seconds)]));
  show(at("chain-choice"), status.instances.length > fewRows);
  show(at("chain-empty"), status.instances.length === 0);
  arrangeChain();
}

/** Puts the rows that are wanted in order; not while somebody is at one of them, whom it would jump away from. */
function arrangeChain(isAsked = false) {
  if (isAsked || !at("chain-rows").contains(document.activeElement)) {
    const text = at("chain-text").value.trim().toLowerCase();
    let wanted = [...numbers.values()];
    if (text) wanted = wanted.filter((one) => `${one.id} ${one.plugin} ${one.problem}`.toLowerCase().includes(text));
    const first = orders[at("chain-order").value];
    if (first) wanted.sort(first);
    order = at("chain-fold").checked ? [...new Set(wanted.map(({ plugin }) => `/${plugin}`))] : wanted.map(({ id }) => id);
    show(at("chain-none"), wanted.length === 0 && numbers.size > 0);
  }
  order = order.filter((name) => name.startsWith("/") || numbers.has(name));
  arrange(at("chain-rows"), rows, list.of(order), (name) => (name.startsWith("/") ? makeFold(name.slice(1)) : makeRow(name)));
  for (const instance of status.instances) showRow(instance);
  if (at("chain-fold").checked) {
    const all = Map.groupBy(numbers.values(), ({ plugin }) => plugin);
    for (const row of rows.values()) if (row.plugins) showFold(row, all.get(row.plugins) ?? []);
  }
  showGates(status);
  list.settle();
}

function showRow(instance) {
  const row = rows.get(instance.id);
  if (!row) return;
  const found = numbers.get(instance.id);
  write(row.plugin, `${instance.plugin} ${instance.version}`);
  showNumbers(row, found);
  row.failures.title = `${instance.failures} reported, ${instance.misfits} decoding failures, ${instance.refused} outputs refused`;
  row.heard.title = `${count(instance.heard)} heard`;
  row.emitted.title = `${count(instance.emitted)} emitted`;
}

function showNumbers(row, found) {
  write(row.heard, rate(found.heard));
  write(row.emitted, rate(found.emitted));
  write(row.failures, count(found.failures), found.failures > 0);
  for (const step of ["handle", "reduce"]) write(row[step], span(found[step]));
}

// MARK: Instances of one plugin as one row

function makeFold(plugin) {
  const [row, cell] = tableRow();
  row.plugins = plugin;
  row.count = make("span");
  row.mark = make("span", { className: "mark" });
  cell("instance", undefined, make("strong", { textContent: plugin }), row.count, row.mark);
  const button = make("button", { type: "button", textContent: "Unfold", ariaLabel: `the instances of ${plugin}` });
  button.addEventListener("click", () => {
    at("chain-fold").checked = false;
    at("chain-text").value = plugin;
    list.reset();
    arrangeChain(true);
    at("chain-text").focus();
  });
  cell("gate", undefined, button);
  for (const [name, label] of numberCells) row[name] = cell("number", label);
  return row;
}

function showFold(row, all) {
  const sum = (name) => all.reduce((total, one) => (one[name] === undefined ? total : (total ?? 0) + one[name]), undefined);
  const mean = (name) => {
    const known = all.filter((one) => one[name] !== undefined);
    return known.length ? known.reduce((total, one) => total + one[name], 0) / known.length : undefined;
  };
  const ill = all.filter((one) => one.problem).length;
  write(row.count, many(all.length, "instance"));
  write(row.mark, ill ? `${count(ill)} with problems` : "", ill > 0);
  showNumbers(row, { heard: sum("heard"), emitted: sum("emitted"), failures: sum("failures") ?? 0, handle: mean("handle"), reduce: mean("reduce") });
}

for (const id of ["chain-text", "chain-order", "chain-fold"]) {
  at(id).addEventListener("input", () => {
    list.reset();
    if (status) arrangeChain(true);
  });
}
at("chain-choice").addEventListener("submit", (event) => event.preventDefault());
