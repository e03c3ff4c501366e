// SPDX-License-Identifier: Apache-2.0
//
// A graph of boxes and arrows as a drawing.

import { draw, drawing } from "/console/plot.js";
import { layOut } from "/console/layout.js";

const [letter, margin, widest] = [7.3, 6, 30];
const short = (text) => (text.length > widest ? `${text.slice(0, widest - 1)}…` : text);

/** Draws nodes and edges into an element, and returns both, with the elements that change while they stay.
 *
 * A node has a `key`, a `kind` ("instance" or "type"), a `title`, and a `tail`, which stands below it; `choose` is called with the key of an
 * instance that is clicked. Whoever cannot see a drawing is given the same in another way, so that it is one picture to a screen reader.
 */
export function drawGraph(parent, { nodes, edges }, choose) {
  const sized = nodes.map((node) => {
    const isInstance = node.kind === "instance";
    const longest = Math.max(short(node.title).length, short(node.tail).length * 0.9, isInstance ? 21 : 0);
    return { ...node, width: Math.round(longest * letter + 18), height: isInstance ? 58 : node.tail ? 38 : 24 };
  });
  const { width, height, places, ways } = layOut(sized, edges);
  const instances = nodes.filter(({ kind }) => kind === "instance").length;
  const svg = drawing(`${instances} boxes of instances and ${nodes.length - instances} of types, joined as they emit and hear; the list below says the same in words`);
  const [whole, tall] = [Math.ceil(width + 2 * margin), Math.ceil(height + 2 * margin)];
  svg.setAttribute("viewBox", `${-margin} ${-margin} ${whole} ${tall}`);
  svg.setAttribute("width", whole);
  svg.setAttribute("height", tall);
  const lines = edges.map((edge, index) => ({
    ...edge,
    line: draw("path", { class: `edge ${edge.counts}`, d: curve(ways[index]) }),
    head: draw("path", { class: `head ${edge.counts}`, d: tip(ways[index]) }),
  }));
  const boxes = new Map(sized.map((node) => [node.key, box({ ...node, ...position(places, node.key) }, choose)]));
  svg.append(...lines.flatMap(({ line, head }) => [line, head]), ...[...boxes.values()].map(({ group }) => group));
  parent.replaceChildren(svg);
  return { nodes: boxes, edges: lines };
}

const position = (places, key) => ({ x: places.get(key).x, y: places.get(key).y });
const at = (number) => number.toFixed(1);

/** Makes an edge as thick as its rate, in points; what flows is drawn in another colour. */
export function arrows({ line, head }, thickness, isFlowing) {
  const wanted = at(thickness);
  if (line.getAttribute("stroke-width") !== wanted) line.setAttribute("stroke-width", wanted);
  line.classList.toggle("flowing", isFlowing);
  head.classList.toggle("flowing", isFlowing);
}

/** A path through points that leaves and reaches each of them level. */
function curve(points) {
  const [[x, y], ...rest] = points;
  let last = [x, y];
  const parts = rest.map(([nextX, nextY]) => {
    const half = (last[0] + nextX) / 2;
    const part = `C${at(half)} ${at(last[1])} ${at(half)} ${at(nextY)} ${at(nextX)} ${at(nextY)}`;
    last = [nextX, nextY];
    return part;
  });
  return `M${at(x)} ${at(y)}${parts.join("")}`;
}

/** The head of an arrow at the end of a path. */
function tip(points) {
  const [[before], [x, y]] = points.slice(-2);
  const back = before <= x ? -7 : 7;
  return `M${at(x)} ${at(y)}l${back} -4v8Z`;
}

/** The box of a node, with the texts that change. */
function box(node, choose) {
  const group = draw("g", { class: `node ${node.kind}`, transform: `translate(${at(node.x)} ${at(node.y)})` }, node.whole ?? (node.ids ?? []).join("\n"));
  const isInstance = node.kind === "instance";
  const text = (className, y, content) => {
    const element = draw("text", { class: className, x: 9, y });
    element.textContent = content;
    return element;
  };
  group.append(draw("rect", { width: node.width, height: node.height, rx: isInstance ? 6 : 12 }), text("title", isInstance ? 18 : 16, short(node.title)));
  if (!isInstance) {
    if (node.tail) group.append(text("words", 31, node.tail));
    return { ...node, group };
  }
  const [rates, words] = [text("rates", 34, ""), text("words", 50, node.tail)];
  group.append(rates, words);
  group.addEventListener("click", () => choose(node.key));
  return { ...node, group, rates, words };
}
