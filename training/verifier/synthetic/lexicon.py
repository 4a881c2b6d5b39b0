"""Words that may stand for each other, words that must not, and names to make records of.

Written by hand: the first senses of WordNet gave 160 exchangeable words in 26,000 sentences, half
of them wrong ("government" for "authorities", "selling" for "marketing"): no help.
"""

# ruff: noqa: SIM905 - word lists read better as prose

from __future__ import annotations

# Exchangeable in nearly every sentence, in both directions; forms are written out.
_SYNONYMS = """
often/frequently usually/normally/generally especially/particularly almost/nearly
approximately/about/roughly also/additionally primarily/mainly/chiefly however/nevertheless
therefore/consequently recently/lately subsequently/afterwards rarely/seldom entirely/completely
basically/essentially slightly/somewhat perhaps/possibly simultaneously/concurrently
significantly/considerably/substantially rapidly/quickly currently/presently
initially/originally large/big larger/bigger largest/biggest huge/enormous/vast
famous/renowned/well-known important/significant crucial/vital/essential difficult/hard
buy/purchase buys/purchases bought/purchased buying/purchasing start/begin starts/begins
started/began starting/beginning help/assist helps/assists helped/assisted helping/assisting
build/construct built/constructed building/constructing need/require needs/requires
needed/required obtain/get obtained/got obtaining/getting receive/get receives/gets received/got
show/demonstrate shows/demonstrates showed/demonstrated allow/permit allows/permits
allowed/permitted allowing/permitting reduce/lower reduced/lowered reducing/lowering
reduces/lowers increase/raise ensure/guarantee ensures/guarantees create/produce choose/select
chose/selected chosen/selected keep/retain kept/retained maintain/preserve end/finish
ended/finished ends/finishes assess/evaluate assessed/evaluated assessing/evaluating
examine/study examined/studied gather/collect gathered/collected use/utilize used/utilized
using/utilizing uses/utilizes occur/happen occurs/happens occurred/happened die/perish
attempt/try attempted/tried attempting/trying attempts/tries discuss/talk_about
discussed/talked_about earn/make employ/hire employed/hired explain/clarify explained/clarified
announce/declare announced/declared remain/stay remained/stayed remains/stays live/reside
lives/resides lived/resided living/residing include/comprise includes/comprises demand/call_for
author/writer film/movie films/movies lawyer/attorney lawyers/attorneys doctor/physician
doctors/physicians car/automobile cars/automobiles student/pupil teacher/instructor
teachers/instructors illness/disease child/kid children/kids method/technique methods/techniques
goal/aim goals/aims area/region areas/regions error/mistake errors/mistakes job/position
answer/reply benefit/advantage benefits/advantages company/firm companies/firms
manufacturer/maker manufacturers/makers customers/clients employee/worker employees/workers
people/individuals citizens/residents inhabitants/residents roughly/around sick/ill rich/wealthy
cheap/inexpensive expensive/costly fast/quick quick/rapid entire/whole enough/sufficient
typical/usual accurate/precise main/principal major/leading additional/extra numerous/many
many/a_lot_of several/a_number_of various/different because/since although/though within/inside
upon/on until/till near/close_to during/in_the_course_of despite/in_spite_of before/prior_to
besides/apart_from regarding/concerning about/concerning due_to/because_of in_order_to/to
such_as/like as_well_as/and according_to/as_stated_by a_number_of/several
in_addition/additionally well_known/famous located/situated founded/established establish/set_up
established/set_up released/put_out appointed/named elected/voted_in wed/married
died/passed_away killed/slain movie/motion_picture television/TV United_States/US
U.S./United_States United_Kingdom/UK percent/% %/_percent per_cent/% portrayed/played
stated/said states/says noted/pointed_out argued/contended believe/think believes/thinks
believed/thought suggests/indicates suggested/indicated indicate/suggest reveal/disclose
revealed/disclosed consists_of/is_made_up_of contains/holds provide/offer provides/offers
provided/offered providing/offering improve/enhance improves/enhances improved/enhanced
improving/enhancing prevent/avert prevents/averts destroyed/wrecked damaged/harmed injured/hurt
defeated/beat win/triumph obtain/acquire acquired/obtained depart/leave departed/left
purchase/buy purchased/bought sell/vend handle/deal_with respond/react strengthen/reinforce
encourage/urge encouraged/urged remember/recall enable/allow enables/allows enabling/allowing
enabled/allowed difficulties/problems difficulty/problem issue/problem issues/problems
couple/pair legal/lawful risk/danger risks/dangers danger/peril cities/towns country/nation
countries/nations war/armed_conflict attorney/counsel researchers/scientists experts/specialists
fuel/energy_source total/overall annual/yearly annually/every_year monthly/every_month
weekly/every_week daily/every_day nowadays/today worldwide/around_the_world globally/worldwide
majority/greater_part half/50% twice/two_times once/one_time double/twice_as_much fourth/4th
third/3rd second/2nd 1st/first 2nd/second 3rd/third
"""

# Opposites: to put one for the other makes another statement. One direction each way.
_ANTONYMS = """
increase/decrease increased/decreased increases/decreases increasing/decreasing rise/fall
rose/fell rises/falls grew/shrank grow/shrink growth/decline gain/loss gains/losses gained/lost
higher/lower highest/lowest high/low more/less most/least larger/smaller largest/smallest
large/small big/small major/minor longer/shorter longest/shortest long/short older/younger
oldest/youngest old/young faster/slower fast/slow hot/cold warm/cool early/late earlier/later
before/after first/last begin/end began/ended begins/ends beginning/end started/finished
opened/closed open/closed win/lose won/lost winning/losing victory/defeat victories/defeats
accepted/rejected accept/reject approved/rejected allow/forbid allowed/forbidden allows/forbids
permitted/prohibited included/excluded include/exclude includes/excludes including/excluding
added/removed add/remove adding/removing bought/sold buy/sell buying/selling import/export
imports/exports imported/exported arrived/left arrive/leave alive/dead birth/death born/buried
married/divorced male/female man/woman men/women boy/girl boys/girls husband/wife father/mother
son/daughter sons/daughters brother/sister brothers/sisters uncle/aunt king/queen
prince/princess north/south east/west northern/southern eastern/western northwest/southeast
northeast/southwest left/right up/down above/below inside/outside front/rear positive/negative
good/bad better/worse best/worst strong/weak stronger/weaker strongest/weakest safe/dangerous
legal/illegal possible/impossible necessary/unnecessary success/failure successful/unsuccessful
successfully/unsuccessfully true/false guilty/innocent convicted/acquitted public/private
internal/external always/never often/rarely frequently/rarely usually/rarely many/few
everyone/nobody everything/nothing support/oppose supported/opposed supporting/opposing
supports/opposes supporters/opponents rich/poor cheap/expensive easy/difficult easier/harder
easily/hardly wet/dry day/night summer/winter spring/autumn morning/evening teacher/student
teachers/students employer/employee employers/employees maximum/minimum majority/minority
upper/lower senior/junior advantage/disadvantage advantages/disadvantages benefits/drawbacks
common/rare commonly/rarely ancient/modern traditional/modern indoor/outdoor local/foreign
domestic/foreign urban/rural rural/urban temporary/permanent temporarily/permanently
permanent/temporary direct/indirect directly/indirectly active/passive acute/chronic
chronic/acute light/dark light/heavy heavy/light soft/hard thin/thick narrow/wide wide/narrow
deep/shallow simple/complex complex/simple quickly/slowly slowly/quickly rapidly/slowly
reduce/increase reduced/increased reduces/increases reducing/increasing reduction/increase
improve/worsen improved/worsened improves/worsens improving/worsening raise/lower raised/lowered
raising/lowering lower/raise lowered/raised prevent/cause prevents/causes prevented/caused
preventing/causing help/hinder helps/hinders helped/hindered encourage/discourage
encouraged/discouraged encourages/discourages allowing/preventing allows/prevents enable/prevent
enables/prevents enabling/preventing strengthen/weaken strengthened/weakened create/destroy
created/destroyed built/demolished build/demolish protect/endanger protects/endangers
protected/endangered agreed/refused agree/disagree agrees/disagrees remember/forget love/hate
loved/hated loves/hates like/dislike likes/dislikes liked/disliked hired/fired
employed/unemployed healthy/unhealthy known/unknown able/unable available/unavailable
effective/ineffective efficient/inefficient important/unimportant likely/unlikely
similar/different different/similar same/opposite expected/unexpected popular/unpopular
visible/invisible responsible/irresponsible sufficient/insufficient adequate/inadequate
accurate/inaccurate correct/incorrect correctly/incorrectly appropriate/inappropriate
reliable/unreliable stable/unstable certain/uncertain clear/unclear comfortable/uncomfortable
fortunate/unfortunate limited/unlimited official/unofficial officially/unofficially
independent/dependent mandatory/optional voluntary/compulsory partial/complete
partially/completely partly/entirely exactly/roughly rejected/accepted denied/confirmed
confirmed/denied arrested/released attacked/defended attack/defend joined/left promoted/demoted
praised/criticized criticized/praised criticised/praised criticism/praise praise/criticism
optimistic/pessimistic friend/enemy friends/enemies ally/enemy allies/enemies profit/loss
profits/losses debit/credit lend/borrow deposit/withdraw ascending/descending expand/shrink
expanded/shrunk expansion/contraction hardware/software input/output upload/download
lunch/dinner breakfast/dinner present/absent presence/absence with/without toward/away_from
over/under former/current current/former previous/next previously/subsequently next/previous
preceded/followed followed/preceded predecessor/successor successor/predecessor
"""

# What a thing also is: the right one may stand for the left one, never the other way round.
_KINDS = """
guitarist/musician pianist/musician drummer/musician violinist/musician composer/musician
singer/performer rapper/musician saxophonist/musician novelist/writer poet/writer
playwright/writer journalist/writer screenwriter/writer biographer/writer novel/book memoir/book
biography/book textbook/book quarterback/player goalkeeper/player midfielder/player
pitcher/player striker/player footballer/athlete cyclist/athlete swimmer/athlete boxer/athlete
sprinter/athlete golfer/athlete physicist/scientist chemist/scientist biologist/scientist
astronomer/scientist botanist/scientist geologist/scientist psychologist/scientist
economist/scholar historian/scholar philosopher/thinker surgeon/doctor cardiologist/doctor
dermatologist/doctor psychiatrist/doctor pediatrician/doctor senator/politician
congressman/politician governor/official mayor/official minister/official painter/artist
sculptor/artist photographer/artist architect/designer actress/performer actor/performer
comedian/entertainer dancer/performer bishop/clergyman priest/clergyman colonel/officer
lieutenant/officer admiral/officer sergeant/soldier infantry/troops dog/animal cat/animal
horse/animal cow/animal elephant/animal lion/animal tiger/animal wolf/animal whale/animal
rabbit/animal eagle/bird owl/bird hawk/bird sparrow/bird salmon/fish tuna/fish trout/fish
shark/fish oak/tree pine/tree maple/tree apple/fruit banana/fruit lemon/fruit carrot/vegetable
potato/vegetable spinach/vegetable beef/meat pork/meat chicken/meat wine/drink beer/drink
coffee/drink tea/drink truck/vehicle bus/vehicle van/vehicle car/vehicle motorcycle/vehicle
aircraft/vehicle helicopter/aircraft jet/aircraft ferry/ship yacht/boat guitar/instrument
piano/instrument violin/instrument drums/instruments flute/instrument sonata/piece
symphony/piece opera/work waltz/dance church/building cathedral/building mosque/building
castle/building tower/structure skyscraper/building bridge/structure hospital/institution
university/institution college/institution museum/institution hammer/tool rifle/weapon
pistol/weapon sword/weapon knife/tool cannon/weapon influenza/disease malaria/disease
tuberculosis/disease diabetes/disease pneumonia/disease asthma/condition arthritis/condition
aspirin/drug insulin/hormone penicillin/antibiotic gold/metal silver/metal copper/metal
iron/metal aluminum/metal oxygen/gas hydrogen/gas nitrogen/gas helium/gas football/sport
basketball/sport tennis/sport baseball/sport cricket/sport hockey/sport golf/sport soccer/sport
rugby/sport boxing/sport drama/work sitcom/show documentary/film comedy/work shirt/garment
jacket/garment coat/garment smartphone/device laptop/computer tablet/device hurricane/storm
tornado/storm blizzard/storm earthquake/disaster flood/disaster chair/piece_of_furniture
sofa/piece_of_furniture murder/crime robbery/crime burglary/crime arson/crime theft/crime
"""

# Country, its people's adjective.
COUNTRIES = {
    "France": "French", "Germany": "German", "Italy": "Italian", "Spain": "Spanish",
    "Portugal": "Portuguese", "Ireland": "Irish", "Scotland": "Scottish", "Wales": "Welsh",
    "England": "English", "Japan": "Japanese", "China": "Chinese", "India": "Indian",
    "Russia": "Russian", "Poland": "Polish", "Sweden": "Swedish", "Norway": "Norwegian",
    "Denmark": "Danish", "Finland": "Finnish", "Greece": "Greek", "Turkey": "Turkish",
    "Egypt": "Egyptian", "Israel": "Israeli", "Iran": "Iranian", "Iraq": "Iraqi",
    "Pakistan": "Pakistani", "Australia": "Australian", "Canada": "Canadian", "Mexico": "Mexican",
    "Brazil": "Brazilian", "Argentina": "Argentine", "Chile": "Chilean", "Peru": "Peruvian",
    "Austria": "Austrian", "Switzerland": "Swiss", "Belgium": "Belgian", "Hungary": "Hungarian",
    "Romania": "Romanian", "Ukraine": "Ukrainian", "Vietnam": "Vietnamese", "Korea": "Korean",
    "Thailand": "Thai", "Indonesia": "Indonesian", "Nigeria": "Nigerian", "Kenya": "Kenyan",
    "Cuba": "Cuban", "Colombia": "Colombian", "America": "American", "Britain": "British",
}  # fmt: skip
ADJECTIVES = {adjective: country for country, adjective in COUNTRIES.items()}

FIRST_NAMES = frozenset(
    "James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara "
    "Richard Susan Joseph Jessica Thomas Sarah Charles Karen Christopher Lisa Daniel Nancy "
    "Matthew Sandra Anthony Betty Mark Ashley Donald Emily Steven Kimberly Andrew Margaret Paul "
    "Donna Joshua Michelle Kenneth Carol Kevin Amanda Brian Melissa George Deborah Timothy "
    "Stephanie Ronald Rebecca Jason Laura Edward Helen Jeffrey Sharon Ryan Cynthia Jacob "
    "Kathleen Gary Amy Nicholas Angela Eric Anna Jonathan Ruth Stephen Brenda Larry Pamela "
    "Justin Nicole Scott Katherine Brandon Samantha Benjamin Christine Samuel Catherine Gregory "
    "Virginia Alexander Rachel Patrick Janet Frank Emma Raymond Maria Jack Heather Dennis Diane "
    "Jerry Julie Tyler Joyce Aaron Victoria Jose Kelly Adam Christina Henry Joan Nathan Evelyn "
    "Douglas Lauren Zachary Judith Peter Olivia Kyle Martha Walter Cheryl Harold Megan Carl "
    "Andrea Arthur Ann Albert Alice Fred Jean Roger Doris Joe Rose Louis Gloria Simon Julia "
    "Philip Grace Alan Denise Bruce Amber Bill Tom Jim Mike Dave Chris Tony Sam Ben Dan Steve "
    "Bob Harry Oliver Hugo Max Leo Oscar Victor Ivan Boris Vladimir Ahmed Mohammed Ali Omar "
    "Hassan Priya Raj Anil Sanjay Wei Li Hiroshi Kenji Yuki Carlos Juan Luis Miguel Pedro Pablo "
    "Diego Sofia Lucia Elena Marco Giovanni Luca Franz Hans Karl Klaus Fritz Pierre Jacques "
    "Francois Claude Marie Ingrid Lars Erik Sven Olga Natasha Fatima Aisha Theodore Franklin "
    "Abraham Winston Ludwig Wolfgang Isaac Leonardo Vincent Ernest Mark Jane Charlotte Virginia "
    "Agatha Stanley Orson Martin Neil Ian Keith Graham Colin Gordon Stuart Craig Derek Barry "
    "Trevor Nigel Clive Ray Roy Ralph Eugene Russell Bobby Johnny Billy Willie Howard Philip "
    "Lawrence Terry Sean Austin Jesse Dylan Bryan Jordan Bradley Shawn Travis Chad Danny Kurt "
    "Dale Leonard Vernon Clarence Cecil".split()
)
LAST_NAMES = tuple(
    "Okafor Lindqvist Marchetti Novak Haddad Petrov Castellanos Nakamura Brennan Whitlock "
    "Farrow Delgado Osei Kowalski Ramanathan Hartley Sorensen Vandermeer Achebe Guerrero "
    "Pemberton Sato Ellison Draper Beaumont Kessler Ortega Singh Mbeki Larsson Winters Ashford "
    "Calloway Moreau Tanaka Fischer Donovan Reyes Bianchi Aydin Chopra Holloway Mercer Quintero "
    "Sandoval Thackeray Underwood Varga Weston Yamada Zielinski Abbott Barlow Crawford Dunmore "
    "Eastman Fairbanks".split()
)
CITIES = tuple(
    city.replace("_", " ")
    for city in "Ashgrove "
    "Millbrook Santa_Rita Portsmouth Granville Lakeview Tucson Goleta Reno Tampa Nashville "
    "Edmonton Philadelphia Indianapolis Leeds Bristol Cork Galway Lyon Porto Ghent Krakow Tartu "
    "Graz Bergen Aarhus Turku Osaka Nagoya Busan Pune Jaipur Nairobi Accra Lima Quito Cordoba "
    "Valparaiso Brisbane Perth Dunedin Halifax Regina Boise Spokane Fresno Omaha Tulsa Albany "
    "Rochester Dayton Toledo Savannah Mobile Chattanooga Asheville Burlington Portland".split()
)
STREETS = tuple(
    street.replace("_", " ")
    for street in "Main_St Oak_Ave "
    "State_St Harbor_Blvd Maple_Dr 2nd_Ave Elm_Street Station_Road Church_Lane "
    "High_Street Market_St Calle_Real Hollister_Ave Washington_Blvd King_Street Mill_Road "
    "Riverside_Dr Sunset_Ave Broad_St Chestnut_St".split()
)


def _pairs(text: str) -> list[list[str]]:
    return [[w.replace("_", " ") for w in group.split("/")] for group in text.split()]


def _both_ways(groups: list[list[str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for group in groups:
        for word in group:
            others = tuple(w for w in group if w != word)
            found[word] = tuple(dict.fromkeys([*found.get(word, ()), *others]))
    return found


# Words that often are something else than the list means, so only ever put in, never replaced.
_ONLY_PUT_IN = frozenset(
    "about around second major different like since following states noted half present "
    "building issue demand hard close to and on named played holds leading put out total like "
    "back light can will to in using used kept beat hurt think make left raised main called "
    "living position answer reply living maker issues double offer study keep earn around fell "
    "rises once US get gets got getting energy mother father increase overall begin start "
    "started child kid kids employ end ends made up try live lives risk before first get_in".split()
)
SYNONYMS = {w: o for w, o in _both_ways(_pairs(_SYNONYMS)).items() if w not in _ONLY_PUT_IN}
_SEVERAL_SENSES = frozenset(
    "like long over right left light present up down spring end rear love support good local "
    "open back march current with lower credit front hard deep king prince".split()
)
ANTONYMS = {w: o for w, o in _both_ways(_pairs(_ANTONYMS)).items() if w not in _SEVERAL_SENSES}
KINDS = dict(_pairs(_KINDS))
