"""Everything of an owner as one file: planned, made in steps that survive a death, kept for some days.

`plan.py` says what belongs in it, `documents.py` writes what is text, `builder.py` does the steps and
`tar.py` is the form. What lies in R2 already is not copied: the archive names it, and it is poured in when
it is taken away.
"""
