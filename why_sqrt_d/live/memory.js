/* What was drawn or computed before: a figure needs the same numbers again at every turn of a slider.
   It forgets everything when it holds `most`. */
export class Memory extends Map {
  constructor(most) {
    super();
    this.most = most;
  }

  /** What goes by this name; `make` makes it when it is not here. */
  recall(name, make) {
    if (this.has(name)) return this.get(name);
    if (this.size >= this.most) this.clear();
    return this.set(name, make()).get(name);
  }
}
