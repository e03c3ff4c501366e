// SPDX-License-Identifier: Apache-2.0
//
// Places for the nodes of a graph, in columns from left to right, and ways for its edges between them.

const [columnGap, rowGap, sweeps] = [46, 10, 6];

/** Lays out nodes with a `key`, `width` and `height`, and edges `from` one key `to` another.
 *
 * Returns the whole `width` and `height`, `places` by key, and `ways`: for each edge the points of its path from its beginning to
 * its end, two for each column that it crosses. What leads back, in a cycle, is the way of its reverse, turned round.
 */
export function layOut(nodes, edges) {
  const boxes = new Map(nodes.map((node) => [node.key, { ...node, before: [], after: [] }]));
  const turned = leadingBack(nodes, edges);
  const ahead = edges.map((edge) => (turned.has(edge) ? [edge.to, edge.from] : [edge.from, edge.to]));
  rank(boxes, ahead);
  const columns = [];
  const enter = (box) => (columns[box.rank] ??= []).push(box);
  for (const box of boxes.values()) enter(box);
  // An edge gets a narrow place of its own in each column that it only crosses.
  const chains = ahead.map(([from, to]) => {
    const [first, last] = [boxes.get(from), boxes.get(to)];
    const chain = [first];
    for (let column = first.rank + 1; column < last.rank; column += 1) {
      const crossing = { rank: column, width: 0, height: 4, before: [], after: [] };
      enter(crossing);
      chain.push(crossing);
    }
    chain.push(last);
    chain.slice(1).forEach((box, index) => {
      box.before.push(chain[index]);
      chain[index].after.push(box);
    });
    return chain;
  });
  order(columns);
  const size = place(columns);
  const ways = chains.map((chain, index) => {
    const points = chain.flatMap((box) => [[box.x, middle(box)], [box.x + box.breadth, middle(box)]]).slice(1, -1);
    return turned.has(edges[index]) ? points.reverse() : points;
  });
  return { ...size, places: boxes, ways };
}

const middle = (box) => box.y + box.height / 2;
const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** The edges that close a cycle, when nodes are visited in their order. */
function leadingBack(nodes, edges) {
  const outgoing = new Map(nodes.map(({ key }) => [key, []]));
  for (const edge of edges) outgoing.get(edge.from).push(edge);
  const back = new Set();
  const stage = new Map();
  for (const { key } of nodes) {
    if (stage.has(key)) continue;
    const way = [{ key, next: 0 }];
    stage.set(key, "open");
    while (way.length) {
      const top = way.at(-1);
      const edge = outgoing.get(top.key)[top.next];
      top.next += 1;
      if (!edge) {
        stage.set(top.key, "done");
        way.pop();
      } else if (stage.get(edge.to) === "open") {
        back.add(edge);
      } else if (!stage.has(edge.to)) {
        stage.set(edge.to, "open");
        way.push({ key: edge.to, next: 0 });
      }
    }
  }
  return back;
}

/** Gives each box the number of its column: after all that lead to it, and as near to what it leads to as it can be. */
function rank(boxes, ahead) {
  const after = new Map([...boxes.keys()].map((key) => [key, []]));
  const open = new Map([...boxes.keys()].map((key) => [key, 0]));
  for (const [from, to] of ahead) {
    after.get(from).push(to);
    open.set(to, open.get(to) + 1);
  }
  for (const box of boxes.values()) box.rank = 0;
  const first = [...boxes.keys()].filter((key) => open.get(key) === 0);
  for (const waiting = [...first]; waiting.length;) {
    const key = waiting.shift();
    for (const next of after.get(key)) {
      boxes.get(next).rank = Math.max(boxes.get(next).rank, boxes.get(key).rank + 1);
      open.set(next, open.get(next) - 1);
      if (open.get(next) === 0) waiting.push(next);
    }
  }
  for (const key of first) {
    const next = after.get(key).map((one) => boxes.get(one).rank);
    if (next.length) boxes.get(key).rank = Math.min(...next) - 1;
  }
}

/** Puts the boxes of each column in the order of those they are joined with, which makes most crossings go. */
function order(columns) {
  for (const column of columns) column.forEach((box, index) => { box.index = index; });
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    const isForward = sweep % 2 === 0;
    for (const column of isForward ? columns : columns.toReversed()) {
      for (const box of column) {
        const joined = isForward ? box.before : box.after;
        box.wish = joined.length ? mean(joined.map(({ index }) => index)) : box.index;
      }
      column.sort((one, other) => one.wish - other.wish || one.index - other.index);
      column.forEach((box, index) => { box.index = index; });
    }
  }
}

/** Gives boxes their places, each as near to the height of its neighbours as the others of its column let it; returns the size. */
function place(columns) {
  let x = 0;
  for (const column of columns) {
    const breadth = Math.max(...column.map(({ width }) => width));
    let y = 0;
    for (const box of column) {
      Object.assign(box, { x, y, breadth: box.width || breadth });
      y += box.height + rowGap;
    }
    x += breadth + columnGap;
  }
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    for (const column of sweep % 2 === 0 ? columns : columns.toReversed()) {
      let free = -Infinity;
      const moves = [];
      for (const box of column) {
        const joined = [...box.before, ...box.after];
        const wish = joined.length ? mean(joined.map(middle)) - box.height / 2 : box.y;
        box.y = Math.max(wish, free);
        moves.push(box.y - wish);
        free = box.y + box.height + rowGap;
      }
      // Those that were pushed down pull the column up again.
      const pull = mean(moves);
      for (const box of column) box.y -= pull;
    }
  }
  const all = columns.flat();
  const top = Math.min(...all.map(({ y }) => y), Infinity);
  for (const box of all) box.y -= top;
  return { width: Math.max(0, x - columnGap), height: Math.max(0, ...all.map(({ y, height }) => y + height)) };
}
