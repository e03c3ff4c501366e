// SPDX-License-Identifier: Apache-2.0
//
// The head of the page and the chain of instances with their gates.

import { announce, ask, at, count, isShutOut, line, make, pollPause, press, quoted, rate, show, span, write } from "/console/page.js";
import { showCluster } from "/console/cluster.js";
import { showProblems } from "/console/problems.js";
import { showInstances } from "/console/actions.js";
import { showPast } from "/console/state.js";
import { showShadows } from "/console/shadows.js";

// MARK: The head of the page

export let status = null;
let statusMoment = 0;
export let pollTimer = 0;

/** Asks for the status now, and again after a while, as long as the page can be seen. */
export async function refresh() {
  clearTimeout(pollTimer);
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
  if (!document.hidden) pollTimer = setTimeout(refresh, pollPause);
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
  showCluster();
  showShadows(status);
  showProblems(status);
  showInstances();
  showPast();
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

/** The rows by the ids of their instances. */
const rows = new Map();

/** A row of a table, and what adds a cell to it; on phones a cell shows its label. */
export function tableRow() {
  const element = make("tr");
  const cell = (className, label, ...children) => {
    const td = make("td", { className, "data-label": label }, ...children);
    element.append(td);
    return td;
  };
  return [{ element }, cell];
}

/** Gives a table a row for each name, in this order; rows stay, so that nobody loses the place. */
export function arrange(list, rows, names, rowOf) {
  for (const [name, row] of rows) {
    if (names.includes(name)) continue;
    row.element.remove();
    rows.delete(name);
  }
  names.forEach((name, place) => {
    if (!rows.has(name)) rows.set(name, rowOf(name));
    const { element } = rows.get(name);
    if (list.children[place] !== element) list.insertBefore(element, list.children[place] ?? null);
  });
}

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
  for (const [name, label] of [["heard", "heard/s"], ["emitted", "emitted/s"], ["failures", "failures"], ["handle", "handle"], ["reduce", "reduce"]]) {
    row[name] = cell("number", label);
  }
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
    const reason = instance.quarantine ? "in quarantine" : instance.health === "failing" ? `failing: ${instance.reason}` : instance.follows ? `follows ${instance.follows}` : instance.partitions ? `in ${count(instance.partitions.count)} partitions` : "";
    write(row.mark, reason, Boolean(instance.quarantine) || instance.health === "failing");
  }
}

function showChain(before, seconds) {
  const old = new Map((before?.instances ?? []).map((instance) => [instance.id, instance]));
  arrange(at("chain-rows"), rows, status.instances.map(({ id }) => id), makeRow);
  for (const instance of status.instances) {
    const row = rows.get(instance.id);
    const last = old.get(instance.id);
    const perSecond = (name) => rate(last ? Math.max(0, instance[name] - last[name]) / seconds : undefined);
    const mean = ({ samples, nanoseconds }) => (samples ? span(nanoseconds / samples) : "–");
    write(row.plugin, `${instance.plugin} ${instance.version}`);
    write(row.heard, perSecond("heard"));
    write(row.emitted, perSecond("emitted"));
    const failures = instance.failures + instance.misfits + instance.refused;
    write(row.failures, count(failures), failures > 0);
    row.failures.title = `${instance.failures} reported, ${instance.misfits} decoding failures, ${instance.refused} outputs refused`;
    row.heard.title = `${count(instance.heard)} heard`;
    row.emitted.title = `${count(instance.emitted)} emitted`;
    write(row.handle, mean(instance.time.handle));
    write(row.reduce, mean(instance.time.reduce));
  }
  showGates(status);
  show(at("chain-empty"), status.instances.length === 0);
}
