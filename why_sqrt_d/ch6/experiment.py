"""Chapter 6: every experiment of the chapter; each is declared in a module beside this one."""

from why_sqrt_d.ch6 import controls, odd_strings, searched, table

EXPERIMENTS = (
    *table.EXPERIMENTS,
    *controls.EXPERIMENTS,
    *searched.EXPERIMENTS,
    *odd_strings.EXPERIMENTS,
)
