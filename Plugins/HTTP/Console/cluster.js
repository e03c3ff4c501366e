// SPDX-License-Identifier: Apache-2.0
//
// The cluster that the host is a member of.

import { announce, ask, at, count, line, make, press, quoted, show, write } from "/console/page.js";
import { status } from "/console/chain.js";
import { arrange, tableRow } from "/console/rows.js";

const mostCells = 4096;
const longestWait = 1;

/** Whether an answer about the cluster is on its way. */
let isSurveying = false;
/** The rows of the members by their names. */
const members = new Map();
/** The cells of the partitions, by number. */
const cells = [];

/** Shows the cluster that the host is a member of, nothing for a host in none. */
export async function showCluster() {
  const account = status.cluster;
  show(at("cluster"), account !== undefined);
  if (account === undefined || isSurveying) return;
  isSurveying = true;
  try {
    showSurvey(await ask("cluster"), account);
  } catch (error) {
    const engine = account.engine === undefined ? "" : `; wrote to ${account.engine.address} last`;
    write(at("cluster-note"), error.message + engine, true);
  } finally {
    isSurveying = false;
  }
}

function showSurvey(survey, account) {
  const behind = survey.partitions.reduce((sum, partition) => sum + partition.lag, 0);
  write(at("cluster-note"), `${account.name}, of which this host is ${account.member}: ${count(survey.partitions.length)} partitions, ${count(behind)} actions behind, ${count(survey.deadLetters)} dead letters${engineWords(survey.engine, account.engine)}`, false);
  const lags = new Map();
  for (const { owner, lag } of survey.partitions) lags.set(owner, (lags.get(owner) ?? 0) + lag);
  const names = survey.members.map(({ name }) => name);
  arrange(at("member-rows"), members, names, memberRow);
  const heirs = survey.members.filter(({ live, draining }) => live && !draining);
  const digests = new Set(survey.members.filter(({ live }) => live).map(({ plugins }) => plugins));
  survey.members.forEach((member, place) => {
    const row = members.get(member.name);
    row.isLast = heirs.length === 1 && heirs[0].name === member.name;
    row.element.classList.toggle("gone", !member.live);
    row.swatch.className = `swatch o${place % 8}`;
    row.mark.textContent = member.name === account.member ? "this host" : "";
    row.name.title = `gatehouse ${member.version}, process ${member.process}`;
    write(row.partitions, count(member.partitions));
    write(row.behind, count(lags.get(member.name)));
    write(row.lease, member.live ? `${member.lease.toFixed(1)} s` : "gone", !member.live);
    write(row.plugins, member.plugins.slice(0, 8));
    row.plugins.classList.toggle("warn", digests.size > 1);
    row.plugins.title = digests.size > 1 ? "the members run different plugins; reload those with old ones" : member.plugins;
    row.isDraining = member.draining;
    const [words, command] = member.draining ? ["Take again", "undrain"] : ["Drain", "drain"];
    write(row.button, words);
    write(row.command, `ctl cluster ${command} ${quoted(member.name)}`);
    row.button.setAttribute("aria-label", `${words}: ${member.name}`);
    row.button.setAttribute("aria-description", row.command.textContent);
    write(row.state, member.draining ? "takes nothing " : "");
  });
  showPartitions(survey, names);
}

/** Which server the cluster writes to and how its replicas stand, where there are some or must be. */
function engineWords(engine, own) {
  if (engine === undefined || (engine.replicas.length === 0 && (own?.replicas ?? 0) === 0)) return "";
  const replicas = engine.replicas.map(({ address, online, behind }) => `${address} ${online ? `${count(behind)} bytes behind` : "copies everything"}`);
  const former = own?.former === undefined ? "" : `, for ${Math.round(own.seconds)} s in place of ${own.former}`;
  return `; writes to ${engine.address}${former}; replicas: ${replicas.join(", ") || "none"}, of which ${own?.replicas ?? 0} must confirm`;
}

function memberRow(name) {
  const [row, cell] = tableRow();
  row.swatch = make("span", { className: "swatch" });
  row.name = make("strong", { textContent: name });
  row.mark = make("span", { className: "mark" });
  cell("member", undefined, row.swatch, row.name, row.mark);
  row.partitions = cell("number", "partitions");
  row.behind = cell("number", "behind");
  row.lease = cell("number", "lease");
  row.plugins = cell("mono", "plugins");
  row.state = make("span");
  row.button = make("button", { type: "button" });
  row.command = make("code");
  cell("drain", undefined, row.state, make("span", { className: "control" }, row.button, row.command));
  row.button.addEventListener("click", () => press(row.button, () => drain(name, row)));
  return row;
}

/** Lets a member give its partitions away, or take some again. */
async function drain(name, row) {
  if (!row.isDraining && row.isLast && !row.isWarned) {
    row.isWarned = true;
    announce(`No member would be left that takes the partitions of ${name}, and nothing would be processed; press once more to drain it`, true);
    return;
  }
  row.isWarned = false;
  const answer = await ask("clusterDrain", row.isDraining ? { host: name, undo: true } : { host: name });
  if (!answer.draining) announce(`${name} takes partitions again`);
  else if (answer.partitions === 0) announce(`${name} owns no partitions, and takes none`);
  else if (answer.heirs === 0) announce(`${name} hands its partitions over, and nobody is there to take them`, true);
  else announce(`${name} hands its ${count(answer.partitions)} partitions over to ${count(answer.heirs)} of the other members`);
}

/** Shows whose each partition is, and says of which nobody takes care, or not in time. */
function showPartitions(survey, names) {
  const shown = survey.partitions.slice(0, mostCells);
  const grid = at("partition-grid");
  grid.classList.toggle("many", shown.length > 256);
  while (cells.length > shown.length) cells.pop().remove();
  while (cells.length < shown.length) {
    const cell = make("li");
    cells.push(cell);
    grid.append(cell);
  }
  const live = new Set(survey.members.filter((member) => member.live).map(({ name }) => name));
  const worries = [];
  for (const partition of survey.partitions) {
    const isOwned = live.has(partition.owner);
    const isLate = (partition.waiting ?? 0) >= longestWait;
    const words = `partition ${partition.number}: ${partition.owner === null ? "nobody's" : partition.owner + (isOwned ? "" : " (gone)")}, epoch ${partition.epoch}, ${count(partition.lag)} behind`
      + (partition.waiting === null ? "" : `, the oldest for ${partition.waiting.toFixed(1)} s`)
      + (partition.checkpoint === null ? "" : `, checkpoint ${partition.checkpoint.toFixed(1)} s ago`);
    if (!isOwned || isLate) worries.push(words);
    const cell = cells[partition.number];
    if (!cell) continue;
    const place = names.indexOf(partition.owner);
    const className = [place < 0 ? "" : `o${place % 8}`, isOwned ? "" : "nobody", isLate ? "late" : ""].filter(Boolean).join(" ");
    if (cell.className !== className) cell.className = className;
    if (cell.title !== words) {
      cell.title = words;
      cell.ariaLabel = words;
    }
  }
  write(at("partition-grid-title"), `Each partition in the colour of its owner, ${worries.length === 0
    ? "all of them taken care of"
    : `${count(worries.length)} of them without a live owner, or lagging for ${longestWait} s or longer`}.`);
  const list = at("partition-list");
  const lines = worries.slice(0, 10);
  if (line(lines) !== list.dataset.lines) {
    list.dataset.lines = line(lines);
    list.replaceChildren(...lines.map((words) => make("li", { textContent: words })));
  }
}

at("cluster-reload").addEventListener("click", (event) => press(event.currentTarget, async () => {
  const answer = await ask("clusterReload");
  announce(`${count(answer.members)} members will reload, one after the other`);
}));
