/* All other scripts wait in a template: asked for at once they would share the line with the fonts,
   for which the first paint waits. Here they are asked for, when the fonts are there or have failed;
   the first of them has the other fonts, for which first.js may have asked. */
{
  const fonts = document.getElementById("fonts");
  let asked = false;
  /* What a phone lays out when it comes near (course.css) is laid out ahead, section by section, while
     nothing else is to be done: so each has its true height, and the theme, which asks for the width
     of all code at once, need not wait. */
  const ahead = () => {
    const sections = [...document.querySelectorAll(".bd-article > section > section")];
    const idle = window.requestIdleCallback ?? setTimeout;
    const next = () => {
      const section = sections.shift(), last = section?.lastElementChild;
      if (!last) return;
      const height = last.getBoundingClientRect().bottom - section.getBoundingClientRect().top;
      section.style.containIntrinsicBlockSize = `auto ${Math.round(height)}px`;
      idle(next);
    };
    idle(next);
  };
  const ask = () => {
    if (asked) return;
    asked = true;
    for (const { attributes } of document.getElementById("scripts").content.querySelectorAll("script")) {
      if (attributes.id && document.getElementById(attributes.id.value)) {
        ahead();
        continue;
      }
      const script = document.createElement("script");
      if (attributes.id) script.addEventListener("load", ahead);
      for (const { name, value } of attributes) script.setAttribute(name, value);
      script.async = false; // one after the other
      document.body.append(script);
    }
  };
  if (fonts.done) ask();
  else {
    for (const kind of ["load", "error"]) fonts.addEventListener(kind, ask);
    window.addEventListener("load", ask); // if they failed before this script ran
  }
}
