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
const rowsAtOnce = 100;
/** So many rows before the end of those is seen, the next ones come. */
const margin = 10;

/**
 * A list of rows of which only those near what can be seen are on the page, with room for the others above and below; `id` begins the
 * ids of its elements. The row that somebody is at stays. The arrows, Page, Home and End go from row to row.
 *
 * `rows` are those on the page by their names, and `changed` is called when others are to come.
 */
export class LongList {
  #names = [];
  #first = 0;
  /** The mean height of a row. */
  #height = 40;

  constructor(id, rows, changed) {
    for (const part of ["table", "box", "rows", "above", "below", "range"]) this[part] = at(`${id}-${part}`);
    Object.assign(this, { shown: rows, changed });
    this.box.addEventListener("scroll", () => this.#follow(), { passive: true });
    this.rows.addEventListener("keydown", (event) => this.#press(event));
    // Rows of a phone are higher.
    new ResizeObserver(() => this.settle()).observe(this.box);
  }

  /** Begins with the first rows again. */
  reset() {
    this.#first = 0;
    this.box.scrollTop = 0;
  }

  get #isLong() { return this.#names.length > rowsAtOnce; }
  get #end() { return Math.min(this.#first + rowsAtOnce, this.#names.length); }

  /** The names of the rows that are to be on the page, of all. */
  of(all) {
    this.#names = all;
    this.#first = Math.max(0, Math.min(this.#first, all.length - rowsAtOnce));
    const names = all.slice(this.#first, this.#end);
    const place = all.indexOf(this.#nameAt(document.activeElement));
    if (place >= this.#end) names.push(all[place]);
    else if (place >= 0 && place < this.#first) names.unshift(all[place]);
    return names;
  }

  /** Makes room for the other rows, and says which of all each is; called when those of `of` are on the page. */
  settle() {
    const isLong = this.#isLong;
    this.box.classList.toggle("long", isLong);
    show(this.range, isLong);
    for (const [room, count] of [[this.above, this.#first], [this.below, this.#names.length - this.#end]]) {
      room.style.height = `${Math.round(count * this.#height)}px`;
      show(room.closest("tbody"), count > 0);
    }
    const number = (element, name, value) => (isLong ? element.setAttribute(name, value) : element.removeAttribute(name));
    number(this.table, "aria-rowcount", this.#names.length + 1);
    number(this.table.tHead.rows[0], "aria-rowindex", 1);
    const places = new Map(this.#names.map((name, place) => [name, place]));
    for (const [name, { element }] of this.shown) number(element, "aria-rowindex", places.get(name) + 2);
    if (!isLong) return;
    this.#height = Math.max(1, this.rows.offsetHeight / this.shown.size);
    this.#tell();
  }

  /** The places of the first and the last row that can be seen. */
  get #seen() {
    const top = Math.floor(this.box.scrollTop / this.#height);
    const most = Math.floor((this.box.clientHeight - this.table.tHead.offsetHeight) / this.#height);
    const first = Math.max(0, Math.min(top, this.#names.length - 1));
    return [first, Math.min(first + Math.max(1, most), this.#names.length) - 1];
  }

  #tell() {
    const [first, last] = this.#seen;
    write(this.range, `${count(first + 1)} to ${count(last + 1)} of ${count(this.#names.length)}`);
  }

  /** Brings the rows that can be seen soon. */
  #follow() {
    if (!this.#isLong) return;
    const [first, last] = this.#seen;
    const isNear = (first < this.#first + margin && this.#first > 0) || (last >= this.#end - margin && this.#end < this.#names.length);
    if (isNear) this.#bring((first + last) / 2);
    else this.#tell();
  }

  /** Brings the rows around a place. */
  #bring(place) {
    this.#first = Math.max(0, Math.min(Math.round(place - rowsAtOnce / 2), this.#names.length - rowsAtOnce));
    this.changed();
  }

  /** The name of the row that an element is in. */
  #nameAt(element) {
    const row = this.rows.contains(element) ? element.closest("tr") : null;
    if (row) for (const [name, { element }] of this.shown) if (element === row) return name;
    return undefined;
  }

  /** Goes to another row by a key. */
  #press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const [first, last] = this.#seen;
    const page = Math.max(1, last - first);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    const place = this.#names.indexOf(this.#nameAt(event.target));
    if (by === undefined || place < 0) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(place + by, this.#names.length - 1));
    if (next < this.#first || next >= this.#end) this.#bring(next);
    this.shown.get(this.#names[next])?.element.querySelector("button")?.focus();
  }
}
