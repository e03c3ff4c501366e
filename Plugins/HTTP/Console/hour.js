// SPDX-License-Identifier: Apache-2.0
//
// The last hour of the host or of one of its instances.

import { ask, at, bytes, clock, count, line, make, offer, quoted, rate, repeating, show, span, write } from "/console/page.js";
import { status } from "/console/chain.js";
import { drawing, plotLine } from "/console/plot.js";

const pause = 10_000;
const shownMarks = 6;

/** The marks of the hour that was told last; nil before the first. */
export let marks = null;

/** The plots by their names. */
const plots = new Map();

const gate = (number) => (number === 1 ? "open" : number === 0 ? "closed" : "open in some partitions");

/** Numbers that were counted since the sample before, per second; null for the last sample where it took too short a time to tell. */
const perSecond = (counts, seconds) => {
  const shortest = seconds.length > 1 ? 1 : 0;
  return counts.map((one, index) => (one === null || !(seconds[index] > 0) || seconds[index] < shortest ? null : one / seconds[index]));
};

/** What is plotted of the host. */
const ofHost = (hour) => [
  { name: "actions/s", numbers: perSecond(hour.actions, hour.seconds), words: rate },
  { name: "waiting", numbers: hour.waiting, words: count },
  { name: "effects", numbers: hour.effects, words: count },
  { name: "time per action", numbers: hour.nanoseconds, words: span },
  { name: "memory", numbers: hour.memory, words: bytes },
];

/** What is plotted of an instance. */
const ofInstance = (instance, { seconds }) => [
  { name: "heard/s", numbers: perSecond(instance.heard, seconds), words: rate },
  { name: "emitted/s", numbers: perSecond(instance.emitted, seconds), words: rate },
  { name: "failures/s", numbers: perSecond(instance.failed, seconds), words: rate },
  { name: "time per action", numbers: instance.nanoseconds, words: span },
  { name: "gate", numbers: instance.gate.map((word) => ({ active: 1, bypass: 0, mixed: 0.5 })[word] ?? null), words: gate },
];

/** The class that colours a mark, and what it says, without its time and whom it concerns. */
export const wordsOf = ({ event, generation, gate, version, count: times }) => ({
  start: ["begin", "the samples begin"],
  reload: ["reload", `generation ${generation}`],
  gate: ["gate", `the gate is ${gate}`],
  build: ["reload", `another library, version ${version}`],
  death: ["ill", `its worker died unasked${times === 1 ? "" : `, ${times} times`}`],
  quarantine: ["ill", "in quarantine"],
  release: ["gate", "out of quarantine"],
}[event] ?? ["gate", event]);

function told(mark) {
  const [kind, words] = wordsOf(mark);
  return { moment: mark.moment, kind, text: `${clock(mark.moment)} ${mark.id === undefined ? "" : `${mark.id}: `}${words}` };
}

/** Asks for the hour now, and again after a while, as long as the page can be seen. */
export const refreshHour = repeating(pause, async () => {
  const chosen = at("hour-of").value;
  write(at("hour-command"), chosen ? `ctl hour ${quoted(chosen)}` : "ctl hour");
  try {
    const hour = await ask("hour", { instances: chosen ? [chosen] : [] });
    ({ marks } = hour);
    if (chosen === at("hour-of").value) showHour(hour);
    write(at("hour-note"), "", false);
  } catch (error) {
    write(at("hour-note"), error.message, true);
    // An instance that left more than an hour ago is not there any more.
    at("hour-of").value = "";
  }
});

function showHour(hour) {
  showNames();
  show(at("hour"), hour.moments.length > 0);
  if (hour.moments.length === 0) return;
  const end = hour.moments.at(-1);
  const start = Math.min(hour.moments[0] - hour.seconds[0], end - 60);
  const of = hour.instances[0];
  const seenMarks = hour.marks.filter(({ id, moment }) => moment >= start && (!of || !id || id === of.id)).map(told);
  const all = of ? ofInstance(of, hour) : ofHost(hour);
  const seen = `${clock(start)} to ${clock(end)}`;
  for (const [name, { element }] of plots) {
    if (all.some((one) => one.name === name)) continue;
    element.remove();
    plots.delete(name);
  }
  for (const { name, numbers, words } of all) {
    const plot = plots.get(name) ?? makePlot(name);
    at("plots").append(plot.element);
    const known = numbers.filter((number) => number !== null);
    const most = known.length ? words(Math.max(...known)) : "–";
    write(plot.now, known.length ? words(known.at(-1)) : "–");
    write(plot.most, name === "gate" ? "" : `most ${most}`);
    plot.svg.setAttribute("aria-label", `${name} from ${seen}: now ${plot.now.textContent}${name === "gate" ? "" : `, at most ${most}`}`);
    plotLine(plot.svg, { moments: hour.moments, numbers, start, end, marks: seenMarks });
  }
  write(at("hour-span"), seen);
  const lines = seenMarks.slice(-shownMarks).reverse().map(({ kind, text }) => [kind, text]);
  const list = at("hour-marks");
  if (line(lines) === list.dataset.lines) return;
  list.dataset.lines = line(lines);
  list.replaceChildren(...lines.map(([kind, text]) => make("li", { className: kind, textContent: text })));
}

function makePlot(name) {
  const plot = { svg: drawing(), now: make("strong"), most: make("span") };
  plot.element = make("figure", {}, make("figcaption", {}, make("span", { textContent: name }), plot.now, plot.most), plot.svg);
  plots.set(name, plot);
  return plot;
}

/** Offers the instances that are there, and the chosen one although it has gone. */
function showNames() {
  const chosen = at("hour-of").value;
  const names = (status?.instances ?? []).map(({ id }) => id);
  if (chosen && !names.includes(chosen)) names.push(chosen);
  offer(at("hour-of"), names);
}

at("hour-of").addEventListener("change", refreshHour);
document.addEventListener("pressed", refreshHour);
