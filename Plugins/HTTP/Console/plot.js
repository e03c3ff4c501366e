// SPDX-License-Identifier: Apache-2.0
//
// Small plots of numbers over time, and of counts side by side.

import { at } from "/console/page.js";

const [width, height, margin] = [240, 56, 3];

/** The drawing that others are copies of; the page's parser has made it, so its children are made as the same kind of element. */
const empty = at("plot").content.firstElementChild;

/** Makes an element of a drawing. */
export function draw(tag, attributes, title) {
  const element = document.createElementNS(empty.namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (title !== undefined) element.append(draw("title", {}));
  if (title !== undefined) element.firstChild.textContent = title;
  return element;
}

/** An empty drawing of this size, which a reader of the screen calls by its label. */
export function drawing(label = "") {
  const svg = empty.cloneNode(true);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("aria-label", label);
  return svg;
}

const place = (number) => number.toFixed(1);

/** Draws numbers as a line from 0 to the largest of them; nothing where one is null.
 *
 * `moments` are those of the numbers, from `start` to `end`; each of the `marks` has a moment, a class and a text.
 */
export function plotLine(svg, { moments, numbers, start, end, marks }) {
  const across = (moment) => ((moment - start) / Math.max(end - start, 1)) * width;
  const most = Math.max(...numbers.map((number) => number ?? 0), Number.MIN_VALUE);
  const up = (number) => height - margin - (number / most) * (height - 2 * margin);
  const runs = [];
  let run = null;
  numbers.forEach((number, index) => {
    if (number === null || number === undefined) {
      run = null;
      return;
    }
    if (run === null) runs.push(run = []);
    run.push([across(moments[index]), up(number)]);
  });
  const parts = [];
  for (const points of runs) {
    // One alone would not be seen.
    if (points.length === 1) points.unshift([Math.max(0, points[0][0] - 3), points[0][1]]);
    const line = points.map(([x, y]) => `${place(x)} ${place(y)}`).join("L");
    const [first, last] = [points[0][0], points.at(-1)[0]];
    parts.push(draw("path", { class: "area", d: `M${place(first)} ${height}L${line}L${place(last)} ${height}Z` }));
    parts.push(draw("path", { class: "line", d: `M${line}` }));
  }
  for (const { moment, kind, text } of marks) {
    const x = place(Math.min(width - 1, Math.max(1, across(moment))));
    parts.push(draw("line", { class: `at ${kind}`, x1: x, x2: x, y1: 0, y2: height }, text));
  }
  svg.replaceChildren(...parts);
}

/** Draws pairs of a whole and the part of it that is bad as bars, each as high as the whole. */
export function plotBars(svg, pairs) {
  const most = Math.max(...pairs.map(([whole]) => whole), 1);
  const step = width / Math.max(pairs.length, 12);
  const bar = (index, kind, from, to) => draw("rect", {
    class: kind, x: place(index * step), width: place(step * 0.8),
    y: place(height * (1 - to / most)), height: place((height * (to - from)) / most),
  });
  svg.replaceChildren(...pairs.flatMap(([whole, bad], index) =>
    [bar(index, "alike", bad, whole), ...(bad > 0 ? [bar(index, "differing", 0, bad)] : [])]));
}
