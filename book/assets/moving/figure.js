/* <moving-figure>: native controls step through pictures that were drawn when the site was built.

   Inside: an img, the controls (hidden until this script runs), a status line, and the frames as
   JSON: { controls: [{label, texts}], frames: [address], texts: [alternative] }, the last control
   turning fastest. Nothing moves by itself. */
(function () {
  "use strict";

  var QUIET = 700; // ms without a turn before the status line speaks
  var PATIENCE = 300; // ms until a picture that is still on its way is said to be
  var NEAR = "600px"; // pictures are fetched when the figure comes this close to the view

  class MovingFigure extends HTMLElement {
    connectedCallback() {
      if (this.spec) return;
      this.spec = JSON.parse(this.querySelector("script[type='application/json']").textContent);
      this.image = this.querySelector("img");
      this.status = this.querySelector(".moving-status");
      this.inputs = Array.from(this.querySelectorAll("input, select"));
      this.loaded = new Map(); // address -> promise of a decoded picture
      this.ready = new Set(); // addresses that can be shown at once
      this.ready.add(this.spec.frames[this.spec.start]);
      this.querySelector(".moving-controls").hidden = false;
      this.addEventListener("input", function () { this.turn(); });
      // JupyterLab takes arrow keys away from outputs unless they stop here.
      this.addEventListener("keydown", function (event) { event.stopPropagation(); });
      var all = this.fetchAll.bind(this);
      ["pointerenter", "focusin"].forEach(function (name) {
        this.addEventListener(name, all, { once: true });
      }, this);
      this.watch();
      // A browser that restored the page may have restored the controls.
      if (this.index(this.places()) !== this.spec.start) this.turn();
    }

    places() {
      return this.inputs.map(function (input) {
        return input.type === "checkbox" ? Number(input.checked) : Number(input.value);
      });
    }

    index(places) {
      var controls = this.spec.controls;
      return places.reduce(function (sum, place, i) {
        return sum * controls[i].texts.length + place;
      }, 0);
    }

    /** The frames that one turn of one control leads to, the nearest first. */
    neighbours() {
      var places = this.places(), found = [], self = this;
      for (var step = 1; step < 64; step += 1) {
        this.spec.controls.forEach(function (control, i) {
          [-step, step].forEach(function (by) {
            var other = places.slice();
            other[i] += by;
            if (other[i] >= 0 && other[i] < control.texts.length) found.push(self.index(other));
          });
        });
      }
      return found;
    }

    fetch(index) {
      var address = this.spec.frames[index], ready = this.ready, loaded = this.loaded;
      if (!loaded.has(address)) {
        var picture = new Image();
        picture.src = address;
        loaded.set(address, picture.decode().then(function () {
          ready.add(address);
          return picture; // kept, so that the browser keeps it decoded
        }));
        // What failed is tried again at the next turn.
        loaded.get(address).catch(function () { loaded.delete(address); });
      }
      return loaded.get(address);
    }

    fetchNear() {
      this.fetch(this.index(this.places()));
      this.neighbours().forEach(this.fetch, this);
    }

    fetchAll() {
      this.fetchNear();
      this.spec.frames.forEach(function (_, index) { this.fetch(index); }, this);
    }

    watch() {
      var self = this;
      if (!("IntersectionObserver" in window)) return;
      var observer = new IntersectionObserver(function (entries) {
        if (!entries.some(function (entry) { return entry.isIntersecting; })) return;
        observer.disconnect();
        self.fetchNear();
      }, { rootMargin: NEAR });
      observer.observe(this);
    }

    turn() {
      var self = this, places = this.places(), index = this.index(places);
      this.spec.controls.forEach(function (control, i) {
        var text = control.texts[places[i]], input = self.inputs[i];
        if (input.type !== "range") return;
        input.setAttribute("aria-valuetext", text);
        self.querySelector("[data-for='" + input.id + "']").textContent = text;
      });
      this.wanted = index;
      this.later(PATIENCE, this.wait);
      if (this.ready.has(this.spec.frames[index])) this.show(index);
      else this.fetch(index).then(
        function () { if (self.wanted === index) self.show(index); },
        function () { if (self.wanted === index) self.fail(); }
      );
      this.fetchNear();
    }

    /** Picture and text alternative change together; the status line follows after a pause. */
    show(index) {
      this.image.src = this.spec.frames[index];
      this.image.alt = this.spec.texts[index];
      this.image.removeAttribute("data-stale");
      this.later(QUIET, this.speak);
    }

    wait() {
      this.image.setAttribute("data-stale", "");
      this.say("Fetching the picture.");
    }

    fail() {
      this.image.setAttribute("data-stale", "");
      this.later(0, function () {
        this.say("This picture could not be fetched; the one above belongs to earlier settings.");
      });
    }

    speak() {
      var places = this.places();
      this.say("The figure shows " + this.spec.controls.map(function (control, i) {
        return control.label + ": " + control.texts[places[i]];
      }).join(", ") + ".");
    }

    say(text) {
      this.status.textContent = text;
    }

    /** One thing at a time is waiting to be done. */
    later(ms, action) {
      window.clearTimeout(this.timer);
      this.timer = window.setTimeout(action.bind(this), ms);
    }
  }

  window.customElements.define("moving-figure", MovingFigure);
})();
