/* <softmax-playground>: drag the scores of up to eight keys, turn d and β, and see weights, entropy
   and Jacobian follow. Without this script the picture inside stays. */
(function (playground) {
  "use strict";

  var QUIET = 700; // ms without a change before the status line speaks
  var SCALES = [["none", "none, β = 1"], ["sqrt", "β = 1/√d"], ["own", "β as turned"]];

  function make(tag, attributes, children) {
    var made = document.createElement(tag);
    Object.keys(attributes || {}).forEach(function (name) {
      made.setAttribute(name, attributes[name]);
    });
    (children || []).forEach(function (child) { made.append(child); });
    return made;
  }

  function written(x, digits) {
    var text = x.toFixed(digits);
    if (Number(text) === 0) return (0).toFixed(digits);
    return text.replace("-", "−");
  }

  /** A score: one decimal, none for the large. */
  function score(x) {
    return written(x, Math.abs(x) >= 1000 ? 0 : 1);
  }

  function beta(x) {
    return String(Number(x.toPrecision(3)));
  }

  class SoftmaxPlayground extends HTMLElement {
    connectedCallback() {
      if (this.rows) return;
      var spec = JSON.parse(this.querySelector("script[type='application/json']").textContent);
      this.presets = spec.presets;
      this.build();
      this.querySelector(".playground-still").hidden = true;
      this.append(this.panel);
      this.addEventListener("keydown", function (event) { event.stopPropagation(); });
      window.addEventListener("hashchange", this.follow.bind(this));
      this.rows = [];
      if (!this.follow()) this.show(this.presets[spec.start].state);
    }

    // ----------------------------------------------------------------------- building

    build() {
      var self = this;
      this.choice = make("select", { id: "playground-preset", autocomplete: "off" },
        this.presets.map(function (preset, i) {
          return make("option", { value: i }, [preset.name]);
        }));
      this.choice.append(make("option", { value: "", hidden: "" }, ["your own scores"]));
      this.note = make("p", { class: "playground-note" });
      this.keys = make("div", { role: "group", "aria-label": "Scores, one a key" });
      this.less = make("button", { type: "button" }, ["Remove a key"]);
      this.more = make("button", { type: "button" }, ["Add a key"]);
      this.d = make("input", { type: "range", id: "playground-d", min: 0, max: 10, step: 1 });
      this.dText = make("span", { "data-for": "playground-d" });
      this.beta = make("input", Object.assign({ type: "range", id: "playground-beta" }, playground.BETA));
      this.betaText = make("span", { "data-for": "playground-beta" });
      this.scales = SCALES.map(function (pair) {
        return make("input", { type: "radio", name: "playground-scale", value: pair[0],
          id: "playground-scale-" + pair[0], autocomplete: "off" });
      });
      this.measures = make("p", { class: "playground-measures" });
      this.caption = make("p", { class: "playground-caption", id: "playground-caption" }, [
        "Jacobian: how the weight of key i (row) answers to the logit of key j (column); " +
        "no entry is larger than .25."]);
      this.table = make("table", { class: "playground-jacobian", "aria-labelledby": "playground-caption" });
      this.status = make("p", { class: "playground-status", role: "status", "aria-live": "polite" });
      this.panel = make("div", { class: "playground-panel" }, [
        make("p", { class: "playground-line" }, [
          make("label", { for: "playground-preset" }, ["Example"]), this.choice]),
        this.note,
        make("fieldset", {}, [make("legend", {}, ["Scale"])].concat(SCALES.map(function (pair, i) {
          return make("span", { class: "playground-option" }, [self.scales[i],
            make("label", { for: self.scales[i].id }, [pair[1]])]);
        }))),
        make("div", { class: "playground-turns" }, [
          make("p", {}, [make("label", { for: "playground-d" }, ["dimension d"]), this.dText, this.d]),
          make("p", {}, [make("label", { for: "playground-beta" }, ["scale β"]), this.betaText, this.beta]),
        ]),
        this.keys,
        make("p", { class: "playground-line" }, [this.more, this.less]),
        this.measures,
        this.caption,
        this.table,
        this.status,
      ]);
      this.listen();
    }

    listen() {
      var self = this;
      this.choice.addEventListener("input", function () {
        if (self.choice.value !== "") self.change(self.presets[self.choice.value].state);
      });
      this.more.addEventListener("click", function () { self.resize(self.state.scores.concat(0)); });
      this.less.addEventListener("click", function () { self.resize(self.state.scores.slice(0, -1)); });
      this.d.addEventListener("input", function () {
        self.change(playground.withDimension(self.state, Math.pow(2, Number(self.d.value))));
      });
      this.beta.addEventListener("input", function () {
        self.change({ scores: self.state.scores, d: self.state.d, scale: Math.pow(2, Number(self.beta.value)) });
      });
      this.scales.forEach(function (radio) {
        radio.addEventListener("input", function () {
          var scale = radio.value === "own" ? playground.beta(self.state) : radio.value;
          self.change({ scores: self.state.scores, d: self.state.d, scale: scale });
        });
      });
    }

    addRow(i) {
      var self = this, name = "playground-key-" + (i + 1);
      var row = {
        input: make("input", { type: "range", id: name }),
        score: make("span", { class: "playground-score" }),
        bar: make("span", { class: "playground-bar" }),
        weight: make("span", { class: "playground-weight" }),
      };
      row.whole = make("div", { class: "playground-key" }, [
        make("label", { for: name }, ["key " + (i + 1)]), row.input, row.score,
        make("span", { class: "playground-track", "aria-hidden": "true" }, [row.bar]), row.weight]);
      row.input.addEventListener("input", function () {
        var scores = self.state.scores.slice();
        scores[i] = Number(row.input.value);
        self.dragging = true;
        self.change({ scores: scores, d: self.state.d, scale: self.state.scale });
        self.dragging = false;
      });
      this.keys.append(row.whole);
      this.rows.push(row);
    }

    // ------------------------------------------------------------------------ showing

    /** Take over the state that the address names; say whether it names one. */
    follow() {
      var state = playground.fromHash(window.location.hash);
      if (!state) return false;
      this.show(state);
      this.scrollIntoView({ block: "start" });
      return true;
    }

    resize(scores) {
      if (scores.length < 2 || scores.length > playground.MOST_KEYS) return;
      this.change({ scores: scores, d: this.state.d, scale: this.state.scale });
    }

    /** The reader changed something: show it, name it in the address, and say it. */
    change(state) {
      var self = this;
      this.show(state);
      window.clearTimeout(this.timer);
      this.timer = window.setTimeout(function () {
        // Browsers refuse many changes of the address in a short time, so only the last counts.
        window.history.replaceState(null, "", playground.toHash(self.state));
        self.status.textContent = self.said;
      }, QUIET);
    }

    show(state) {
      this.state = state;
      var weights = playground.softmax(playground.logits(state));
      this.showKeys(state, weights);
      this.showControls(state);
      this.showMeasures(weights);
      this.showJacobian(playground.jacobian(weights));
    }

    showKeys(state, weights) {
      while (this.rows.length < state.scores.length) this.addRow(this.rows.length);
      while (this.rows.length > state.scores.length) this.rows.pop().whole.remove();
      var reach = this.dragging ? this.reach : playground.reach(state);
      this.reach = reach;
      this.rows.forEach(function (row, i) {
        row.input.min = -reach;
        row.input.max = reach;
        row.input.step = reach / 200;
        if (Number(row.input.value) !== state.scores[i]) row.input.value = state.scores[i];
        row.score.textContent = score(state.scores[i]);
        row.input.setAttribute("aria-valuetext",
          "score " + score(state.scores[i]) + ", weight " + written(weights[i], 3));
        row.bar.style.width = 100 * weights[i] + "%";
        row.weight.textContent = written(weights[i], 3);
      });
    }

    showControls(state) {
      var value = playground.beta(state), own = typeof state.scale === "number";
      var found = this.presets.findIndex(function (preset) {
        return playground.toHash(preset.state) === playground.toHash(state);
      });
      this.choice.value = found < 0 ? "" : String(found);
      this.note.textContent = found < 0 ? "" : this.presets[found].note;
      this.more.setAttribute("aria-disabled", String(state.scores.length === playground.MOST_KEYS));
      this.less.setAttribute("aria-disabled", String(state.scores.length === 2));
      this.d.value = Math.log2(state.d);
      this.d.setAttribute("aria-valuetext", String(state.d));
      this.dText.textContent = String(state.d);
      this.beta.value = Math.log2(value);
      this.beta.setAttribute("aria-valuetext", beta(value));
      this.betaText.textContent = beta(value);
      this.scales.forEach(function (radio) {
        radio.checked = radio.value === (own ? "own" : state.scale);
      });
    }

    showMeasures(weights) {
      var n = weights.length, top = Math.max.apply(null, weights);
      var words = "Largest weight " + written(top, 3) + " on key " + (weights.indexOf(top) + 1) +
        ". Entropy " + written(playground.entropy(weights), 2) + " of at most " +
        written(Math.log(n), 2) + " nats. Effective keys " +
        written(playground.effectiveKeys(weights), 2) + " of " + n + ".";
      this.measures.textContent = words;
      this.said = words;
    }

    showJacobian(rows) {
      if (this.table.rows.length !== rows.length + 1) this.buildJacobian(rows.length);
      var cells = this.table.querySelectorAll("td");
      rows.forEach(function (row, i) {
        row.forEach(function (value, j) {
          var cell = cells[i * row.length + j];
          cell.textContent = written(value, 2).replace(/^(−?)0\./, "$1.");
          cell.className = value < 0 ? "minus" : "plus";
          cell.style.setProperty("--share", Math.round(400 * Math.abs(value)) + "%");
        });
      });
    }

    buildJacobian(n) {
      var places = Array.from({ length: n }, function (_, i) { return i + 1; });
      this.table.replaceChildren(
        make("tbody", {}, [make("tr", {}, [make("th", { scope: "col" }, ["i \\ j"])].concat(
          places.map(function (j) { return make("th", { scope: "col" }, [String(j)]); })))].concat(
          places.map(function (i) {
            return make("tr", {}, [make("th", { scope: "row" }, [String(i)])].concat(
              places.map(function () { return make("td"); })));
          }))));
    }
  }

  window.customElements.define(playground.NAME, SoftmaxPlayground);
})(window.whySqrtDPlayground = window.whySqrtDPlayground || {});
