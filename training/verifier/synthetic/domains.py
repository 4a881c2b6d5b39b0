"""What records may tell and how sentences say it: one table a domain.

A template says a value in words; `[[...]]` holds what is wrong when the value is another one. The
same templates serve right and wrong statements, so wording alone tells nothing.
"""

from __future__ import annotations

from training.verifier.synthetic import lexicon
from training.verifier.synthetic.draws import (
    Domain,
    Field,
    Flag,
    Options,
    built_of,
    choice,
    city,
    clock,
    day,
    decimal,
    few,
    named,
    person,
    stadium,
    version,
    whole,
)

_WIFI = Field(
    "wi fi",
    choice("free=free Wi-Fi", "paid=paid Wi-Fi", "no=no Wi-Fi"),
    ("offers [[{v}]]", "provides [[{v}]]", "has [[{v}]]", "comes with [[{v}]]"),
)
_NOISE = Field(
    "noise level",
    choice("quiet", "average", "loud", "very_loud=very loud"),
    ("has a [[{v}]] noise level", "tends to be [[{v}]] in terms of noise"),
)
_CARDS = Flag(
    "accepts credit cards",
    ("accepts credit cards", "takes credit cards", "allows payment by credit card"),
    ("does not accept credit cards", "does not take credit cards", "is cash only"),
)
_STARS = Field(
    "stars",
    decimal(1.5, 5.0),
    (
        "has a rating of [[{v}]] stars",
        "is rated [[{v}]] out of 5",
        "holds a [[{v}]]-star rating",
        "has an overall rating of [[{v}]] stars",
        "has received an average of [[{v}]] stars",
    ),
)
_PARKING = Options(
    "parking",
    {
        "garage": "a parking garage",
        "street": "street parking",
        "validated": "validated parking",
        "lot": "a parking lot",
        "valet": "valet parking",
    },
    ("offers [[{v}]]", "has [[{v}]] available", "provides [[{v}]] for customers", "has [[{v}]]"),
    ("does not provide any parking", "offers no parking options", "has no parking of its own"),
)
_WHEELCHAIR = Flag(
    "wheelchair accessible",
    ("is wheelchair accessible", "offers wheelchair access"),
    ("is not wheelchair accessible", "lacks wheelchair access"),
)
_DOGS = Flag(
    "dogs allowed",
    ("allows dogs", "is dog-friendly", "welcomes dogs"),
    ("does not allow dogs", "is not dog-friendly", "does not permit dogs"),
)
_PRICE = Field(
    "price range",
    choice("1=cheap", "2=moderate", "3=high", "4=very high"),
    ("has [[{v}]] prices", "is known for [[{v}]] prices", "falls into the [[{v}]] price range"),
)

RESTAURANT = Domain(
    ("restaurant", "eatery", "establishment", "place", "business"),
    named(
        "Grill",
        "Cafe",
        "Bistro",
        "Diner",
        "Kitchen",
        "Pizzeria",
        "Cantina",
        "Bakery",
        "Taqueria",
        "Bar",
    ),
    (
        "is located at {street} in [[{city}]], {region}",
        "is located in [[{city}]], {region}",
        "can be found at {street}, [[{city}]]",
        "is situated in [[{city}]]",
        "sits in [[{city}]], {region}",
    ),
    (
        _STARS,
        _WIFI,
        _NOISE,
        _CARDS,
        _PARKING,
        _WHEELCHAIR,
        _DOGS,
        _PRICE,
        Field(
            "cuisine",
            choice(
                "Italian",
                "Mexican",
                "Thai",
                "Japanese",
                "Indian",
                "Greek",
                "Vietnamese",
                "American",
                "Mediterranean",
                "Korean",
                "French",
                "Chinese",
                "Ethiopian",
                "Spanish",
            ),
            (
                "serves [[{v}]] food",
                "specializes in [[{v}]] cuisine",
                "offers [[{v}]] dishes",
                "is known for its [[{v}]] cuisine",
            ),
        ),
        Field(
            "alcohol",
            choice("full_bar=a full bar", "beer_and_wine=beer and wine", "none=no alcohol"),
            ("offers [[{v}]]", "serves [[{v}]]", "has [[{v}]]"),
        ),
        Field(
            "attire",
            choice("casual", "dressy", "formal"),
            ("has a [[{v}]] dress code", "expects [[{v}]] attire"),
        ),
        Flag(
            "outdoor seating",
            (
                "offers outdoor seating",
                "has outdoor seating",
                "has tables outside",
                "provides seating outdoors",
            ),
            (
                "does not offer outdoor seating",
                "has no outdoor seating",
                "lacks outdoor seating",
                "only has indoor seating",
            ),
        ),
        Flag(
            "restaurants reservations",
            ("takes reservations", "accepts reservations", "allows guests to reserve a table"),
            ("does not take reservations", "does not accept reservations"),
        ),
        Flag(
            "restaurants take out",
            ("offers takeout", "provides take-out", "lets customers order food to go"),
            ("does not offer takeout", "has no take-out service"),
        ),
        Flag(
            "delivery",
            ("offers delivery", "delivers", "provides delivery services"),
            ("does not deliver", "does not offer delivery"),
        ),
        Flag(
            "good for groups",
            ("is good for groups", "is suitable for groups", "works well for larger parties"),
            ("is not suitable for groups", "is not a good choice for groups"),
        ),
        Flag(
            "good for kids",
            ("is good for kids", "is kid-friendly", "is suitable for children"),
            ("is not kid-friendly", "is not suitable for children"),
        ),
        Flag(
            "happy hour",
            ("has a happy hour", "offers happy hour deals"),
            ("does not have a happy hour",),
        ),
        Flag(
            "has tv", ("has a TV", "has televisions"), ("has no TV", "does not have a television")
        ),
        Flag(
            "caters",
            ("offers catering", "provides catering services"),
            ("does not cater", "does not offer catering"),
        ),
        Options(
            "ambience",
            {
                "romantic": "romantic",
                "casual": "casual",
                "classy": "classy",
                "trendy": "trendy",
                "upscale": "upscale",
                "intimate": "intimate",
                "touristy": "touristy",
                "hipster": "hipster",
                "divey": "divey",
            },
            (
                "has a [[{v}]] ambience",
                "offers a [[{v}]] atmosphere",
                "has a [[{v}]] vibe",
                "features a [[{v}]] setting",
            ),
            ("is not described as having any particular ambience",),
        ),
        Options(
            "good for meal",
            {
                "breakfast": "breakfast",
                "lunch": "lunch",
                "dinner": "dinner",
                "brunch": "brunch",
                "latenight": "late-night meals",
                "dessert": "dessert",
            },
            (
                "is a good choice for [[{v}]]",
                "is recommended for [[{v}]]",
                "is popular for [[{v}]]",
            ),
            ("is not recommended for any particular meal",),
        ),
        Options(
            "music",
            {
                "live": "live music",
                "dj": "a DJ",
                "karaoke": "karaoke",
                "jukebox": "a jukebox",
                "background_music": "background music",
            },
            ("features [[{v}]]", "has [[{v}]]", "entertains guests with [[{v}]]"),
            ("does not offer music", "has no music"),
        ),
    ),
    hours=True,
    reviews="restaurant",
)

SERVICE = Domain(
    ("business", "shop", "establishment", "place"),
    named(
        "Salon",
        "Auto Repair",
        "Spa",
        "Nails",
        "Bookstore",
        "Gym",
        "Pharmacy",
        "Barbershop",
        "Hardware",
        "Cleaners",
        "Dental",
        "Florist",
    ),
    RESTAURANT.place,
    (
        _STARS,
        _WIFI,
        _CARDS,
        _PARKING,
        _WHEELCHAIR,
        _DOGS,
        Flag(
            "by appointment only",
            ("works by appointment only", "requires an appointment"),
            ("does not require an appointment", "accepts walk-ins without an appointment"),
        ),
        Flag("accepts insurance", ("accepts insurance",), ("does not accept insurance",)),
        Flag(
            "bike parking",
            ("has bike parking", "offers parking for bicycles"),
            ("has no bike parking", "does not have parking for bikes"),
        ),
        Field(
            "established",
            whole(1950, 2022, form="{}"),
            (
                "was established in [[{v}]]",
                "has been in business since [[{v}]]",
                "opened in [[{v}]]",
            ),
        ),
        Field(
            "owner",
            person,
            ("is owned by [[{v}]]", "is run by its owner, [[{v}]]", "belongs to [[{v}]]"),
        ),
        Field("employees", whole(2, 60), ("employs [[{v}]] people", "has [[{v}]] employees")),
    ),
    hours=True,
    reviews="service",
)

HOTEL = Domain(
    ("hotel", "property", "accommodation", "place"),
    named("Hotel", "Inn", "Lodge", "Suites", "Resort", "Guesthouse"),
    RESTAURANT.place,
    (
        _STARS,
        _WIFI,
        _PARKING,
        _WHEELCHAIR,
        Flag(
            "pets allowed",
            ("allows pets", "is pet-friendly"),
            ("does not allow pets", "is not pet-friendly"),
        ),
        Flag(
            "pool",
            ("has a swimming pool", "features a pool"),
            ("does not have a pool", "has no swimming pool"),
        ),
        Flag(
            "gym",
            ("has a gym", "features a fitness room"),
            ("has no gym", "does not have a fitness room"),
        ),
        Flag(
            "airport shuttle",
            ("offers an airport shuttle", "runs a shuttle to the airport"),
            ("does not offer an airport shuttle",),
        ),
        Flag(
            "breakfast included",
            ("includes breakfast in the room rate", "offers complimentary breakfast"),
            ("does not include breakfast", "charges extra for breakfast"),
        ),
        Flag("smoking allowed", ("allows smoking",), ("does not allow smoking", "is non-smoking")),
        Field(
            "rooms",
            whole(8, 420),
            ("has [[{v}]] rooms", "offers [[{v}]] rooms", "comprises [[{v}]] guest rooms"),
        ),
        Field(
            "check in",
            clock(12, 17),
            ("has check-in from [[{v}]]", "lets guests check in from [[{v}]]"),
        ),
        Field(
            "check out", clock(9, 12), ("requires check-out by [[{v}]]", "has check-out at [[{v}]]")
        ),
        Field(
            "price per night",
            whole(45, 480),
            (
                "costs [[${v}]] per night",
                "charges [[${v}]] a night",
                "has rooms for [[{v}]] dollars per night",
            ),
        ),
        Field(
            "distance to center km",
            decimal(0.2, 14, 0.1),
            ("is [[{v}]] km from the center", "lies [[{v}]] kilometers from the city center"),
        ),
        Field(
            "built", whole(1880, 2021, form="{}"), ("was built in [[{v}]]", "dates from [[{v}]]")
        ),
    ),
    reviews="hotel",
)

PRODUCT = Domain(
    ("product", "item", "device", "model"),
    built_of("Silver|Nova|Hydro|Echo|Urban|Aero", "Tech|Line|Max|Air|Pro", " X| K| M| S| Z", "#"),
    (),
    (
        _STARS,
        Field(
            "category",
            choice(
                "headphones",
                "a laptop=laptop",
                "blender",
                "vacuum cleaner",
                "smartwatch",
                "camera",
                "printer",
                "speaker",
            ),
            ("belongs to the [[{v}]] category", "is listed under [[{v}]]"),
        ),
        Field(
            "price usd",
            decimal(12, 1400, 0.01, "{:.2f}"),
            ("costs [[${v}]]", "is priced at [[${v}]]", "sells for [[{v}]] dollars"),
        ),
        Field(
            "color",
            choice("black", "white", "red", "navy blue", "silver", "green", "rose gold"),
            ("comes in [[{v}]]", "is available in [[{v}]]"),
        ),
        Field(
            "weight grams",
            whole(80, 4900, 10),
            ("weighs [[{v}]] grams", "has a weight of [[{v}]] g"),
        ),
        Field(
            "battery life hours",
            whole(3, 60),
            (
                "has a battery life of [[{v}]] hours",
                "runs for [[{v}]] hours on a charge",
                "lasts up to [[{v}]] hours",
            ),
        ),
        Field(
            "warranty months",
            choice(
                "6=six months", "12=one year", "24=two years", "36=three years", "60=five years"
            ),
            ("comes with a warranty of [[{v}]]", "is covered by a warranty for [[{v}]]"),
        ),
        Field(
            "stock", whole(0, 300), ("has [[{v}]] units in stock", "is in stock with [[{v}]] units")
        ),
        Field("release date", day(2015), ("was released on [[{v}]]", "came out on [[{v}]]")),
        Flag("waterproof", ("is waterproof",), ("is not waterproof",)),
        Flag(
            "bluetooth",
            ("supports Bluetooth", "has Bluetooth connectivity"),
            ("does not support Bluetooth", "lacks Bluetooth"),
        ),
        Flag(
            "rechargeable",
            ("is rechargeable", "has a rechargeable battery"),
            ("is not rechargeable", "runs on disposable batteries"),
        ),
        Flag(
            "free shipping",
            ("ships for free", "comes with free shipping"),
            ("does not ship for free", "incurs a shipping charge"),
        ),
        Flag(
            "returnable",
            ("can be returned", "is eligible for return"),
            ("cannot be returned", "is not eligible for returns"),
        ),
        Flag(
            "dishwasher safe",
            ("is dishwasher safe",),
            ("is not dishwasher safe", "must not go in the dishwasher"),
        ),
        Field(
            "made in",
            choice(*lexicon.COUNTRIES),
            ("is made in [[{v}]]", "is manufactured in [[{v}]]"),
        ),
    ),
    reviews="product",
)

PERSON = Domain(
    ("employee", "candidate", "person"),
    lambda rng: person(rng)[0],
    (),
    (
        Field(
            "position",
            choice(
                "software engineer",
                "nurse",
                "accountant",
                "project manager",
                "teacher",
                "electrician",
                "sales manager",
                "data analyst",
                "architect",
                "chef",
                "pharmacist",
                "paralegal",
            ),
            ("works as a [[{v}]]", "holds the position of [[{v}]]", "is employed as a [[{v}]]"),
        ),
        Field(
            "years of experience",
            whole(1, 35),
            ("has [[{v}]] years of experience", "brings [[{v}]] years of experience"),
        ),
        Field("birth year", whole(1950, 2004, form="{}"), ("was born in [[{v}]]",)),
        Field("home town", city, ("lives in [[{v}]]", "is based in [[{v}]]", "resides in [[{v}]]")),
        Field(
            "degree",
            choice(
                "a bachelor's degree in economics",
                "a master's degree in physics",
                "a PhD in chemistry",
                "a bachelor's degree in nursing",
                "a master's degree in history",
                "a law degree",
                "an associate degree",
            ),
            ("holds [[{v}]]", "earned [[{v}]]", "has [[{v}]]"),
        ),
        Field(
            "languages",
            few(
                "English",
                "Spanish",
                "French",
                "German",
                "Mandarin",
                "Arabic",
                "Portuguese",
                "Hindi",
                "Polish",
            ),
            ("speaks [[{v}]]", "is fluent in [[{v}]]"),
        ),
        Field(
            "salary",
            whole(28000, 180000, 500),
            ("earns [[${v}]] a year", "has an annual salary of [[{v}]] dollars"),
        ),
        Field("start date", day(2008), ("joined on [[{v}]]", "started on [[{v}]]")),
        Field("manager", person, ("reports to [[{v}]]", "has [[{v}]] as manager")),
        Field(
            "children",
            choice(
                "0=no children",
                "1=one child",
                "2=two children",
                "3=three children",
                "4=four children",
            ),
            ("has [[{v}]]",),
        ),
        Field("vacation days left", whole(0, 30), ("has [[{v}]] vacation days left",)),
        Flag("remote", ("works remotely",), ("does not work remotely", "works on site")),
        Flag(
            "full time",
            ("works full time", "is a full-time employee"),
            ("does not work full time", "is not a full-time employee"),
        ),
        Flag("married", ("is married",), ("is not married", "is unmarried")),
        Flag(
            "driving license",
            ("has a driver's license", "is licensed to drive"),
            ("has no driver's license", "does not hold a driving license"),
        ),
    ),
)

EVENT = Domain(
    ("event", "conference", "festival", "gathering"),
    named("Festival", "Conference", "Summit", "Fair", "Marathon", "Symposium", "Expo"),
    (
        "takes place in [[{city}]]",
        "will be held in [[{city}]], {region}",
        "is hosted at {street} in [[{city}]]",
    ),
    (
        Field(
            "start date", day(2019), ("begins on [[{v}]]", "starts on [[{v}]]", "opens on [[{v}]]")
        ),
        Field(
            "doors open",
            clock(8, 20),
            ("opens its doors at [[{v}]]", "lets people in from [[{v}]]"),
        ),
        Field(
            "duration days",
            choice(
                "1=one day", "2=two days", "3=three days", "4=four days", "5=five days", "7=a week"
            ),
            ("lasts [[{v}]]", "runs for [[{v}]]"),
        ),
        Field(
            "ticket price",
            whole(5, 320),
            ("charges [[${v}]] for a ticket", "has tickets at [[{v}]] dollars each"),
        ),
        Field(
            "expected attendance",
            whole(80, 25000, 20),
            ("expects [[{v}]] attendees", "is expected to draw [[{v}]] visitors"),
        ),
        Field("organizer", person, ("is organized by [[{v}]]", "has [[{v}]] as its organizer")),
        Field(
            "keynote speaker",
            person,
            ("features [[{v}]] as keynote speaker", "has a keynote by [[{v}]]"),
        ),
        Field(
            "topic",
            choice(
                "renewable energy",
                "jazz",
                "street food",
                "medieval history",
                "machine learning",
                "public health",
                "independent film",
                "gardening",
                "chess",
                "cycling",
            ),
            ("is dedicated to [[{v}]]", "focuses on [[{v}]]", "is all about [[{v}]]"),
        ),
        Field(
            "age limit",
            choice(
                "0=people of all ages",
                "12=those aged 12 and over",
                "16=people over 16",
                "18=adults over 18",
                "21=people aged 21 or older",
            ),
            ("is open to [[{v}]]", "admits [[{v}]]"),
        ),
        Flag(
            "sold out",
            ("is sold out", "has no tickets left"),
            ("is not sold out", "still has tickets available"),
        ),
        Flag(
            "outdoors",
            ("takes place outdoors", "is held in the open air"),
            ("takes place indoors", "is not held outdoors"),
        ),
        Flag(
            "live stream",
            ("is streamed live", "can be watched online"),
            ("is not streamed", "cannot be followed online"),
        ),
        Flag(
            "refundable tickets",
            ("sells refundable tickets", "offers refunds"),
            ("does not refund tickets", "sells only non-refundable tickets"),
        ),
        Flag(
            "food available",
            ("has food on site", "offers food"),
            ("offers no food", "does not serve food"),
        ),
    ),
)

COMPANY = Domain(
    ("company", "firm", "business", "corporation"),
    named(
        "Systems",
        "Holdings",
        "Logistics",
        "Pharma",
        "Energy",
        "Software",
        "Foods",
        "Textiles",
        "Robotics",
    ),
    (
        "has its headquarters in [[{city}]]",
        "is based in [[{city}]], {region}",
        "is headquartered in [[{city}]]",
    ),
    (
        Field(
            "founded",
            whole(1870, 2021, form="{}"),
            ("was founded in [[{v}]]", "has existed since [[{v}]]", "was established in [[{v}]]"),
        ),
        Field("ceo", person, ("is led by CEO [[{v}]]", "has [[{v}]] as its chief executive")),
        Field("founder", person, ("was founded by [[{v}]]", "was started by [[{v}]]")),
        Field(
            "employees",
            whole(12, 90000, 7),
            ("employs [[{v}]] people", "has [[{v}]] employees", "has a workforce of [[{v}]]"),
        ),
        Field(
            "revenue musd",
            decimal(1, 900, 0.1),
            ("reported revenue of [[${v} million]]", "had sales of [[{v} million dollars]]"),
        ),
        Field(
            "profit margin percent",
            decimal(-12, 31, 0.5),
            ("has a profit margin of [[{v}%]]", "reached a margin of [[{v} percent]]"),
        ),
        Field(
            "growth",
            choice(
                "up 12 percent=grew by 12 percent",
                "down 8 percent=shrank by 8 percent",
                "flat=did not change",
                "up 3 percent=grew by 3 percent",
                "down 15 percent=shrank by 15 percent",
            ),
            ("saw sales that [[{v}]]", "had revenue that [[{v}]] last year"),
        ),
        Field(
            "industry",
            choice(
                "shipping",
                "biotechnology",
                "insurance",
                "food processing",
                "textiles",
                "renewable energy",
                "software",
                "construction",
                "mining",
            ),
            ("operates in the [[{v}]] industry", "is active in [[{v}]]"),
        ),
        Field("offices", whole(1, 70), ("has [[{v}]] offices", "runs [[{v}]] offices worldwide")),
        Field(
            "markets",
            few(
                "Canada",
                "Brazil",
                "Japan",
                "Germany",
                "India",
                "Kenya",
                "Poland",
                "Mexico",
                "Australia",
            ),
            ("sells in [[{v}]]", "is active in [[{v}]]"),
        ),
        Flag(
            "publicly traded",
            ("is publicly traded", "is listed on the stock exchange"),
            ("is privately held", "is not publicly traded"),
        ),
        Flag(
            "profitable", ("is profitable", "makes a profit"), ("is not profitable", "makes a loss")
        ),
        Flag(
            "hiring",
            ("is currently hiring", "is looking for new staff"),
            ("is not hiring", "has no open positions"),
        ),
        Flag("union", ("has a unionized workforce",), ("has no union", "is not unionized")),
    ),
)

WEATHER = Domain(
    ("forecast", "weather report", "report"),
    lambda rng: f"Weather for {city(rng)[0]}",
    (),
    (
        Field("date", day(2020), ("is for [[{v}]]", "covers [[{v}]]")),
        Field(
            "high c",
            whole(-8, 41, form="{}"),
            ("gives a high of [[{v}°C]]", "expects temperatures to reach [[{v} degrees Celsius]]"),
        ),
        Field(
            "low c",
            whole(-25, 20, form="{}"),
            ("gives a low of [[{v}°C]]", "expects a minimum of [[{v} degrees]]"),
        ),
        Field(
            "condition",
            choice(
                "sunny",
                "cloudy",
                "rainy",
                "snowy",
                "foggy",
                "stormy",
                "partly_cloudy=partly cloudy",
            ),
            ("calls for [[{v}]] conditions", "predicts [[{v}]] weather"),
        ),
        Field(
            "wind kmh",
            whole(2, 110),
            (
                "mentions winds of [[{v} km/h]]",
                "expects wind speeds of [[{v}]] kilometers per hour",
            ),
        ),
        Field(
            "wind direction",
            choice(
                "N=the north",
                "S=the south",
                "E=the east",
                "W=the west",
                "NW=the northwest",
                "SE=the southeast",
            ),
            ("expects wind from [[{v}]]",),
        ),
        Field(
            "humidity percent",
            whole(15, 99),
            ("gives a humidity of [[{v}%]]", "puts humidity at [[{v} percent]]"),
        ),
        Field(
            "chance of rain percent",
            whole(0, 100, 5),
            ("gives a [[{v}%]] chance of rain", "puts the probability of rain at [[{v} percent]]"),
        ),
        Field("sunrise", clock(4, 8), ("lists sunrise at [[{v}]]",)),
        Field("sunset", clock(16, 22), ("lists sunset at [[{v}]]",)),
        Field("uv index", whole(0, 11), ("shows a UV index of [[{v}]]",)),
        Flag(
            "storm warning",
            ("includes a storm warning", "warns of a storm"),
            ("includes no storm warning", "does not warn of storms"),
        ),
        Flag(
            "frost",
            ("expects frost", "predicts frost"),
            ("expects no frost", "does not predict frost"),
        ),
    ),
)

FLIGHT = Domain(
    ("flight",),
    lambda rng: (
        f"Flight {rng.choice(['KX', 'NR', 'TB', 'QF', 'ZL', 'WO'])}{rng.randint(100, 9800)}"
    ),
    (),
    (
        Field("origin", city, ("departs from [[{v}]]", "leaves from [[{v}]]")),
        Field("destination", city, ("goes to [[{v}]]", "flies to [[{v}]]", "lands in [[{v}]]")),
        Field(
            "departure time",
            clock(),
            ("takes off at [[{v}]]", "is scheduled to depart at [[{v}]]", "leaves at [[{v}]]"),
        ),
        Field("arrival time", clock(), ("arrives at [[{v}]]", "is due to land at [[{v}]]")),
        Field("date", day(2021), ("is on [[{v}]]", "operates on [[{v}]]")),
        Field(
            "gate",
            choice(*[f"{a}{n}" for a in "ABCD" for n in range(1, 20)]),
            ("boards at gate [[{v}]]", "leaves from gate [[{v}]]"),
        ),
        Field(
            "status",
            choice("on_time=on time", "delayed", "cancelled", "boarding", "diverted"),
            ("is [[{v}]]", "is listed as [[{v}]]"),
        ),
        Field(
            "aircraft",
            choice("Airbus A320", "Boeing 737", "Embraer 190", "Boeing 787", "Airbus A350"),
            ("is operated with a [[{v}]]", "uses a [[{v}]]"),
        ),
        Field("seats left", whole(0, 90), ("has [[{v}]] seats left",)),
        Field(
            "stops",
            choice("0=nonstop", "1=with one stop", "2=with two stops"),
            ("runs [[{v}]]", "flies [[{v}]]"),
        ),
        Field("fare", whole(49, 1900), ("costs [[${v}]]", "has a fare of [[{v}]] dollars")),
        Flag(
            "meal included",
            ("includes a meal", "serves a meal on board"),
            ("does not include a meal", "serves no meal"),
        ),
        Flag(
            "refundable",
            ("has refundable tickets", "can be refunded"),
            ("has non-refundable tickets", "cannot be refunded"),
        ),
        Flag(
            "checked bag included",
            ("includes a checked bag",),
            ("does not include a checked bag", "charges extra for checked bags"),
        ),
        Flag(
            "in flight wifi",
            ("has Wi-Fi on board", "offers in-flight Wi-Fi"),
            ("has no Wi-Fi on board", "does not offer Wi-Fi"),
        ),
    ),
)

VISIT = Domain(
    ("patient",),
    lambda rng: person(rng)[0],
    (),
    (
        Field("visit date", day(2018), ("was seen on [[{v}]]", "came in on [[{v}]]")),
        Field("age", whole(3, 94), ("is [[{v}]] years old",)),
        Field(
            "chief complaint",
            choice(
                "headache=a headache",
                "cough=a cough",
                "lower back pain",
                "chest pain",
                "knee pain",
                "dizziness",
                "rash=a rash",
                "fatigue",
                "sore throat=a sore throat",
            ),
            ("complained of [[{v}]]", "presented with [[{v}]]", "came in because of [[{v}]]"),
        ),
        Field(
            "blood pressure",
            choice("118/76", "132/84", "145/92", "121/79", "160/100", "110/70", "138/88"),
            ("had a blood pressure of [[{v}]]",),
        ),
        Field(
            "temperature c",
            decimal(36.1, 39.8, 0.1),
            ("had a temperature of [[{v}°C]]", "was measured at [[{v} degrees]]"),
        ),
        Field(
            "heart rate",
            whole(52, 128),
            ("had a heart rate of [[{v}]] beats per minute", "had a pulse of [[{v}]]"),
        ),
        Field("weight kg", whole(14, 128), ("weighs [[{v} kg]]",)),
        Field(
            "diagnosis",
            choice(
                "migraine",
                "influenza",
                "type 2 diabetes",
                "hypertension",
                "bronchitis",
                "anemia",
                "a sprained ankle=sprained ankle",
                "asthma",
            ),
            ("was diagnosed with [[{v}]]", "received a diagnosis of [[{v}]]"),
        ),
        Field(
            "medication",
            choice(
                "ibuprofen",
                "amoxicillin",
                "metformin",
                "lisinopril",
                "paracetamol",
                "albuterol",
                "omeprazole",
            ),
            ("was prescribed [[{v}]]", "was put on [[{v}]]", "takes [[{v}]]"),
        ),
        Field("dose mg", whole(50, 1000, 50), ("takes a dose of [[{v} mg]]",)),
        Field(
            "follow up weeks",
            choice("1=one week", "2=two weeks", "4=four weeks", "6=six weeks", "12=three months"),
            ("is to return in [[{v}]]", "has a follow-up in [[{v}]]"),
        ),
        Field("doctor", person, ("was examined by Dr. [[{v}]]", "saw Dr. [[{v}]]")),
        Flag("smoker", ("smokes", "is a smoker"), ("does not smoke", "is a non-smoker")),
        Flag(
            "allergic to penicillin",
            ("is allergic to penicillin", "has a penicillin allergy"),
            ("is not allergic to penicillin", "has no penicillin allergy"),
        ),
        Flag("fever", ("had a fever",), ("had no fever", "did not have a fever")),
        Flag("pregnant", ("is pregnant",), ("is not pregnant",)),
        Flag(
            "x ray done",
            ("had an X-ray taken", "underwent an X-ray"),
            ("did not have an X-ray", "was not X-rayed"),
        ),
    ),
)

MATCH = Domain(
    ("match", "game"),
    lambda rng: f"{city(rng)[0]} Rovers vs {city(rng)[0]} United",
    (),
    (
        Field("date", day(2010), ("was played on [[{v}]]", "took place on [[{v}]]")),
        Field(
            "stadium",
            stadium,
            ("was held at [[{v}]]", "took place at [[{v}]]"),
        ),
        Field(
            "attendance",
            whole(300, 78000, 13),
            (
                "drew [[{v}]] spectators",
                "was watched by [[{v}]] people",
                "had an attendance of [[{v}]]",
            ),
        ),
        Field(
            "final score",
            choice("2-1", "0-0", "3-1", "1-4", "2-2", "5-0", "1-0", "3-2"),
            ("ended [[{v}]]", "finished with a score of [[{v}]]"),
        ),
        Field(
            "half time score",
            choice("1-0", "0-0", "1-1", "0-2", "2-0"),
            ("stood at [[{v}]] at half time",),
        ),
        Field("referee", person, ("was refereed by [[{v}]]", "had [[{v}]] as referee")),
        Field(
            "player of the match",
            person,
            ("had [[{v}]] as player of the match", "saw [[{v}]] named player of the match"),
        ),
        Field(
            "first goal minute",
            whole(1, 89, form="{}"),
            ("saw its first goal in minute [[{v}]]", "had its opening goal after [[{v}]] minutes"),
        ),
        Field("yellow cards", whole(0, 9, form="{}"), ("had [[{v}]] yellow cards",)),
        Field(
            "competition",
            choice("league=the league", "cup=the cup", "friendly=a friendly tournament"),
            ("was part of [[{v}]]",),
        ),
        Flag(
            "extra time",
            ("went to extra time", "needed extra time"),
            ("did not go to extra time", "was decided without extra time"),
        ),
        Flag(
            "penalty shootout",
            ("was decided by penalties", "went to a penalty shootout"),
            ("did not need penalties", "was not decided on penalties"),
        ),
        Flag(
            "red card",
            ("saw a red card", "included a sending-off"),
            ("saw no red cards", "ended without a sending-off"),
        ),
        Flag(
            "televised",
            ("was shown on television", "was televised"),
            ("was not televised", "was not shown on TV"),
        ),
    ),
)

HOME = Domain(
    ("property", "home", "listing"),
    built_of(
        "Cozy|Bright|Modern|Spacious|Charming", " Apartment| House| Condo| Townhouse| Cottage", " #"
    ),
    ("is located in [[{city}]], {region}", "stands at {street} in [[{city}]]"),
    (
        Field(
            "price",
            whole(95000, 1900000, 5000),
            ("is listed at [[${v}]]", "is on sale for [[{v}]] dollars"),
        ),
        Field(
            "bedrooms",
            choice(
                "1=one bedroom",
                "2=two bedrooms",
                "3=three bedrooms",
                "4=four bedrooms",
                "5=five bedrooms",
            ),
            ("has [[{v}]]", "offers [[{v}]]"),
        ),
        Field(
            "bathrooms",
            choice(
                "1=one bathroom",
                "2=two bathrooms",
                "3=three bathrooms",
                "1.5=one and a half bathrooms",
            ),
            ("has [[{v}]]", "comes with [[{v}]]"),
        ),
        Field(
            "area sqft",
            whole(420, 5200, 10),
            ("measures [[{v}]] square feet", "offers [[{v}]] square feet of living space"),
        ),
        Field(
            "year built",
            whole(1890, 2024, form="{}"),
            ("was built in [[{v}]]", "dates from [[{v}]]"),
        ),
        Field(
            "heating",
            choice("gas", "electric", "heat_pump=heat pump", "oil", "wood"),
            ("has [[{v}]] heating", "is heated by [[{v}]] heating"),
        ),
        Field(
            "floor",
            choice("1=first", "2=second", "3=third", "5=fifth", "8=eighth"),
            ("is on the [[{v}]] floor",),
        ),
        Field("available from", day(2024, 2027), ("is available from [[{v}]]",)),
        Field("agent", person, ("is offered by [[{v}]]", "is shown by agent [[{v}]]")),
        Flag(
            "garage",
            ("has a garage", "includes a garage"),
            ("does not have a garage", "comes without a garage"),
        ),
        Flag(
            "garden",
            ("has a garden", "comes with a yard"),
            ("has no garden", "does not have a garden"),
        ),
        Flag(
            "furnished", ("is furnished", "comes furnished"), ("is unfurnished", "is not furnished")
        ),
        Flag("pets allowed", ("allows pets",), ("does not allow pets",)),
        Flag("elevator", ("has an elevator",), ("has no elevator", "lacks an elevator")),
        Flag(
            "air conditioning",
            ("has air conditioning", "is air-conditioned"),
            ("has no air conditioning", "lacks air conditioning"),
        ),
        Flag("balcony", ("has a balcony",), ("has no balcony",)),
    ),
)

PACKAGE = Domain(
    ("package", "library", "project", "tool"),
    built_of("fast|py|micro|open|data|web", "parse|flow|cache|graph|queue|lint|mesh"),
    (),
    (
        Field(
            "version",
            version,
            ("is at version [[{v}]]", "has [[{v}]] as its latest version"),
        ),
        Field(
            "license",
            choice(
                "MIT=the MIT license",
                "Apache-2.0=the Apache 2.0 license",
                "GPL-3.0=the GPL 3.0 license",
                "BSD-3-Clause=a BSD license",
                "proprietary=a proprietary license",
            ),
            ("is released under [[{v}]]", "uses [[{v}]]"),
        ),
        Field(
            "language",
            choice("Python", "Rust", "Go", "TypeScript", "Java", "C++"),
            ("is written in [[{v}]]", "is implemented in [[{v}]]"),
        ),
        Field("maintainer", person, ("is maintained by [[{v}]]", "has [[{v}]] as maintainer")),
        Field(
            "weekly downloads",
            whole(40, 900000, 11),
            ("is downloaded [[{v}]] times a week", "has [[{v}]] weekly downloads"),
        ),
        Field("open issues", whole(0, 420), ("has [[{v}]] open issues",)),
        Field(
            "last release",
            day(2017),
            ("was last released on [[{v}]]", "had its latest release on [[{v}]]"),
        ),
        Field(
            "dependencies",
            choice(
                "0=no dependencies",
                "1=one dependency",
                "3=three dependencies",
                "7=seven dependencies",
                "12=twelve dependencies",
            ),
            ("has [[{v}]]",),
        ),
        Field(
            "test coverage percent",
            whole(20, 100),
            ("has [[{v}%]] test coverage", "reaches a test coverage of [[{v} percent]]"),
        ),
        Field("size kb", whole(12, 9000), ("is [[{v} kB]] in size", "takes up [[{v} kilobytes]]")),
        Field(
            "platforms",
            few("Linux", "macOS", "Windows", "FreeBSD", "Android"),
            ("runs on [[{v}]]", "supports [[{v}]]"),
        ),
        Flag("deprecated", ("is deprecated", "has been deprecated"), ("is not deprecated",)),
        Flag(
            "typed",
            ("ships with type hints", "is fully typed"),
            ("has no type hints", "is not typed"),
        ),
        Flag(
            "documentation",
            ("has documentation", "is documented"),
            ("has no documentation", "lacks documentation"),
        ),
        Flag("signed releases", ("signs its releases",), ("does not sign its releases",)),
    ),
)

COURSE = Domain(
    ("course", "class"),
    built_of(
        "Introduction to|Advanced|Practical|Foundations of",
        " Statistics| Pottery| Marketing| Astronomy| Italian| Web Design| Accounting| First Aid",
    ),
    (),
    (
        Field("instructor", person, ("is taught by [[{v}]]", "has [[{v}]] as instructor")),
        Field(
            "level",
            choice("beginner", "intermediate", "advanced"),
            ("is aimed at the [[{v}]] level", "is an [[{v}]]-level course"),
        ),
        Field("weeks", whole(2, 24), ("lasts [[{v}]] weeks", "runs for [[{v}]] weeks")),
        Field(
            "hours per week",
            whole(1, 15),
            ("takes [[{v}]] hours a week", "requires [[{v}]] hours per week"),
        ),
        Field("fee", whole(0, 1500, 5), ("costs [[${v}]]", "has a fee of [[{v}]] dollars")),
        Field("start date", day(2021), ("starts on [[{v}]]", "begins on [[{v}]]")),
        Field(
            "enrolled",
            whole(3, 400),
            ("has [[{v}]] students enrolled", "has an enrollment of [[{v}]]"),
        ),
        Field(
            "meets on",
            few("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"),
            ("meets on [[{v}]]",),
        ),
        Field(
            "language",
            choice("English", "Spanish", "French", "German"),
            ("is taught in [[{v}]]", "is held in [[{v}]]"),
        ),
        Field("pass rate percent", whole(40, 99), ("has a pass rate of [[{v}%]]",)),
        Flag(
            "certificate",
            ("ends with a certificate", "offers a certificate"),
            ("offers no certificate", "does not lead to a certificate"),
        ),
        Flag(
            "online",
            ("is held online", "can be taken online"),
            ("is not held online", "takes place in person"),
        ),
        Flag(
            "final exam",
            ("has a final exam", "ends with an exam"),
            ("has no final exam", "does not have an exam"),
        ),
        Flag(
            "prerequisites",
            ("has prerequisites", "requires prior knowledge"),
            ("has no prerequisites", "requires no prior knowledge"),
        ),
    ),
)

# Businesses twice: reviews and hours make them the richest.
DOMAINS = {
    "restaurant": (RESTAURANT, 6),
    "service": (SERVICE, 4),
    "hotel": (HOTEL, 3),
    "product": (PRODUCT, 2),
    "person": (PERSON, 2),
    "event": (EVENT, 2),
    "company": (COMPANY, 2),
    "weather": (WEATHER, 1),
    "flight": (FLIGHT, 1),
    "visit": (VISIT, 2),
    "match": (MATCH, 1),
    "home": (HOME, 2),
    "package": (PACKAGE, 1),
    "course": (COURSE, 1),
}
REGIONS = ("CA", "TX", "PA", "FL", "NV", "AZ", "LA", "MO", "TN", "IN", "AB", "NJ", "ID", "DE", "IL")

# Aspect: what a good and a bad review says of it, and how a summary puts either.
REVIEWS: dict[str, dict[str, tuple[tuple[str, ...], ...]]] = {
    "restaurant": {
        "food": (
            (
                "The food was absolutely delicious.",
                "Everything we ordered tasted amazing.",
                "Best meal I've had in months!",
                "The pasta melted in my mouth.",
                "Fresh ingredients and great flavor.",
                "My steak was cooked perfectly.",
            ),
            (
                "The food was bland and cold.",
                "My chicken was dry and overcooked.",
                "Nothing tasted fresh.",
                "The soup was so salty I couldn't finish it.",
                "Worst tacos I've ever had.",
                "The fries were soggy.",
            ),
            (
                "customers praise the [[delicious]] food",
                "reviewers rave about how [[good]] the food is",
                "diners were [[impressed]] by the quality of the food",
            ),
            (
                "customers found the food [[disappointing]]",
                "reviewers complain about [[poor]] food quality",
                "diners were [[unhappy]] with their meals",
            ),
        ),
        "service": (
            (
                "Our waitress was so friendly and attentive.",
                "Super quick service.",
                "The staff made us feel right at home.",
                "Our server Dana went above and beyond.",
                "They brought us water right away and checked on us often.",
            ),
            (
                "We waited 45 minutes before anyone took our order.",
                "The waiter was rude to my mother.",
                "Nobody refilled our drinks.",
                "The hostess ignored us.",
                "Service was painfully slow.",
                "They got our order wrong twice.",
            ),
            (
                "customers appreciate the [[friendly]] staff",
                "the service is [[praised]] in reviews",
                "reviewers mention [[attentive]] service",
            ),
            (
                "customers complain about [[slow or rude]] service",
                "the service is [[criticized]] in reviews",
                "reviewers mention [[poor]] service",
            ),
        ),
        "price": (
            (
                "And the prices are very reasonable!",
                "Great value for the money.",
                "Huge portions for only ten bucks.",
            ),
            (
                "Way overpriced for what you get.",
                "$18 for a tiny sandwich, no thanks.",
                "Not worth the money.",
            ),
            ("guests consider it [[good]] value", "the prices are described as [[reasonable]]"),
            ("guests consider it [[overpriced]]", "the prices are described as [[too high]]"),
        ),
        "atmosphere": (
            (
                "Loved the decor and the cozy feel.",
                "The patio has a beautiful view.",
                "Such a charming little spot.",
            ),
            (
                "It was so loud we could barely talk.",
                "The place felt cramped and dirty.",
                "Our table was sticky.",
            ),
            ("the atmosphere is [[well liked]]", "reviewers find the setting [[pleasant]]"),
            ("the atmosphere is [[disliked]]", "reviewers find the setting [[unpleasant]]"),
        ),
        "wait": (
            (
                "We were seated right away.",
                "No wait even on a Saturday night.",
                "Our food came out in ten minutes.",
            ),
            (
                "An hour wait with a reservation!",
                "Took forever to get a table.",
                "The line was out the door and barely moved.",
            ),
            ("waiting times are [[short]]", "guests report being seated [[quickly]]"),
            ("waiting times are [[long]]", "guests report [[waiting a long time]] to be seated"),
        ),
    },
    "service": {
        "staff": (
            (
                "Everyone here is so kind and professional.",
                "Maria took the time to explain everything.",
                "Really knowledgeable people.",
                "They treated me like family.",
            ),
            (
                "The lady at the front desk was so rude.",
                "Nobody knew what they were doing.",
                "I was ignored for twenty minutes.",
                "Very unprofessional.",
            ),
            (
                "customers describe the staff as [[professional and helpful]]",
                "reviewers speak [[well]] of the employees",
            ),
            (
                "customers describe the staff as [[rude or unprofessional]]",
                "reviewers speak [[badly]] of the employees",
            ),
        ),
        "quality": (
            (
                "They did an amazing job.",
                "I love how it turned out.",
                "Fixed the problem on the first try.",
                "Better than any other place in town.",
            ),
            (
                "They botched the job completely.",
                "Had to come back three times to get it fixed.",
                "Looked terrible when they were done.",
            ),
            (
                "the quality of the work is [[praised]]",
                "clients were [[satisfied]] with the results",
            ),
            (
                "the quality of the work is [[criticized]]",
                "clients were [[dissatisfied]] with the results",
            ),
        ),
        "price": (
            (
                "Very fair prices.",
                "They even gave me a discount.",
                "Half of what the dealer quoted me.",
            ),
            (
                "They charged me double the quote.",
                "Hidden fees everywhere.",
                "Ridiculously expensive.",
            ),
            ("its prices are considered [[fair]]", "customers find it [[affordable]]"),
            ("its prices are considered [[excessive]]", "customers find it [[too expensive]]"),
        ),
        "speed": (
            (
                "In and out in half an hour.",
                "They got me in the same day.",
                "Done before I finished my coffee.",
            ),
            (
                "Took two weeks longer than promised.",
                "My appointment started an hour late.",
                "Still waiting for a call back.",
            ),
            (
                "reviewers mention [[quick]] turnaround",
                "customers report that things are done [[fast]]",
            ),
            ("reviewers mention [[long delays]]", "customers report that things take [[too long]]"),
        ),
    },
    "hotel": {
        "room": (
            (
                "Our room was spotless and spacious.",
                "The bed was incredibly comfortable.",
                "Lovely view from the balcony.",
            ),
            (
                "The carpet was stained and the room smelled of smoke.",
                "The air conditioner rattled all night.",
                "The shower barely worked.",
            ),
            (
                "guests [[liked]] their rooms",
                "the rooms are described as [[clean and comfortable]]",
            ),
            (
                "guests [[complained]] about their rooms",
                "the rooms are described as [[dirty or worn]]",
            ),
        ),
        "staff": (
            (
                "The front desk upgraded us for free.",
                "Everyone greeted us with a smile.",
                "Housekeeping was wonderful.",
            ),
            (
                "The receptionist couldn't care less.",
                "Housekeeping forgot us two days in a row.",
                "Staff was nowhere to be found.",
            ),
            ("the staff is [[praised]]", "visitors found the employees [[helpful]]"),
            ("the staff is [[criticized]]", "visitors found the employees [[unhelpful]]"),
        ),
        "location": (
            (
                "You can walk everywhere from here.",
                "Two minutes from the beach!",
                "Perfect spot right by the train.",
            ),
            (
                "It's in the middle of nowhere.",
                "The area felt unsafe at night.",
                "Far from everything.",
            ),
            ("guests find its location [[convenient]]",),
            ("guests find its location [[inconvenient]]",),
        ),
        "noise": (
            ("Slept like a baby, so quiet.", "You don't hear a thing from the street."),
            ("The walls are paper thin.", "Trucks woke us up at five every morning."),
            ("reviewers call it [[quiet]]",),
            ("reviewers call it [[noisy]]",),
        ),
    },
    "product": {
        "quality": (
            (
                "Feels solid and well made.",
                "Still works like new after a year.",
                "Excellent build.",
            ),
            ("Broke after a week.", "The plastic feels cheap.", "Stopped working on day three."),
            ("buyers are [[pleased]] with its build quality", "owners say that it is [[durable]]"),
            (
                "buyers are [[unhappy]] with its build quality",
                "owners say that it [[breaks easily]]",
            ),
        ),
        "ease": (
            ("Set it up in five minutes.", "My grandmother can use it.", "So simple."),
            (
                "The manual makes no sense.",
                "Took me two hours to set up.",
                "The app keeps crashing.",
            ),
            ("users find it [[easy]] to use",),
            ("users find it [[hard]] to use",),
        ),
        "value": (
            ("A steal at this price.", "Worth every penny."),
            ("You can get better for half the price.", "Waste of money."),
            ("it is seen as [[good]] value for money",),
            ("it is seen as [[poor]] value for money",),
        ),
        "delivery": (
            ("Arrived a day early.", "Fast shipping and nice packaging."),
            ("Came a month late in a crushed box.", "It was missing a part when it arrived."),
            ("delivery is reported to be [[fast]]",),
            ("delivery is reported to be [[problematic]]",),
        ),
    },
}
