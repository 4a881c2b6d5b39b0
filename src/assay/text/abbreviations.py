"""Which words carry a full stop without ending a sentence, and which often begin one?"""

# ruff: noqa: SIM905 - word lists read better as prose

# Never end a sentence: something always follows them.
TITLES = frozenset(
    "mr mrs ms dr prof st rev hon gen col sgt capt lt cmdr adm gov sen rep pres messrs mt ft "
    "fig figs eq eqs sec ch vol vols no nos pp ed eds cf e.g i.e eg ie vs v approx ca al "
    "dept".split()
)
# May end a sentence: only if a word follows that commonly begins one.
ABBREVIATIONS = frozenset(
    "jan feb mar apr jun jul aug sept sep oct nov dec mon tue tues wed thu thur thurs fri sat sun "
    "inc ltd co corp bros llc plc jr sr ph.d m.d b.a m.a b.sc m.sc etc est min max hr hrs sq "
    "u.s u.k u.n u.s.a e.u d.c a.m p.m a.d b.c ave blvd rd av univ assn intl govt".split()
)
STARTERS = frozenset(
    "a an the this that these those it its he she they we i you his her their our my in on at by "
    "for from with as if when while after before since because although though however but and so "
    "also there here then thus therefore moreover furthermore additionally other some many most "
    "all both each no not what who how why where overall finally first second third".split()
)
