// SPDX-License-Identifier: Apache-2.0
//
// Rows of tables, which stay as long as what they are about, and of which only a part is on the page at a time.

import { at, count, make, show, write } from "/console/page.js";

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
  const wanted = new Set(names);
  for (const [name, row] of rows) {
    if (wanted.has(name)) continue;
    row.element.remove();
    rows.delete(name);
  }
  let next = list.firstElementChild;
  for (const name of names) {
    if (!rows.has(name)) rows.set(name, rowOf(name));
    const { element } = rows.get(name);
    if (element === next) next = next.nextElementSibling;
    else list.insertBefore(element, next);
  }
}

/** How many rows are on the page at a time: more cost a browser more than anybody reads. */
export const rowsAtOnce = 100;

/** The part of a long list that is on the page, with the buttons that turn to the next; `id` begins the ids of their elements. */
export class Part {
  #first = 0;
  #count = 0;

  constructor(id, changed) {
    this.id = id;
    for (const [name, by] of [["back", -rowsAtOnce], ["forward", rowsAtOnce]]) {
      at(`${id}-${name}`).addEventListener("click", () => {
        this.#turn(by);
        changed();
      });
    }
  }

  /** Begins with the first rows again. */
  reset() { this.#first = 0; }

  #turn(by) { this.#first = Math.max(0, Math.min(this.#first + by, this.#count - 1)); }

  /** The rows of the part; the buttons are there if there are more. */
  of(all) {
    this.#count = all.length;
    if (this.#first >= all.length) this.#first = Math.max(0, Math.floor((all.length - 1) / rowsAtOnce) * rowsAtOnce);
    const end = Math.min(this.#first + rowsAtOnce, all.length);
    show(at(`${this.id}-part`), all.length > rowsAtOnce);
    write(at(`${this.id}-range`), `${count(this.#first + 1)} to ${count(end)} of ${count(all.length)}`);
    at(`${this.id}-back`).disabled = this.#first === 0;
    at(`${this.id}-forward`).disabled = end === all.length;
    return all.slice(this.#first, end);
  }
}
