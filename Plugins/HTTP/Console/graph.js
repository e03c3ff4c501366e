// SPDX-License-Identifier: Apache-2.0
//
// Which instances emit what others hear, as a picture and as a list of the same.

import { ask, at, buttons, childrenAtOnce, count, line, make, many, rate, show, write } from "/console/page.js";
import { arrows, drawGraph } from "/console/picture.js";

/** More instances than this are folded by plugin, but for those that somebody looks at. */
const most = 30;

/** The graph of the generation that is known, and whether the next one is on its way. */
let graph = null;
let known = "";
let isAsking = false;
/** What is drawn, by key, and what its nodes look like as long as the graph stays the same. */
let drawn = { key: "", nodes: new Map(), edges: [] };
/** The facts about each instance that the last status told, by id. */
let facts = new Map();

/** Shows the graph of a status, with what the chain has measured of each instance. */
export async function showGraph(status, numbers) {
  const generation = `${status.pid} ${status.generation} ${status.cluster?.owned ?? ""}`;
  if (generation !== known && !isAsking) {
    isAsking = true;
    try {
      graph = await ask("graph");
      known = generation;
      write(at("graph-note"), "");
    } catch (error) {
      write(at("graph-note"), error.message, true);
    } finally {
      isAsking = false;
    }
  }
  show(at("graph"), graph !== null && graph.instances.length > 0);
  facts = new Map(status.instances.map((instance) => [instance.id, factsOf(instance, numbers.get(instance.id))]));
  update();
}

/** Draws what is chosen, unless it is drawn, and writes the rates. */
function update() {
  if (graph === null || document.hidden) return;
  showChoices();
  const chosen = at("graph-of").value;
  const key = `${known} ${chosen}`;
  if (drawn.key !== key) drawn = { key, ...drawGraph(at("graph-drawing"), fold(around(chosen)), choose) };
  showRates();
  showWords();
}

/** What a node says about an instance; its rates are undefined before the second status. */
function factsOf(instance, { heard, emitted, failures }) {
  const problems = [
    ...(instance.quarantine ? ["in quarantine"] : []),
    ...(instance.health === "failing" ? ["failing"] : []),
    ...(failures > 0 ? [many(failures, "failure")] : []),
  ];
  return {
    heard, emitted, problems,
    isIll: Boolean(instance.quarantine) || instance.health === "failing",
    isClosed: instance.gate === "bypass", gate: instance.gate,
    marks: [
      ...(instance.gate === "active" ? [] : [instance.gate === "mixed" ? "gate open in some partitions" : "gate closed"]),
      ...(instance.placement !== "host" ? ["worker"] : []),
    ],
  };
}

/** The part of the graph that concerns an instance or the instances of a plugin, with those that feed it and hear it; all of it for none. */
function around(chosen) {
  if (!chosen) return graph;
  const plugin = chosen.startsWith("plugin ") ? chosen.slice(7) : null;
  const core = new Set(graph.instances.filter(({ id, plugin: of }) => (plugin ? of === plugin : `instance ${id}` === chosen)).map(({ id }) => id));
  const types = graph.types.filter((type) => [...type.from, ...type.to, ...type.moves].some((id) => core.has(id)));
  const ids = new Set([...core, ...types.flatMap(({ from, to, moves }) => [...from, ...to, ...moves])]);
  return { instances: graph.instances.filter(({ id }) => ids.has(id)), types, core };
}

/** The nodes and edges of a part: types that concern the same instances are one node, and many instances of a plugin are one. */
function fold({ instances, types, core = new Set() }) {
  const groups = new Map();
  for (const instance of instances) {
    const isAlone = instances.length <= most || (core.has(instance.id) && core.size <= childrenAtOnce);
    const key = isAlone ? `instance ${instance.id}` : `plugin ${instance.plugin}`;
    groups.set(key, [...(groups.get(key) ?? []), instance]);
  }
  const nodes = [...groups].map(([key, members]) => ({
    key, kind: "instance", ids: members.map(({ id }) => id),
    title: members.length === 1 ? members[0].id : `${members[0].plugin} × ${count(members.length)}`,
    tail: everything(members),
  }));
  const nodeOf = new Map(nodes.flatMap(({ key, ids }) => ids.map((id) => [id, key])));
  const ends = (ids) => [...new Set(ids.map((id) => nodeOf.get(id)).filter(Boolean))];
  const pills = new Map();
  for (const { type, from, to, moves } of types) {
    const joined = [ends(from), ends(to), ends(moves)];
    const key = `types ${line(joined)}`;
    if (!pills.has(key)) pills.set(key, { key, kind: "type", types: [], joined });
    pills.get(key).types.push(type);
  }
  const edges = [];
  for (const { key, joined: [from, to, moves] } of pills.values()) {
    for (const end of from) edges.push({ from: end, to: key, counts: "emitted", of: end });
    for (const end of to) edges.push({ from: key, to: end, counts: "heard", of: end });
    for (const end of moves) if (!to.includes(end)) edges.push({ from: key, to: end, counts: "moves", of: end });
  }
  for (const pill of pills.values()) {
    pill.title = pill.types[0];
    pill.tail = pill.types.length > 1 ? `and ${count(pill.types.length - 1)} more` : "";
    pill.whole = pill.types.join("\n");
  }
  return { nodes: [...nodes, ...pills.values()], edges };
}

/** What is told of instances that a `*` would join with everybody. */
function everything(members) {
  const hears = members.some((instance) => instance.hears.includes("*"));
  const emits = members.some((instance) => instance.emits.includes("*"));
  return hears && emits ? "hears and may emit anything" : hears ? "hears everything" : emits ? "may emit anything" : "";
}

const sum = (facts, name) => (facts.some((one) => one[name] === undefined) ? undefined : facts.reduce((all, one) => all + one[name], 0));

/** Writes the rates and conditions into what is drawn. */
function showRates() {
  const totals = new Map();
  for (const [key, node] of drawn.nodes) {
    if (node.kind !== "instance") continue;
    const own = node.ids.map((id) => facts.get(id)).filter(Boolean);
    const [heard, emitted] = [sum(own, "heard"), sum(own, "emitted")];
    totals.set(key, { heard, emitted });
    const ill = own.filter(({ isIll }) => isIll);
    const closed = own.filter(({ isClosed }) => isClosed);
    const words = node.ids.length === 1
      ? [...(own[0]?.problems ?? []), ...(own[0]?.marks ?? [])]
      : [...(ill.length ? [`${count(ill.length)} in trouble`] : []), ...(closed.length ? [`${count(closed.length)} closed`] : [])];
    write(node.rates, `${rate(heard)}/s in, ${rate(emitted)}/s out`);
    write(node.words, [...words, node.tail].filter(Boolean).join(", "));
    node.group.classList.toggle("ill", ill.length > 0);
    node.group.classList.toggle("closed", own.length > 0 && closed.length === own.length);
    node.group.classList.toggle("worker", own.some(({ marks }) => marks.includes("worker")));
  }
  for (const edge of drawn.edges) {
    const perSecond = edge.counts === "moves" ? undefined : totals.get(edge.of)?.[edge.counts];
    // Ten times as much is twice as thick.
    arrows(edge, 1.2 + 1.6 * Math.log10(1 + (perSecond ?? 0)), perSecond > 0);
  }
}

/** Tells the same as a list: what each instance hears and emits, and how it is. */
function showWords() {
  if (!at("graph-words").open) return;
  const { instances } = around(at("graph-of").value);
  const items = instances.slice(0, childrenAtOnce).map((instance) => {
    const own = facts.get(instance.id);
    const list = (names) => (names.length ? names.join(", ") : "nothing");
    const parts = [
      `hears ${list(instance.hears)}`, `emits ${list(instance.emits)}`,
      ...(own ? [`${rate(own.heard)}/s heard, ${rate(own.emitted)}/s emitted`, ...own.marks, ...own.problems] : []),
    ];
    return [instance.id, parts.join("; "), own?.isIll ?? false];
  });
  const list = at("graph-list");
  buttons(list, items.map(([id]) => id), (id) => choose(`instance ${id}`));
  items.forEach(([, words, isIll], index) => write(list.children[index].lastChild, words, isIll));
  const left = instances.length - items.length;
  write(at("graph-left"), left > 0 ? `${count(left)} more; choose one of them above` : "");
}

/** Offers all, the plugins that have several instances, and each instance. */
function showChoices() {
  const select = at("graph-of");
  if (select.dataset.known === known) return;
  select.dataset.known = known;
  const chosen = select.value;
  const times = new Map();
  for (const { plugin } of graph.instances) times.set(plugin, (times.get(plugin) ?? 0) + 1);
  select.replaceChildren(make("option", { value: "", textContent: "all instances" }),
    ...[...times].filter(([, number]) => number > 1).map(([plugin, number]) =>
      make("option", { value: `plugin ${plugin}`, textContent: `${plugin} × ${count(number)}` })),
    ...graph.instances.map(({ id }) => make("option", { value: `instance ${id}`, textContent: id })));
  select.value = chosen;
  if (select.selectedIndex < 0) select.value = "";
}

/** Shows what is around a node; all again if that is what is shown. */
function choose(key) {
  const select = at("graph-of");
  select.value = select.value === key ? "" : key;
  select.dispatchEvent(new Event("change"));
}

at("graph-of").addEventListener("change", update);
at("graph-words").addEventListener("toggle", update);
