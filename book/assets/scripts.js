/* All other scripts wait in a template: asked for at once they would share the line with the fonts,
   for which the first paint waits. Here they are asked for, when the fonts are there or have failed;
   the first of them has the other fonts, for which first.js may have asked. */
{
  const fonts = document.getElementById("fonts");
  let asked = false;
  const ask = () => {
    if (asked) return;
    asked = true;
    for (const { attributes } of document.getElementById("scripts").content.querySelectorAll("script")) {
      if (attributes.id && document.getElementById(attributes.id.value)) continue;
      const script = document.createElement("script");
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
