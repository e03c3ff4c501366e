// SPDX-License-Identifier: Apache-2.0
//
// The console of a host. It asks POST /control what `gatehouse ctl` asks the control socket, and hears from GET /events what
// passes. Text from the host becomes text of the page and nothing else: no markup is ever made of it.

const tailLength = 300;
const historyLength = 50;
const childrenAtOnce = 200;
const pollPause = 1000;

// MARK: Elements

const at = (id) => document.getElementById(id);

/** Makes an element; members of `properties` that name no property of elements become attributes. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Writes a text unless it is there already, so that nothing is drawn or read out for nothing; marks it as good or bad. */
function write(element, text, isBad) {
  if (element.textContent !== String(text)) element.textContent = text;
  if (isBad !== undefined) element.classList.toggle("bad", isBad);
}

function show(element, isShown) {
  if (element.hidden === isShown) element.hidden = !isShown;
}

/** Tells what came of something, to eyes and screen readers alike. */
const announce = (text, isBad = false) => write(at("announcement"), text, isBad);

/** A word as a shell takes it. */
const quoted = (word) => (/^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

const count = (number) => (number ?? 0).toLocaleString("en");

function rate(number) {
  if (number === undefined) return "–";
  return number >= 9.95 || number === 0 ? count(Math.round(number)) : number.toFixed(1);
}

function span(nanoseconds) {
  if (nanoseconds < 1e3) return `${Math.round(nanoseconds)} ns`;
  if (nanoseconds < 1e6) return `${(nanoseconds / 1e3).toPrecision(3)} µs`;
  return `${(nanoseconds / 1e6).toPrecision(3)} ms`;
}

const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString("en-GB");

// MARK: JSON

/** Reads JSON; whole numbers that a number of this language would round stay exact. */
function parse(text) {
  return JSON.parse(text, (key, value, context) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? BigInt(context.source) : value);
}

const isBranch = (value) => typeof value === "object" && value !== null;

/** Writes JSON; on one line for an indent of 0. */
const json = (value, indent = 2) =>
  JSON.stringify(value, (key, member) => (typeof member === "bigint" ? JSON.rawJSON(member) : member), indent) ?? "nothing";

const line = (value) => json(value, 0);
const token = (key) => "/" + String(key).replaceAll("~", "~0").replaceAll("/", "~1");

// MARK: Asking the host

const changing = new Set(["clusterDrain", "clusterReload", "discard", "dispatch", "gate", "redispatch", "release", "reload", "stop"]);
const tokenKey = "gatehouse token";
let lastRequest = 0;

/** Whether the host shows nothing without a token, and nobody wants to give it. */
let isShutOut = false;

/** The header fields of a request, with the token where it is known. */
function headers(fields = {}) {
  const known = sessionStorage.getItem(tokenKey);
  return known === null ? fields : { ...fields, Authorization: `Bearer ${known}` };
}

/** Asks the host for something; throws an error with the host's own sentence when it is refused. */
async function ask(method, params = {}) {
  const isChange = changing.has(method);
  if (isChange && sessionStorage.getItem(tokenKey) === null) await askForToken();
  while (true) {
    const known = sessionStorage.getItem(tokenKey);
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++lastRequest, method, params });
    const response = await fetch("/control", { method: "POST", headers: headers({ "Content-Type": "application/json" }), body });
    const text = await response.text();
    if (response.status === 401 && (isChange || !isShutOut)) {
      // Another request may have been told, and have asked, meanwhile.
      if (sessionStorage.getItem(tokenKey) === known) await askForToken(known !== null);
      continue;
    }
    let answer;
    try {
      answer = parse(text);
    } catch {
      throw new Error(text.trim() || `the host answered ${response.status}`);
    }
    if (answer.error) throw new Error(answer.error.message ?? answer.error);
    if (!response.ok) throw new Error(answer.message ?? `the host answered ${response.status}`);
    return answer.result;
  }
}

/** The question for the token that is on the screen; nil while there is none. */
let question = null;

/** Lets the operator give the token; throws when that is not wanted. All who need it wait for the same answer. */
function askForToken(isWrong = false) {
  question ??= showQuestion(isWrong).finally(() => { question = null; });
  return question;
}

function showQuestion(isWrong) {
  const dialog = at("token-dialog");
  if (isWrong) sessionStorage.removeItem(tokenKey);
  write(at("token-note"), isWrong
    ? "The host does not know this token; it stands in the token file of the plugin http."
    : "The plugin http lets in who knows the token in its token file.", isWrong);
  at("token").value = "";
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve, reject) => {
    dialog.addEventListener("close", () => {
      const given = dialog.returnValue === "give" ? at("token").value.trim() : "";
      at("token").value = "";
      isShutOut = given === "";
      if (isShutOut) return reject(new Error("nothing was done, because no token was given"));
      sessionStorage.setItem(tokenKey, given);
      resolve();
    }, { once: true });
  });
}

/** Does what a button is for; meanwhile it cannot be pressed again. What is refused is told. */
async function press(button, body) {
  if (button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  announce("");
  try {
    await body();
  } catch (error) {
    announce(error.message, true);
  } finally {
    button.ariaBusy = "false";
  }
  refresh();
}

/** A button with the command that it stands for. */
function control(text, command, body) {
  const button = make("button", { type: "button", textContent: text });
  const words = make("code", { textContent: command });
  button.setAttribute("aria-description", command);
  button.addEventListener("click", () => press(button, body));
  return make("span", { className: "control" }, button, words);
}

// MARK: The head of the page

let status = null;
let statusMoment = 0;
let pollTimer = 0;

/** Asks for the status now, and again after a while, as long as the page can be seen. */
async function refresh() {
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
  const last = status.lastReload;
  write(at("fact-reload"), last ? `${last.result}, ${span(last.milliseconds * 1e6)}` : "none so far", last?.result === "refused");
  write(at("reload-command"), `ctl reload --expect ${status.generation}`);
  showChain(before, seconds);
  showCluster();
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
function tableRow() {
  const element = make("tr");
  const cell = (className, label, ...children) => {
    const td = make("td", { className, "data-label": label }, ...children);
    element.append(td);
    return td;
  };
  return [{ element }, cell];
}

/** Gives a table a row for each name, in this order; rows stay, so that nobody loses the place. */
function arrange(list, rows, names, rowOf) {
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

// MARK: The cluster

const mostCells = 4096;
const longestWait = 1;

/** Whether an answer about the cluster is on its way. */
let isSurveying = false;
/** The rows of the members by their names. */
const members = new Map();
/** The cells of the partitions, by number. */
const cells = [];

/** Shows the cluster that the host is a member of, nothing for a host in none. */
async function showCluster() {
  const account = status.cluster;
  show(at("cluster"), account !== undefined);
  if (account === undefined || isSurveying) return;
  isSurveying = true;
  try {
    showSurvey(await ask("cluster"), account);
  } catch (error) {
    write(at("cluster-note"), error.message, true);
  } finally {
    isSurveying = false;
  }
}

function showSurvey(survey, account) {
  const behind = survey.partitions.reduce((sum, partition) => sum + partition.lag, 0);
  write(at("cluster-note"), `${account.name}, of which this host is ${account.member}: ${count(survey.partitions.length)} partitions, ${count(behind)} actions behind, ${count(survey.deadLetters)} dead letters`, false);
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

// MARK: Problems

let shownProblems = "";
let letters = { kept: 0, letters: [] };
let knownLetters = "";

/** Shows what is wrong, each with what to do about it. */
async function showProblems(status) {
  const state = `${status.deadLetters} ${status.pid}`;
  if (status.deadLetters > 0 && (state !== knownLetters || letters.kept === 0)) {
    try {
      letters = await ask("deadLetters", { limit: 20 });
      knownLetters = state;
    } catch {
      return;
    }
  } else if (status.deadLetters === 0) {
    letters = { kept: 0, letters: [] };
  }
  const reload = status.lastReload?.result === "refused" ? status.lastReload : null;
  const ill = status.instances.filter((instance) => instance.quarantine || instance.health === "failing");
  const facts = [reload, letters, ill.map(({ id, quarantine, reason }) => [id, quarantine, reason]), status.input.rejected];
  const known = line(facts);
  if (known === shownProblems) return;
  shownProblems = known;
  const items = [];
  if (reload) items.push(reloadProblem(reload));
  for (const instance of ill) items.push(instanceProblem(instance));
  if (letters.letters.length > 1) {
    items.push(problem(`${count(letters.kept)} actions came to nothing`, "", "Mend what kept them from being done, then let them be processed once more, as if they were dispatched now.",
      control("Redispatch all", "ctl redispatch --all", () => redispatch({ all: true }))));
  }
  for (const letter of [...letters.letters].reverse()) items.push(letterProblem(letter));
  if (status.input.rejected > 0) {
    items.push(problem(`${count(status.input.rejected)} lines of input were no action`, "", "The host tells line, column and reason of each on its standard error."));
  }
  const list = at("problem-list");
  const hadFocus = list.contains(document.activeElement);
  list.replaceChildren(...items);
  show(at("problems"), items.length > 0);
  if (hadFocus) (list.querySelector("button") ?? at("reload")).focus();
}

function problem(what, reason, advice, ...controls) {
  return make("li", {},
    make("span", { className: "what", textContent: what }),
    ...(reason ? [make("span", { className: "reason mono", textContent: reason })] : []),
    make("span", { className: "advice", textContent: advice }), ...controls);
}

function reloadProblem(reload) {
  const places = (reload.problems ?? []).filter((one) => one.severity === "error").map((one) =>
    `${one.file ? `${one.file}:${one.line}:${one.column}: ` : ""}${one.pointer ? `${one.pointer}: ` : ""}${one.message}`);
  const libraries = (reload.refusals ?? []).map((one) => `${one.library ?? one.instance}: ${one.reasons.join("; ")}`);
  return problem("The last reload was refused", [...places, ...libraries].join("\n"),
    `Generation ${reload.generation} runs on untouched. Correct what is named, then reload.`);
}

function instanceProblem(instance) {
  if (!instance.quarantine) {
    return problem(`${instance.id} is failing`, instance.reason, "It says so itself; its plugin's documents know what that means.");
  }
  return problem(`${instance.id} is in quarantine`, instance.quarantine,
    "Replace its library, or let it out to try it again.",
    control("Release", `ctl release ${quoted(instance.id)}`, async () => {
      await ask("release", { name: instance.id });
      announce(`${instance.id} is out of quarantine; the configuration is reloaded`);
    }));
}

const letterAdvice = {
  "misfit": "Correct what sends it, or the plugin that should read it, then redispatch it.",
  "refused-output": "Allow the type in the instance's entry, or redispatch it to let in this one.",
  "late": "A reload had taken its instance away; redispatch it if it is still wanted.",
  "set-aside": "It has ended the process more than once; redispatch it when the plugin is mended.",
  "failed": "See why the instance could not do it, then redispatch it.",
  "quarantined": "Release the library, then redispatch it.",
  "stopped": "Redispatch it when its interceptor lets it pass, or change its settings.",
  "gated": "Open the gate, then redispatch it.",
  "refused-input": "Redispatch it to let in this one.",
  "unfinished": "See why it was not begun again, then redispatch it if it is still wanted.",
};

function letterProblem(letter) {
  const about = letter.instance ? ` at ${letter.instance}` : "";
  const from = letter.source?.input ? `${letter.source.input}:${letter.source.line}: ` : "";
  const item = problem(`${letter.type}${about}: ${letter.kind}`, from + letter.reason, letterAdvice[letter.kind] ?? "");
  const open = control("Open", `ctl dead-letters --show ${letter.id}`, async () => openLetter(letter));
  item.append(make("span", { className: "pair" }, ...(letter.action
    ? [control("Redispatch", `ctl redispatch ${letter.id}`, () => redispatch({ ids: [letter.id] }))] : []), open));
  return item;
}

/** The letter in the dialog; it is looked at and changed there, whatever else happens on the page. */
let opened = null;

function openLetter(letter) {
  opened = letter;
  write(at("letter-title"), `Dead letter ${letter.id}: ${letter.kind}`);
  write(at("letter-reason"), `${letter.instance ? `${letter.instance}: ` : ""}${letter.reason}`);
  write(at("letter-note"), letter.action ? "It is dispatched as it stands here." : "Its action was not stored with it; write one to dispatch in its place.");
  at("letter-action").value = letter.action ? json(letter.action) : "";
  write(at("letter-problem"), "");
  at("letter-dialog").showModal();
  at("letter-action").focus();
}

at("letter-redispatch").addEventListener("click", () => {
  const text = at("letter-action").value;
  const chosen = { ids: [opened.id] };
  if (!opened.action || text !== json(opened.action)) {
    try {
      chosen.action = parse(text);
    } catch (error) {
      return write(at("letter-problem"), error.message);
    }
  }
  at("letter-dialog").close();
  press(at("letter-redispatch"), () => redispatch(chosen));
});

at("letter-discard").addEventListener("click", () => {
  const { id } = opened;
  at("letter-dialog").close();
  press(at("letter-discard"), async () => {
    const { results } = await ask("discard", { ids: [id] });
    announce(results[0].reason ?? `dead letter ${id} is discarded`, results[0].became !== "discarded");
    knownLetters = "";
  });
});

at("letter-cancel").addEventListener("click", () => at("letter-dialog").close());

async function redispatch(chosen) {
  const { results } = await ask("redispatch", chosen);
  const done = results.filter((result) => result.became === "processed").length;
  const reasons = results.filter((result) => result.reason).map((result) => result.reason);
  announce(`${done} of ${results.length} processed${reasons.length ? `; ${reasons[0]}` : ""}`, done < results.length);
  knownLetters = "";
}

// MARK: Actions that pass

/** What the list shows, the newest first; as many as its bound allows. */
let entries = [];
/** What came and is not in the list yet. */
let arrived = [];
/** What came while the list stood still. */
let missed = 0;
let isPaused = false;
/** Ends the stream of what passes; nil while there is none. */
let hearing = null;
let drawing = 0;
let lastKey = 0;
let chosen = null;
let earlier;

const filter = { types: "", instance: "", text: "" };

const covers = (pattern, type) => (pattern.endsWith("*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern);
const patterns = () => filter.types.split(/[\s,]+/).filter(Boolean);

function admits(entry) {
  const types = patterns();
  if (types.length && !types.some((pattern) => covers(pattern, entry.type))) return false;
  if (filter.instance && entry.source.instance !== filter.instance) return false;
  return !filter.text || line(entry.action).toLowerCase().includes(filter.text.toLowerCase());
}

/** Makes an entry of what the watch or the journal tells. */
function entryOf(told, seconds) {
  const action = told.action;
  return { key: ++lastKey, sequence: told.sequence, seconds, type: action.type, action, source: told.source ?? {}, note: told.unwritable ?? told.misfit };
}

const origin = ({ source }) => source.instance ?? (source.input === undefined ? "" : `${source.input}:${source.line}`);

/** Hears from here on what the filter lets through; the host leaves out the rest. */
function listen() {
  hearing?.abort();
  hearing = null;
  if (document.hidden) return;
  const query = new URLSearchParams();
  const types = patterns();
  if (types.length) query.set("types", types.join(","));
  if (filter.instance) query.set("instances", filter.instance);
  hearing = new AbortController();
  hear(`/events${query.size ? `?${query}` : ""}`, hearing.signal);
}

/** Takes a stream of server-sent events, and begins anew when it has ended; an EventSource would send no token. */
async function hear(address, signal) {
  let last;
  while (!signal.aborted) {
    try {
      const response = await fetch(address, { headers: headers(last === undefined ? {} : { "Last-Event-ID": last }), signal });
      if (!response.ok) {
        const { error } = await response.json();
        throw new Error(`What passes is not told at the moment: ${error}`);
      }
      tellTail(isPaused ? pauseText() : "");
      // What came before is in the journal; what comes from here on is in the stream.
      if (status?.journal) fill();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const blocks = (rest + part.value).replaceAll("\r\n", "\n").split("\n\n");
        rest = blocks.pop();
        for (const block of blocks) last = takeEvent(block) ?? last;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!isPaused && !(error instanceof TypeError)) tellTail(error.message);
    }
    await new Promise((resolve) => setTimeout(resolve, 2 * pollPause));
  }
}

/** Takes one event of the stream; gives its id, if it has one. */
function takeEvent(block) {
  let [name, data, id] = ["message", "", undefined];
  for (const text of block.split("\n")) {
    const [, field, value] = /^([^:]*)(?:: ?(.*))?$/.exec(text) ?? [];
    if (field === "event") name = value;
    else if (field === "data") data += (data && "\n") + value;
    else if (field === "id") id = value;
  }
  if (data === "") return id;
  const told = parse(data);
  if (told.action) {
    take(told);
  } else if (name === "lost") {
    tellTail(`Some actions were not told as they passed: ${told.reason}`);
    if (status?.journal && !isPaused) fill();
  }
  return id;
}

function take(told) {
  const entry = entryOf(told, Date.now() / 1000);
  // What was on its way when the filter changed.
  if (!admits(entry)) return;
  if (isPaused) {
    missed += 1;
    tellTail(pauseText());
    return;
  }
  arrived.push(entry);
  if (arrived.length > tailLength) arrived.splice(0, arrived.length - tailLength);
  drawing ||= requestAnimationFrame(draw);
}

const pauseText = () => (missed ? `${count(missed)} more since the list was paused` : "The list stands still.");

function tellTail(text) {
  write(at("tail-note"), text);
  show(at("tail-note"), text !== "");
}

function draw() {
  drawing = 0;
  const list = at("actions");
  const isAtTop = list.scrollTop < 4;
  const height = list.scrollHeight;
  const fresh = arrived.reverse();
  arrived = [];
  const known = new Set(entries.map((entry) => entry.sequence ?? entry));
  insert(fresh.filter((entry) => !known.has(entry.sequence ?? entry)), true);
  // Whoever reads further down keeps the place.
  if (!isAtTop) list.scrollTop += list.scrollHeight - height;
  showTail();
}

function showTail() {
  show(at("tail-empty"), entries.length === 0);
  write(at("tail-empty"), filter.types || filter.instance || filter.text
    ? "Nothing that the filter lets through has passed the host." : "Nothing has passed the host since this page was opened.");
  const rows = at("actions").querySelectorAll(".entry");
  if (rows.length && !at("actions").querySelector('.entry[tabindex="0"]')) rows[0].tabIndex = 0;
  show(at("older-control"), earlier !== undefined && entries.length < tailLength);
}

function entryRow(entry, isNew = false) {
  const part = (name, text) => make("span", { className: name, textContent: text });
  const payload = entry.note ?? (entry.action.payload === undefined ? "" : line(entry.action.payload));
  const button = make("button", { type: "button", className: `entry${isNew ? " new" : ""}${entry.action.error ? " error" : ""}`, tabIndex: -1 },
    part("number", entry.sequence ?? ""), part("time", clock(entry.seconds)), part("type", entry.type),
    part("origin", origin(entry)), part("payload", payload.length > 400 ? payload.slice(0, 400) + "…" : payload));
  button.dataset.key = entry.key;
  if (chosen?.key === entry.key) button.setAttribute("aria-current", "true");
  button.addEventListener("click", () => choose(entry));
  return make("li", {}, button);
}

/** Puts entries, the newest first, where they belong: before older ones. The oldest go when there are too many. */
function insert(added, areNew = false) {
  const list = at("actions");
  let place = 0;
  for (const entry of added) {
    while (place < entries.length && entry.sequence !== undefined && entries[place].sequence > entry.sequence) place += 1;
    list.insertBefore(entryRow(entry, areNew), list.children[place] ?? null);
    entries.splice(place, 0, entry);
    place += 1;
  }
  while (entries.length > tailLength) {
    entries.pop();
    list.lastElementChild.remove();
  }
}

/** Fills the list with what the journal keeps; older ones below those that are there. */
async function fill(isOlder = false) {
  const params = { limit: historyLength };
  const types = patterns();
  if (types.length) params.types = types;
  if (filter.instance) params.instances = [filter.instance];
  if (isOlder && earlier !== undefined) params.before = earlier;
  const asked = line(filter);
  let page;
  try {
    page = await ask("history", params);
  } catch (error) {
    if (isOlder || types.length) announce(error.message, true);
    return;
  }
  if (line(filter) !== asked) return;
  earlier = page.earlier;
  const known = new Set(entries.concat(arrived).map((entry) => entry.sequence));
  insert(page.actions.filter((action) => !known.has(action.sequence)).map((told) => entryOf(told, told.time)).filter(admits).reverse());
  at("older-command").textContent = `gatehouse history --to ${(earlier ?? 1) - 1}`;
  showTail();
}

let listenTimer = 0;

/** Begins the list anew, with what the filter lets through of it and of the journal. */
function restart(delay = 0) {
  arrived = arrived.filter(admits);
  entries = entries.filter(admits);
  at("actions").replaceChildren(...entries.map((entry) => entryRow(entry)));
  showTail();
  const words = ["ctl watch", ...patterns().map(quoted)];
  if (filter.instance) words.push(`--instance ${quoted(filter.instance)}`);
  write(at("tail-command"), words.join(" "));
  earlier = undefined;
  if (status?.journal) fill();
  // The host keeps what it tells for each filter; not every letter on the way is to be one.
  clearTimeout(listenTimer);
  listenTimer = setTimeout(listen, delay);
}

function showInstances() {
  const select = at("filter-instance");
  const ids = status.instances.map((instance) => instance.id);
  const known = [...select.options].slice(1).map((option) => option.value);
  if (line(ids) === line(known)) return;
  const value = select.value;
  select.replaceChildren(select.options[0], ...ids.map((id) => make("option", { value: id, textContent: id })));
  select.value = ids.includes(value) ? value : "";
}

function pause(isOn) {
  isPaused = isOn;
  at("pause").setAttribute("aria-pressed", isOn);
  write(at("pause"), isOn ? "Go on" : "Pause");
  const hasMissed = missed > 0;
  missed = 0;
  tellTail(isOn ? pauseText() : "");
  if (!isOn && hasMissed && status?.journal) fill();
}

at("pause").addEventListener("click", () => pause(!isPaused));
at("older").addEventListener("click", (event) => press(event.currentTarget, () => fill(true)));
at("filter").addEventListener("submit", (event) => event.preventDefault());

let filterTimer = 0;
at("filter").addEventListener("input", () => {
  clearTimeout(filterTimer);
  filterTimer = setTimeout(() => {
    const types = at("filter-type").value.trim();
    const wrong = types.split(/[\s,]+/).find((type) => /\*./.test(type));
    at("filter-type").setCustomValidity(wrong ? "A * may stand at the end of a type alone." : "");
    at("filter-type").setAttribute("aria-invalid", Boolean(wrong));
    if (wrong) return tellTail(`A * may stand at the end of a type alone, not as in ${wrong}.`);
    tellTail("");
    Object.assign(filter, { types, instance: at("filter-instance").value, text: at("filter-text").value });
    restart(700);
  }, 250);
});

/** Goes to another action in the list. */
function step(by) {
  const buttons = [...at("actions").querySelectorAll(".entry")];
  if (!buttons.length) return;
  const here = buttons.indexOf(document.activeElement);
  const place = here < 0 ? Math.max(0, buttons.findIndex((button) => button.tabIndex === 0)) : here + by;
  const next = buttons[Math.min(Math.max(place, 0), buttons.length - 1)];
  for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
  next.focus();
}

at("actions").addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, End: 1e9, Home: -1e9 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  step(by);
});

// MARK: One action

/** Shows an action, what led to it, what it led to, and what it changed. */
async function choose(entry) {
  chosen = entry;
  for (const button of at("actions").querySelectorAll(".entry")) {
    const isChosen = Number(button.dataset.key) === entry.key;
    button.ariaCurrent = isChosen ? "true" : null;
    if (isChosen) button.tabIndex = 0;
    else if (button.tabIndex === 0) button.tabIndex = -1;
  }
  const number = entry.sequence;
  write(at("action-title"), number === undefined ? entry.type : `${entry.type}, action ${number}`);
  const from = origin(entry);
  write(at("action-text"), (from ? `from ${from}\n` : "") + (entry.note ? `${entry.note}\n` : "") + json(entry.action));
  show(at("action"), true);
  at("action-title").focus();
  write(at("causes-command"), number === undefined ? "" : `gatehouse history --causes ${number}`);
  write(at("changes-command"), number === undefined ? "" : `gatehouse state --at ${number}`);
  if (number === undefined) {
    const words = "Without a journal the host knows no causes and no states of then; add \"journal\" to its configuration.";
    at("causes").replaceChildren(note(words));
    at("changes").replaceChildren(note("The host does not know."));
    return;
  }
  at("causes").replaceChildren(note("looking …"));
  at("changes").replaceChildren(note("going over the journal …"));
  const fillIn = async (id, body) => {
    let content;
    try {
      content = await body();
    } catch (error) {
      content = note(error.message);
    }
    if (chosen === entry) at(id).replaceChildren(content);
  };
  await Promise.all([
    fillIn("causes", async () => causeTree(await ask("history", { causes: number }), number)),
    fillIn("changes", async () => changeTable((await ask("state", { at: number, since: number - 1 })).changes)),
  ]);
}

const note = (text) => make("p", { className: "note", textContent: text });

function causeTree(page, number) {
  if (!page.actions.length) return note("The journal does not have it yet, or not any more.");
  const known = new Map(page.actions.map((told) => [told.sequence, { told, children: [] }]));
  const roots = [];
  for (const node of known.values()) {
    const parent = known.get(node.told.cause?.of);
    (parent && parent !== node ? parent.children : roots).push(node);
  }
  const branch = ({ told, children }) => {
    const cause = told.cause.kind === "input" ? origin(told) : `${told.cause.kind}${told.source.instance ? ` of ${told.source.instance}` : ""}`;
    const button = make("button", { type: "button", textContent: `${told.sequence}  ${told.action.type}` });
    if (told.sequence === number) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => choose(entryOf(told, told.time)));
    return make("li", {}, button, make("span", { className: "note", textContent: cause }),
      ...(children.length ? [make("ul", {}, ...children.map(branch))] : []));
  };
  const tree = make("ul", { className: "causes" }, ...roots.map(branch));
  if (page.cut) tree.append(make("li", { className: "note", textContent: "More belongs to it than is shown here." }));
  return tree;
}

function changeTable(changes) {
  if (!changes.length) return note("The state was the same behind it.");
  const body = make("tbody");
  for (const { pointer, was, is } of changes.slice(0, childrenAtOnce)) {
    const cell = make("td");
    if (was !== undefined) cell.append(make("del", { textContent: line(was) }));
    if (was !== undefined && is !== undefined) cell.append(make("br"));
    if (is !== undefined) cell.append(make("ins", { textContent: line(is) }));
    body.append(make("tr", {}, make("td", { textContent: pointer || "the whole" }), cell));
  }
  const table = make("table", { className: "changes" }, body);
  if (changes.length <= childrenAtOnce) return table;
  return make("div", {}, table, note(`and ${count(changes.length - childrenAtOnce)} more`));
}

at("action-close").addEventListener("click", closeAction);

function closeAction() {
  const key = chosen?.key;
  chosen = null;
  show(at("action"), false);
  const row = at("actions").querySelector(`.entry[data-key="${key}"]`);
  row?.removeAttribute("aria-current");
  (row ?? at("filter-type")).focus();
}

// MARK: The state

/** The action behind which the state is shown; nil for that of now. */
let pastNumber = null;
/** The pointers of the open branches. */
const open = new Set();
let isTreeSeen = false;
let treeTimer = 0;

async function stateAt(pointer) {
  const params = { pointer, depth: 1 };
  if (pastNumber !== null) params.at = pastNumber;
  return ask("state", params);
}

const valueClass = (value) => (typeof value === "string" ? "value text" : "value");

/** How many members or elements a branch has, as far as that is known before it is opened. */
function size(value, isCut) {
  if (isCut) return Array.isArray(value) ? "[…]" : "{…}";
  if (Array.isArray(value)) return `[${value.length || ""}]`;
  return `{${Object.keys(value).length || ""}}`;
}

/** Makes the items of a branch; those that are open are asked for in turn. */
async function branchItems(pointer, limit = childrenAtOnce) {
  const { value, cut = [] } = await stateAt(pointer);
  if (!isBranch(value)) {
    const text = value === undefined ? "nothing" : line(value);
    return [make("li", { className: "leaf" }, make("span", { className: valueClass(value), textContent: text }))];
  }
  const closed = new Set(cut);
  const members = Object.entries(value);
  const items = [];
  for (const [key, child] of members.slice(0, limit)) {
    const place = pointer + token(key);
    const isCut = closed.has(place);
    const hasMore = isCut || (isBranch(child) && Object.keys(child).length > 0);
    items.push(hasMore ? await branchItem(key, place, size(child, isCut)) : leafItem(key, child));
  }
  if (members.length > limit) {
    const more = make("button", { type: "button", textContent: `${count(members.length - limit)} more` });
    more.addEventListener("click", async () => {
      const list = more.closest("ul");
      list.replaceChildren(...(await branchItems(pointer, limit + 5 * childrenAtOnce)));
    });
    items.push(make("li", {}, more));
  }
  return items;
}

function leafItem(key, value) {
  const text = isBranch(value) ? (Array.isArray(value) ? "[]" : "{}") : line(value);
  return make("li", { className: "leaf" }, make("span", { className: "key", textContent: `${key}: ` }),
    make("span", { className: valueClass(value), textContent: text }));
}

async function branchItem(key, pointer, words) {
  const button = make("button", { type: "button", ariaExpanded: "false" },
    make("span", { className: "key", textContent: key }), make("span", { className: "size", textContent: ` ${words}` }));
  button.dataset.pointer = pointer;
  const item = make("li", {}, button);
  const unfold = async () => {
    const list = make("ul", {}, ...(await branchItems(pointer)));
    button.ariaExpanded = "true";
    item.append(list);
  };
  button.addEventListener("click", async () => {
    const isOpen = button.ariaExpanded === "true";
    write(at("state-command"), pastNumber === null ? `ctl state ${quoted(pointer)}` : `gatehouse state --at ${pastNumber} ${quoted(pointer)}`);
    if (isOpen) {
      for (const one of [...open]) if (one === pointer || one.startsWith(pointer + "/")) open.delete(one);
      button.ariaExpanded = "false";
      item.querySelector("ul")?.remove();
    } else {
      open.add(pointer);
      await press(button, unfold);
    }
  });
  if (open.has(pointer)) await unfold();
  return item;
}

/** Texts of the leaves that were shown last, by their places; what differs is marked. */
function leafTexts() {
  const texts = new Map();
  const walk = (list, path) => {
    [...list.children].forEach((item) => {
      const key = item.querySelector(":scope > .key, :scope > button > .key")?.textContent ?? "";
      const value = item.querySelector(":scope > .value");
      if (value) texts.set(path + key, value);
      const below = item.querySelector(":scope > ul");
      if (below) walk(below, `${path}${key}/`);
    });
  };
  walk(at("tree"), "");
  return texts;
}

let treeRound = 0;

/** Reads the open parts of the state again. */
async function showState() {
  const round = ++treeRound;
  clearTimeout(treeTimer);
  const command = pastNumber === null ? "ctl state" : `gatehouse state --at ${pastNumber}`;
  if (!at("state-command").textContent.startsWith(command)) write(at("state-command"), command);
  try {
    const before = new Map([...leafTexts()].map(([place, element]) => [place, element.textContent]));
    const focused = document.activeElement?.dataset?.pointer;
    const items = await branchItems("");
    if (round !== treeRound) return;
    at("tree").replaceChildren(...items);
    for (const [place, element] of leafTexts()) {
      element.classList.toggle("changed", before.has(place) && before.get(place) !== element.textContent);
    }
    if (focused !== undefined) [...at("tree").querySelectorAll("button")].find((button) => button.dataset.pointer === focused)?.focus();
    show(at("state-note"), pastNumber !== null);
    write(at("state-note"), "This is the past, made by the reducers from the journal. Nothing here changes it.");
  } catch (error) {
    if (round !== treeRound) return;
    write(at("state-note"), error.message);
    show(at("state-note"), true);
  }
  if (round === treeRound && pastNumber === null && isTreeSeen && !document.hidden) treeTimer = setTimeout(showState, 2 * pollPause);
}

/** Keeps the slider over what the journal has. */
function showPast() {
  const slider = at("past-slider");
  show(at("past"), Boolean(status.journal) && status.journal.recorded > 0);
  if (!status.journal) return;
  const isNow = pastNumber === null;
  if (isNow || document.activeElement !== slider) {
    slider.max = status.journal.recorded;
    slider.value = isNow ? slider.max : pastNumber;
  }
  write(at("past-number"), isNow ? "now" : `${count(pastNumber)} of ${count(status.journal.recorded)}`);
}

/** Finds out once in a while where the journal begins: what is old is removed from it. */
async function findBounds() {
  try {
    const { bounds } = await ask("history", { limit: 1 });
    if (bounds) at("past-slider").min = bounds.first - 1;
  } catch { /* It stays where it was, and the host says so when a state is asked for. */ }
}

let pastTimer = 0;
at("past-slider").addEventListener("input", () => {
  pastNumber = Number(at("past-slider").value);
  at("past-now").disabled = false;
  write(at("past-number"), `${count(pastNumber)} of ${count(status?.journal?.recorded)}`);
  clearTimeout(pastTimer);
  pastTimer = setTimeout(async () => {
    showState();
    const number = pastNumber;
    if (number === 0) return write(at("past-time"), "before the first action");
    try {
      const [told] = (await ask("history", { before: number + 1, limit: 1 })).actions;
      if (pastNumber === number && told) write(at("past-time"), `${told.action.type}, ${new Date(told.time * 1000).toLocaleString("en-GB")}`);
    } catch { /* The state is shown all the same. */ }
  }, 150);
});

at("past-now").addEventListener("click", () => {
  pastNumber = null;
  at("past-now").disabled = true;
  write(at("past-time"), "");
  if (status) showPast();
  at("past-slider").focus();
  showState();
});

// MARK: Keys

const keysKey = "gatehouse keys";
at("keys-on").checked = sessionStorage.getItem(keysKey) !== "off";
at("keys-on").addEventListener("change", (event) => sessionStorage.setItem(keysKey, event.target.checked ? "on" : "off"));
at("keys").addEventListener("click", () => at("keys-dialog").showModal());
at("token-cancel").addEventListener("click", () => at("token-dialog").close("no"));

const shortcuts = {
  "/": () => at("filter-type").focus(),
  "j": () => step(1),
  "k": () => step(-1),
  "p": () => pause(!isPaused),
  "c": () => (at("chain-rows").querySelector(".switch") ?? at("chain")).focus(),
  "m": () => (at("member-rows").querySelector("button") ?? at("chain")).focus(),
  "s": () => (at("tree").querySelector("button") ?? at("past-slider")).focus(),
  "t": () => at("past-slider").focus(),
  "r": () => at("reload").focus(),
  "?": () => at("keys-dialog").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") {
    if (!at("outcome").hidden) at("outcome-close").click();
    else if (!at("action").hidden) closeAction();
    return;
  }
  if (!at("keys-on").checked || event.target.matches("input:not([type=range], [type=checkbox]), select, textarea")) return;
  const shortcut = shortcuts[event.key];
  if (!shortcut) return;
  event.preventDefault();
  shortcut();
});

// MARK: The beginning

document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    hearing?.abort();
    clearTimeout(pollTimer);
    clearTimeout(treeTimer);
  } else {
    refresh();
    restart();
    if (pastNumber === null) showState();
  }
});

new IntersectionObserver(([seen]) => {
  isTreeSeen = seen.isIntersecting;
  if (isTreeSeen && pastNumber === null) showState();
}).observe(at("state"));

await refresh();
restart();
showState();
findBounds();
setInterval(() => { if (!document.hidden && status?.journal) findBounds(); }, 60 * pollPause);
