// Starts the slides. N shows what the speaker may say, ? every key.
Reveal.initialize({
  width: 1280,
  height: 720,
  margin: 0.03,
  center: false,
  hash: true,
  slideNumber: "c/t",
  transition: "none",
  backgroundTransition: "none",
  showNotes: new URLSearchParams(location.search).has("notes"),
});
Reveal.addKeyBinding({ keyCode: 78, key: "N", description: "Show the notes" }, () => {
  Reveal.configure({ showNotes: !Reveal.getConfig().showNotes });
});
