/* <moving-figure>: native controls step through pictures that were drawn when the site was built.

   Inside: an img, the controls (hidden until this script runs), a status line, and the frames as
   JSON: { controls: [{label, texts}], frames: [address], texts: [alternative] }, the last control
   turning fastest. Nothing moves by itself.

   The script may come before the figure has been read to its end, so that the first figure of a
   long page answers while the browser reads on. */
(function () {
  "use strict";

  var QUIET = 700; // ms without a turn before the status line speaks
  var PATIENCE = 300; // ms until a picture that is still on its way is said to be
  var NEAR = "600px"; // pictures are fetched when the figure comes this close to the view
  var ABREAST = 6; // pictures fetched at once that nobody has asked for yet
  var LULL = 150; // ms that these wait for a first turn, whose picture goes before them

  class MovingFigure extends HTMLElement {
    connectedCallback() {
      if (this.spec) return;
      if (!this.querySelector("noscript")) { // its last child is not there yet
        window.setTimeout(this.connectedCallback.bind(this), 20);
        return;
      }
      this.spec = JSON.parse(this.querySelector("script[type='application/json']").textContent);
      this.image = this.querySelector("img");
      this.status = this.querySelector(".moving-status");
      this.inputs = Array.from(this.querySelectorAll("input, select"));
      this.loaded = new Map(); // address -> promise of a picture
      this.ready = new Set(); // addresses that can be shown at once
      this.queue = []; // frames to fetch when there is time
      this.fetching = 0; // how many of them are on their way
      this.querySelector(".moving-controls").hidden = false;
      this.addEventListener("input", function () { this.turn(); });
      // JupyterLab takes arrow keys away from outputs unless they stop here.
      this.addEventListener("keydown", function (event) { event.stopPropagation(); });
      ["pointerenter", "focusin"].forEach(function (name) {
        this.addEventListener(name, this.touch.bind(this), { once: true });
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

    /** A picture that is wanted now overtakes those that may be wanted later. */
    fetch(index, priority) {
      var address = this.spec.frames[index], ready = this.ready, loaded = this.loaded;
      if (!loaded.has(address)) {
        var picture = new Image();
        var there = new Promise(function (done, failed) {
          picture.onload = done;
          picture.onerror = failed;
        });
        picture.fetchPriority = priority;
        picture.src = address;
        loaded.set(address, there.then(function () {
          ready.add(address);
          // For a later turn. One that waits is not kept waiting for it: while a page is read, a
          // browser may take its time to decode.
          picture.decode().catch(function () {});
          return picture; // kept, so that the browser keeps it decoded
        }));
        // What failed is tried again at the next turn.
        loaded.get(address).catch(function () { loaded.delete(address); });
      }
      return loaded.get(address);
    }

    touch() {
      this.touched = true;
      window.setTimeout(this.prepare.bind(this), LULL);
    }

    /** Fetch what a turn may ask for: what is near first, and all of it once somebody is here.
        While a picture that was asked for is on its way, its line is left free. */
    prepare() {
      if (this.wanted !== undefined && !this.ready.has(this.spec.frames[this.wanted])) return;
      var near = [this.index(this.places())].concat(this.neighbours());
      var rest = this.touched ? this.spec.frames.map(function (_, index) { return index; }) : [];
      this.queue = near.concat(rest).filter(function (index) {
        return !this.ready.has(this.spec.frames[index]);
      }, this);
      while (this.fetching < ABREAST && this.queue.length) this.fetchNext();
    }

    fetchNext() {
      var self = this;
      function done() {
        self.fetching -= 1;
        if (self.queue.length) self.fetchNext();
      }
      this.fetching += 1;
      this.fetch(this.queue.shift(), "low").then(done, done);
    }

    watch() {
      var self = this;
      if (!("IntersectionObserver" in window)) return;
      var observer = new IntersectionObserver(function (entries) {
        if (!entries.some(function (entry) { return entry.isIntersecting; })) return;
        observer.disconnect();
        self.prepare();
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
      else this.fetch(index, "high").then(
        function () { if (self.wanted === index) self.show(index); },
        function () { if (self.wanted === index) self.fail(); }
      );
    }

    /** Picture and text alternative change together; the status line follows after a pause. */
    show(index) {
      this.image.src = this.spec.frames[index];
      this.image.alt = this.spec.texts[index];
      this.image.removeAttribute("data-stale");
      this.later(QUIET, this.speak);
      this.prepare();
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
