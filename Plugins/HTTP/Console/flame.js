// SPDX-License-Identifier: Apache-2.0
//
// What the last minutes cost: the time of the timed actions by instance, stage and rule, as bars below each other.

import { ask, at, buttons, count, make, repeating, show, span, write } from "/console/page.js";
import { draw, drawing } from "/console/plot.js";

const pause = 10_000;
const [width, row, gap] = [1000, 26, 1];
const stages = ["handle", "reduce", "io"];
/** An instance below this share of the whole is part of the rest. */
const least = 0.004;
let costs = null;
/** The instance that takes the whole width; nil for all. */
let chosen = null;

const percent = (part) => `${(100 * part).toFixed(part < 0.0995 ? 1 : 0)} %`;
const rulesOf = (instance) => Object.entries(instance.rules ?? {}).sort((one, other) => other[1] - one[1]);
const timeOf = (instance) => stages.reduce((sum, stage) => sum + instance[stage], 0);

/** Asks for the costs now, and again after a while, as long as the page can be seen. */
export const refreshCosts = repeating(pause, async () => {
  const minutes = Number(at("costs-minutes").value);
  write(at("costs-command"), `ctl costs ${minutes}`);
  try {
    const answer = await ask("costs", { minutes });
    if (minutes === Number(at("costs-minutes").value)) costs = answer;
    write(at("costs-note"), "", false);
    showCosts();
  } catch (error) {
    write(at("costs-note"), error.message, true);
  }
});

function showCosts() {
  const all = costs.instances.map((instance) => ({ ...instance, time: timeOf(instance) }))
    .filter(({ time }) => time > 0).sort((one, other) => other.time - one.time);
  const whole = all.reduce((sum, { time }) => sum + time, 0);
  show(at("costs"), costs.seconds > 0);
  if (!all.some(({ id }) => id === chosen)) chosen = null;
  const shown = chosen ? all.filter(({ id }) => id === chosen) : all;
  const scale = shown.reduce((sum, { time }) => sum + time, 0);
  if (whole === 0) write(at("costs-note"), "No action was timed in this time.");
  show(at("costs-drawing"), whole > 0);
  show(at("costs-words"), whole > 0);
  drawBars(shown, scale, whole);
  listBars(all, whole);
}

function drawBars(shown, scale, whole) {
  const svg = drawing(whole ? `${count(shown.length)} bars of instances, as wide as their share of ${span(whole)}, over their stages and rules; the list below says the same in words` : "nothing was timed");
  const levels = shown.some(({ rules }) => rules) ? 4 : 3;
  svg.setAttribute("viewBox", `0 0 ${width} ${levels * row}`);
  at("costs-drawing").style.setProperty("--levels", levels);
  const parts = [];
  const bar = (x, level, time, kind, name, title, open) => {
    const wide = scale ? (width * time) / scale : 0;
    const group = draw("g", { class: `bar ${kind}` }, title);
    group.append(draw("rect", { x: x.toFixed(2), y: level * row, width: Math.max(0, wide - gap).toFixed(2), height: row - gap, rx: 2 }));
    if (open) group.addEventListener("click", open);
    parts.push(group);
    labels.push({ x, level, wide, name, kind });
    return wide;
  };
  const labels = [];
  if (whole) {
    bar(0, 0, scale, "whole", chosen ? `${chosen}, ${percent(scale / whole)} of ${span(whole)}` : `all, ${span(whole)}`,
      chosen ? "Show all again" : "The time of all timed actions", () => zoom(null));
    let [x, rest] = [0, 0];
    for (const instance of shown) {
      if (instance.time < least * scale) {
        rest += instance.time;
        continue;
      }
      let inner = x;
      for (const stage of stages) {
        if (instance[stage] > 0) inner += bar(inner, 2, instance[stage], stage, stage, `${instance.id}, ${stage}: ${percent(instance[stage] / whole)}, ${span(instance[stage])}`);
      }
      let below = x;
      for (const [rule, time] of rulesOf(instance)) {
        below += bar(below, 3, time, "rule", rule, `${instance.id}, ${rule}: ${percent(time / whole)}, ${span(time)}`);
      }
      x += bar(x, 1, instance.time, "instance", `${instance.id} ${percent(instance.time / whole)}`,
        `${instance.id}: ${percent(instance.time / whole)}, ${span(instance.time)}`, () => zoom(instance.id));
    }
    if (rest > 0) bar(x, 1, rest, "rest", "the rest", `all others: ${percent(rest / whole)}, ${span(rest)}`);
  }
  svg.append(...parts);
  at("costs-drawing").replaceChildren(svg, ...labels.filter(({ wide }) => wide > 30).map(label));
}

/** The words on a bar; they are text of the page, because the bars are stretched. */
function label({ x, level, wide, name, kind }) {
  const element = make("span", { className: `label ${kind}`, textContent: name, ariaHidden: "true" });
  element.style.left = `${(100 * x) / width}%`;
  element.style.width = `${(100 * wide) / width}%`;
  element.style.top = `${level * row}px`;
  return element;
}

function zoom(id) {
  chosen = chosen === id ? null : id;
  showCosts();
}

/** Tells the same as a list, with a button for each instance that shows it alone. */
function listBars(all, whole) {
  if (!at("costs-words").open) return;
  const list = at("costs-list");
  buttons(list, all.map(({ id }) => id), zoom);
  all.forEach((instance, index) => {
    const item = list.children[index];
    item.firstChild.setAttribute("aria-pressed", instance.id === chosen);
    const parts = stages.filter((stage) => instance[stage] > 0).map((stage) => `${stage} ${percent(instance[stage] / whole)}`);
    const rules = rulesOf(instance).map(([rule, time]) => `${rule} ${percent(time / whole)}`);
    write(item.lastChild, `${percent(instance.time / whole)}: ${[...parts, ...rules].join(", ")}`);
  });
}

at("costs-minutes").addEventListener("change", refreshCosts);
at("costs-words").addEventListener("toggle", () => { if (costs) showCosts(); });
