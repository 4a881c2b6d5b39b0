"""Which words carry a full stop without ending a sentence, and which often begin one?

One list for all languages: what is an abbreviation in one is seldom the last word of a sentence in
another, and where it is, it stands among those that may end one.
"""

# ruff: noqa: SIM905 - word lists read better as prose

# Never end a sentence: something always follows them.
TITLES = frozenset(
    "mr mrs ms dr prof st rev hon gen col sgt capt lt cmdr adm gov sen rep pres messrs mt ft "
    "fig figs eq eqs sec ch vol vols no nos pp ed eds cf e.g i.e eg ie vs v approx ca al "
    "dept "
    # Hindi
    "डॉ "
    # German
    "z.b d.h u.a i.d.r nr vgl abb bzw ggf evtl inkl exkl zzgl sog bspw dipl hrsg hl insb "
    # French
    "mme mlle p.ex c.-à-d env "
    # Spanish and Portuguese
    "ee sra srta dra dña p.ej núm pág págs aprox avda lic gral exmo "
    # Italian
    "sig sig.ra dott dott.ssa avv pag pagg p.es "
    # Dutch, Polish, Czech, Russian
    "dhr mevr bijv d.w.z drs np tzn tzv např m.in mgr inż ул им т.е см".split()
)
# May end a sentence: only if a word follows that commonly begins one.
ABBREVIATIONS = frozenset(
    "jan feb mar apr jun jul aug sept sep oct nov dec mon tue tues wed thu thur thurs fri sat sun "
    "inc ltd co corp bros llc plc jr sr ph.d m.d b.a m.a b.sc m.sc etc est min max hr hrs sq "
    "u.s u.k u.n u.s.a e.u d.c a.m p.m a.d b.c ave blvd rd av univ assn intl govt "
    # Of courts and their rules
    "civ proc supp cir crim evid cal "
    # German
    "abt usw u.s.w etc.pp mio mrd jh jhd chr geb gest str tel bd einschl ausschl usf u.ä o.ä "
    # French, Spanish, Portuguese, Italian
    "av j.-c éd mm ste s.a s.l ud uds ee.uu uu a.c d.c ecc s.p.a s.r.l séc tél "
    # Dutch, Polish, Czech, Russian
    "enz blz o.a itd itp atd руб млн тыс млрд др т.д т.п".split()
)
# Go on only before a number.
BEFORE_NUMBERS = frozenset("art chap cap abs op".split())
_ENGLISH = (
    "a an the this that these those it its he she we they i you his her their our my in on at by "
    "for from with as if when while after before since because although though however but and so "
    "also there here then thus therefore moreover furthermore additionally other some many most "
    "all both each no not what who how why where overall finally first second third"
)
_GERMAN = (
    "der die das ein eine er sie es wir ihr ich sein seine ihre dieser diese dieses im am auf "
    "bei mit nach seit für von zu aus um durch als wenn weil da dann danach daher deshalb doch "
    "aber und oder auch nur so später heute dort hier viele alle einige man sein zudem außerdem"
)
_ROMANCE = (
    "il elle ils elles nous vous ce cette ces cet un une des dans sur avec pour par après avant "
    "puis mais ainsi aussi alors on c'est "
    "él ella ellos ellas esto esta este estos estas una unos en con para por tras después luego "
    "pero también así su sus "
    "lui lei loro questo questa questi queste gli nel nella con dopo poi ma anche così suo "
    "ele ela eles elas isto isso uma em com depois mas também"
)
_OTHERS = (
    "het een hij zij ze wij dit deze dat de en maar toen daarna "
    "ona oni ale jednak "
    "он она они оно это эта этот эти в на но и а по его её с к у из за для также кроме после "
    "однако затем тогда"
)
STARTERS = frozenset(f"{_ENGLISH} {_GERMAN} {_ROMANCE} {_OTHERS}".split())
# Months whose names follow a day with a full stop, and what stands before an ordinal in German.
MONTHS = frozenset(
    "januar jänner februar märz april mai juni juli august september oktober november dezember "
    "jan feb mär apr jun jul aug sep sept okt nov dez".split()
)
ENGLISH_MONTHS = frozenset(
    "january february march april may june july august september october november december jan feb "
    "mar apr jun jul aug sep sept oct nov dec".split()
)
BEFORE_ORDINALS = frozenset(
    "der dem den des das im vom zum zur beim ins dieser diesem diesen jeder jedem ihr ihrem ihren "
    "ihrer sein seinem seinen seiner ihre seine am die bis".split()
)
# Also words of English: they count only beside one that is not.
AMBIGUOUS = frozenset({"am", "die", "bis"})
GERMAN = frozenset(
    "der das und ist wurde wurden im den dem des ein eine einen nicht mit von auf für sich er "
    "sie es zum zur vom seit nach".split()
)
