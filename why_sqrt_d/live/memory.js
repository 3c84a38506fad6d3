/* What was drawn or computed before: a figure needs the same numbers again at every turn of a slider.
   It forgets everything when it holds `most`. */
export class Memory extends Map {
  constructor(most) {
    super();
    this.most = most;
  }

  /** What goes by this name; `make` makes it when it is not here. */
  recall(name, make) {
    if (!this.has(name)) {
      const made = make();
      if (this.size >= this.most) this.clear();
      this.set(name, made);
    }
    return this.get(name);
  }
}
