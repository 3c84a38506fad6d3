/* The theme asks for this script, which draws every Font Awesome icon there is (543 kB gzipped).
   The theme's own stylesheet draws the icons from a font, and vendor/fontawesome/webfonts holds
   just the glyphs that the theme uses, so nothing is left to do here. */
