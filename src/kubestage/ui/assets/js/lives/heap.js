/** @file A heap: the least of many numbers, with what belongs to it. */

/** Values by number, the least first. */
export class Heap {
  constructor() {
    /** @type {[number, number][]} */
    this.items = [];
  }

  /** The least number; Infinity if there is none. */
  get least() { return this.items.length ? this.items[0][0] : Infinity; }

  /** @param {number} key @param {number} value */
  push(key, value) {
    const { items } = this;
    let at = items.push([key, value]) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (items[parent][0] <= items[at][0]) return;
      [items[parent], items[at]] = [items[at], items[parent]];
      at = parent;
    }
  }

  /** Take out the value of the least number; there has to be one. */
  pop() {
    const { items } = this;
    const [[, value]] = items;
    const last = /** @type {[number, number]} */ (items.pop());
    if (!items.length) return value;
    items[0] = last;
    for (let at = 0; ;) {
      let least = 2 * at + 1;
      if (least >= items.length) return value;
      if (least + 1 < items.length && items[least + 1][0] < items[least][0]) least += 1;
      if (items[at][0] <= items[least][0]) return value;
      [items[least], items[at]] = [items[at], items[least]];
      at = least;
    }
  }
}
