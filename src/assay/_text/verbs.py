"""The forms of English verbs: which form a word may be, and how a verb is written in another.

No whole dictionary: the verbs that answers are written with, and the regular endings of all others.
"""

import re

from assay._text.expressions import expression

# ruff: noqa: SIM905 - word lists read better as prose

BE = "is are was were"
HAVE = "has have had"
MODAL = "can could will would may might must should does did do cannot"
# Seldom taken for nouns.
_VERBS = (
    "abolish absorb abstain accelerate accept accommodate accompany accumulate accuse achieve "
    "acknowledge acquire acquit adapt add adjust admit adopt advise affect afford aggravate agree "
    "alert allege alleviate allow alter amend announce anticipate appear apply appoint appreciate "
    "approve argue arise arrange arrest arrive ask assemble assess assist assume attach attain "
    "attend attract avoid bake bark be bear become beg begin behave believe belong bind bleed "
    "blend boast boost borrow bother break breathe bring broaden brown build buy calculate cancel "
    "carry cater celebrate choose chop circulate cite clarify classify clean click climb collapse "
    "collect combine come commemorate comment commit communicate compare compensate compete "
    "complete comply compose comprise conclude conduct confess confirm connect consider consist "
    "consult consume contain continue contribute convert convey convict convince cook cool "
    "coordinate cope correspond create criticise criticize damage deal decide declare decline "
    "dedicate define delay delete deliver demonstrate deny depart depend depict derive descend "
    "describe deserve destroy detach detect determine develop devote dice die differ dig diminish "
    "dine disappear discard disclose disconnect discover discuss dismiss dissolve distinguish "
    "distribute divide donate download drag drain draw drive earn ease eat edit educate elect "
    "eliminate embrace emerge emigrate emphasise emphasize employ enable encompass encounter "
    "encourage enforce engage enhance enjoy enlarge enrich ensure enter equal erect establish "
    "evaluate evolve examine exceed exclude exhale exist expand expect expire explain explode "
    "explore expose express extend facilitate fail feed feel fertilize fetch fill finish follow "
    "forbid forget formulate fry fulfil fulfill gather generate germinate get give glue go govern "
    "grab graduate grant grease greet grill grow hail handle happen harvest heal hear help hide "
    "hire hold host identify ignore illustrate imagine imply import impose improve include "
    "incorporate indicate induce infect inform inhabit inhale inherit inhibit initiate injure "
    "insert insist inspect inspire install integrate intend interpret interview introduce invade "
    "invent invest investigate invite involve issue join justify keep kill knit know lack last "
    "launch lay lead learn lend let listen live locate loosen lose lower maintain make manage "
    "manufacture marinate marry mean melt memorise mention migrate minimise minimize modify "
    "monitor motivate mourn move mow narrate navigate obtain occupy occur offer open operate "
    "oppose organise organize originate overcome oversee owe own participate pay perform plead "
    "pledge portray possess prefer preheat prepare preserve prevent proceed prohibit promote "
    "propose protect prove provide prune publish pull pursue put quit raise reach react read "
    "realise realize reboot rebuild recall receive recognise recognize recommend recount recover "
    "reduce refer reflect refrigerate refuse regulate reject relate release relieve rely remain "
    "remember remind remove renovate repeat replace reply represent reproduce require rescue "
    "reside resign resolve respond restore restrict result retain retire retrieve reveal revise "
    "rewrite rinse roast rob rotate run satisfy save say scroll season secure see seek seem "
    "select sell send separate serve settle sew shine shrink shut simmer sink sit skip soften "
    "solve soothe sow speak specialise specialize specify spend spread sprinkle squeeze stab "
    "stand steal stir strengthen strive struggle submit succeed sue suffer suggest suit summarise "
    "summarize supervise support surpass surround survive suspend swallow swell symbolise "
    "symbolize take tap teach tell tend testify thank thaw thicken think threaten throw tighten "
    "transform translate transmit treat try undergo understand undertake uninstall unite unscrew "
    "update uphold upload urge utilise utilize vanish vary violate visit vow wait wander want "
    "warn wash weaken wear weigh welcome whisk withdraw withstand work worsen wrap write "
    "betray bully compile conceive confer crave decorate defy deploy deteriorate devise disrupt "
    "embark enact endure enlist entertain erode evade exploit ferment flee forgive furnish "
    "heighten hinder incur inflate intervene irrigate nominate oblige omit outlive outnumber "
    "overlook persist persuade pollinate postpone precede prescribe prevail proclaim prolong "
    "provoke publicise publicize purify rebuke rehearse renew repay resemble resume reunite "
    "revive revolve scold simplify stimulate subscribe summon supersede surrender sustain "
    "tolerate unveil veto wield"
)
# Often nouns: "costs 5", but "the costs".
_ALSO_NOUNS = (
    "access account act address age aid aim air alarm amount answer appeal approach attack "
    "attempt attribute award back balance ban bar base battle beat bend benefit bill bite block "
    "blow board boil book bow brake branch breed bridge brush burn bus buzz call care case catch "
    "cause center centre challenge change charge check claim class clear close coat colour "
    "command compound concern conflict contact contract contrast control copy cost count cover "
    "crack crash credit cross crowd cure cut dance date debate decrease defeat defend demand "
    "deposit design desire display document double doubt draft dream dress drill drink drop dry "
    "edge end escape estimate exercise exit experience export face fall farm favour fear feature "
    "fight figure file film finance find fine fire fit flash flood flow flower fly focus fold "
    "force forecast form frame free freeze fuel function fund gain grade grip group guard guess "
    "guide halt hand hang harm head heat highlight hit honour hope house hunt hurt impact "
    "increase index influence interest iron journey judge jump kick label land laugh leak lease "
    "leave lecture level lie lift light like limit line link list load lock log look love lunch "
    "mail map mark market match matter measure meet mine mirror mix model mount name need note "
    "notice object order outline pack paint pair park partner pass pause peak peel permit phone "
    "pick picture place plan plant play plot point position post pour power practice practise "
    "praise present press price print process produce profit program project promise pump "
    "purchase push question quote race rain range rank rate record recruit reform refund regret "
    "rent repair report request research reserve rest return review reward ride ring rise risk "
    "rock roll round row rub rule rush sail scale scan schedule score scream seal search seat "
    "seed sentence set shape share shift ship shock shoot shop show sign signal sleep slice slide "
    "slip slow smell smile smoke soak sound source span spark speed spell split sponsor spot "
    "spray stage stamp star start state stay steam stem step stick stop store stress stretch "
    "strike strip structure study sum supply surface surprise survey sweep swim swing switch talk "
    "target taste tax tear tempt test tie time tip toast top total touch tour trace track trade "
    "train transfer transport travel treasure trial trick trigger trim trust turn twist type "
    "unlock upgrade use value view voice vote wake walk waste watch weather wheel whip win wind "
    "wish witness wonder wound yield"
)
_ALSO_ADJECTIVES = (
    "clean close complete cool dry equal empty free last live lower moderate open perfect present "
    "secure separate slow warm"
)
# Base, past and, if it is another, participle.
_IRREGULAR = (
    "arise arose arisen|be was been|bear bore born|beat beat beaten|become became become|"
    "begin began begun|bend bent|bind bound|bleed bled|blow blew blown|"
    "break broke broken|breed bred|bring brought|build built|buy bought|catch caught|"
    "choose chose chosen|come came come|cut cut|deal dealt|dig dug|draw drew drawn|"
    "drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|"
    "fight fought|find found|flee fled|fly flew flown|forbid forbade forbidden|"
    "forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|get got|give gave given|"
    "go went gone|"
    "grow grew grown|hang hung|hear heard|hide hid hidden|hit hit|hold held|hurt hurt|keep kept|"
    "know knew known|lay laid|lead led|leave left|lend lent|let let|lie lay lain|lose lost|"
    "make made|mean meant|meet met|mislead misled|mistake mistook mistaken|"
    "outbid outbid|outdo outdid outdone|undercut undercut|overthrow overthrew overthrown|"
    "overcome overcame overcome|oversee oversaw overseen|overtake overtook overtaken|pay paid|"
    "prove proved proven|put put|quit quit|read read|rebuild rebuilt|rewrite rewrote rewritten|"
    "ride rode ridden|ring rang rung|rise rose risen|run ran run|say said|see saw seen|"
    "seek sought|sell sold|send sent|set set|sew sewed sewn|shake shook shaken|shine shone|"
    "shoot shot|show showed shown|shrink shrank shrunk|shut shut|sing sang sung|sink sank sunk|"
    "sit sat|sleep slept|slide slid|sow sowed sown|speak spoke spoken|spend spent|split split|"
    "spread spread|stand stood|steal stole stolen|stick stuck|strike struck|"
    "strive strove striven|swear swore sworn|swell swelled swollen|swim swam swum|"
    "take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|"
    "undergo underwent undergone|understand understood|undertake undertook undertaken|"
    "uphold upheld|wake woke woken|wear wore worn|weave wove woven|win won|"
    "withdraw withdrew withdrawn|withstand withstood|write wrote written"
)
# Never passive: after "was born" they begin a predicate of their own.
_INTRANSITIVE = frozenset(
    "die live serve work remain retire return arrive emigrate appear graduate resign disappear "
    "exist belong go come fall rise sleep happen occur".split()
)
# Regular verbs that double their last letter.
_DOUBLING = frozenset(
    "admit ban commit control drop equip fit occur permit plan prefer refer regret rub ship shop "
    "skip slip spot step stop submit tip top transfer transmit travel cancel label trap trim trip "
    "whip begin cut get hit let put quit run set shut sit swim win forget split program dig".split()
)


def third_person(base: str) -> str:
    """The form behind "it": "costs", "carries"."""
    if base in {"have", "be"}:
        return {"have": "has", "be": "is"}[base]
    if re.search(r"(?:s|x|z|ch|sh|o)$", base):
        return f"{base}es"
    return f"{base[:-1]}ies" if re.search(r"[^aeiou]y$", base) else f"{base}s"


def past(base: str) -> str:
    """The simple past: "finished", "held"."""
    if base in {"have", "be", "do"}:
        return {"have": "had", "be": "was", "do": "did"}[base]
    if base in _IRREGULARS:
        return _IRREGULARS[base][0]
    if base.endswith("e"):
        return f"{base}d"
    if re.search(r"[^aeiou]y$", base):
        return f"{base[:-1]}ied"
    return f"{base}{base[-1] if base in _DOUBLING else ''}ed"


def base(word: str) -> str:
    """The base of an irregular form, "teach" for "taught"; any other word as it is."""
    return _IRREGULAR_BASES.get(word, word)


def base_of_ing(word: str) -> str:
    """What "holding" is a form of; "" for a verb that is not known."""
    return _BASES.get(word, "")


def forms(word: str) -> frozenset[str]:
    """What a word may be: "base", "s", "past", "participle", "ing"; nothing if it is no verb."""
    known_forms = _FORMS.get(word)
    if known_forms is not None:
        return known_forms
    ended = word.endswith("ed") and _ENDED_IN_ED.fullmatch(word) and word not in _NO_PAST
    return _ENDED if ended else _NONE


def is_known(word: str) -> bool:
    """Whether a word is a form of one of the verbs listed here."""
    return word in _FORMS


def is_never_passive(word: str) -> bool:
    """Whether a past form is of a verb without an object: "died"."""
    return word in _NEVER_PASSIVE


def is_also_noun(word: str) -> bool:
    """Whether a form of the present is a noun or adjective as often as a verb: "costs", "lower"."""
    return word in _NOUNS


_NO_PAST = frozenset("indeed hundred embed speed breed seed weed need exceed proceed".split())
_IRREGULARS = {
    base: (second, *third)
    for base, second, *third in (entry.split() for entry in _IRREGULAR.split("|"))
}
_IRREGULAR_BASES = {
    form: base for base, forms_ in _IRREGULARS.items() for form in forms_ if form != base
} | {"is": "be", "are": "be", "were": "be", "has": "have", "does": "do"}
# Else what follows "-ceed" would be cut off twice.
_IRREGULAR_BASES |= {f"{verb}ed": verb for verb in ("succeed", "exceed", "proceed")}
_NEVER_PASSIVE = {past(base) for base in _INTRANSITIVE}
_NOUNS = {word for base in _ALSO_NOUNS.split() for word in (base, third_person(base))}
_NOUNS |= set(_ALSO_ADJECTIVES.split())
_FORMS: dict[str, frozenset[str]] = {}
_ENDED_IN_ED = expression(r"[a-z]{3,}ed")
_NONE: frozenset[str] = frozenset()
_ENDED = frozenset({"past", "participle"})
_BASES: dict[str, str] = {}


def _ing(base: str) -> str:
    if base.endswith("ie"):
        return f"{base[:-2]}ying"
    if re.search(r"[^eoy]e$", base) and base != "be":
        return f"{base[:-1]}ing"
    return f"{base}{base[-1] if base in _DOUBLING else ''}ing"


def _learn(base: str) -> None:
    """Enter all the forms of a verb."""
    second, *third = _IRREGULARS.get(base, (past(base),))
    ing = _ing(base)
    _BASES[ing] = base
    for word, form in (
        (base, "base"),
        (third_person(base), "s"),
        (second, "past"),
        (third[0] if third else second, "participle"),
        (ing, "ing"),
    ):
        _FORMS[word] = _FORMS.get(word, _NONE) | {form}


for _base in dict.fromkeys([*_VERBS.split(), *_ALSO_NOUNS.split(), *_IRREGULARS]):
    if _base != "be":
        _learn(_base)

_NEVER_NOUNS = sorted(
    {
        *f"{BE} {HAVE} {MODAL}".split(),
        *(second for second, *_ in _IRREGULARS.values()),
        *(third_person(base) for base in _VERBS.split() if third_person(base) not in _NOUNS),
    }
)
# A finite verb, as far as its form tells.
FINITE = rf"(?:(?:{'|'.join(_NEVER_NOUNS)})|[a-z]{{3,}}ed)"
