// Starts the slides. S opens a second window with what the speaker may say, ? shows every key.
Reveal.initialize({
  width: 1280,
  height: 720,
  margin: 0.03,
  center: false,
  hash: true,
  slideNumber: "c/t",
  transition: "none",
  backgroundTransition: "none",
  postMessage: false,
  showNotes: new URLSearchParams(location.search).has("notes"),
}).then(() => Reveal.layout());

// The two windows turn together; what one has heard from the other it does not say again.
let other = window.opener;
let heard = null;
Reveal.addKeyBinding({ keyCode: 83, key: "S", description: "Speaker's window, with notes" }, () => {
  const address = new URL(location.href);
  address.searchParams.set("notes", "");
  other = window.open(address, "_blank", "popup,width=1200,height=620");
});
Reveal.on("slidechanged", ({ indexh }) => {
  if (indexh !== heard) other?.postMessage({ slide: indexh }, "*");
  heard = null;
});
window.addEventListener("message", ({ source, data }) => {
  if (source !== other || !Number.isInteger(data?.slide)) return;
  if (data.slide === Reveal.getIndices().h) return;
  heard = data.slide;
  Reveal.slide(heard);
});
