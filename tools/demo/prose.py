"""The words of the demo reports. Placeholders in braces are filled from the books."""

COMPANY = "Thornbury Marine Systems, Inc."

INTRODUCTION = (
    'Thornbury Marine Systems, Inc. (together with its subsidiaries, "Thornbury", "the Company" or "TMS") designs and '
    "builds instruments that measure the sea, vessels that carry them without a crew, and the software that turns what "
    "they record into charts. The Company was founded in Newport, Rhode Island in 1964 as a maker of echo sounders for "
    "fishing boats and has sold its instruments in more than ninety countries.",
    "The fiscal year ends on September 30. Unless stated otherwise, references to a year are to the fiscal year, and "
    "amounts are in millions of United States dollars. The Company's common stock is listed under the symbol TMSI.",
    "At September 30, {year} the Company had {employees} employees, of whom about two fifths work in engineering, and "
    "an order backlog of ${backlog} million. About seven tenths of the backlog is expected to become revenue within "
    "twelve months.",
)

SEGMENT_PROSE = {
    "Sensors": (
        "The Sensors segment makes multibeam and side-scan sonars, motion references, sound velocity probes and "
        "acoustic releases. Instruments are assembled in Newport and in Trondheim, Norway, and are calibrated in the "
        "Company's own test tank, which is 32 metres long and 9 metres deep.",
        "Customers are hydrographic offices, offshore wind developers, energy companies, navies and universities. A "
        "hydrographic survey sonar is usually replaced after eight to ten years, and orders follow the building of "
        "survey ships and the opening of seabed licences.",
        "Competition comes from four large makers and from a growing number of smaller ones that sell lower-cost "
        "instruments for shallow water. Customers choose by accuracy at depth, by reliability, and by how quickly an "
        "instrument can be repaired in port.",
    ),
    "Vessels": (
        "The Vessels segment builds uncrewed surface vessels between 4 and 24 metres long. The Petrel class surveys "
        "coastal waters for up to ten days without refuelling; the larger Skua class, first delivered in 2022, crosses "
        "oceans and carries a towed array.",
        "Hulls are moulded at a leased yard in Southampton, England and fitted out in Newport. A Skua takes about "
        "eleven months from order to delivery. Revenue from vessels made to a customer's specification is recognised "
        "over time; see Note 2.",
        "Regulation of vessels without a crew differs between flag states. The Company holds type approvals from three "
        "classification societies and takes part in drafting the code for maritime autonomous surface ships.",
    ),
    "Software and Data": (
        "The Software and Data segment licenses Chartwright, which cleans, merges and publishes survey data, and sells "
        "subscriptions to Tidewatch, a service that gives forecasts of current and sediment for ports.",
        "Nearly all new licences are subscriptions of one to three years, invoiced yearly in advance. At September 30, "
        "{year} the yearly value of subscriptions in force was ${arr} million, and {retention} percent of the value "
        "due for renewal in the year was renewed.",
    ),
    "Services": (
        "The Services segment repairs and calibrates instruments, trains surveyors, and carries out surveys with the "
        "Company's own vessels where a customer prefers to buy the chart instead of the ship. It operates from nine "
        "ports, listed in Item 2.",
        "Framework agreements with two hydrographic offices, which run until 2027, brought about a third of the "
        "segment's revenue in {year}.",
    ),
}

MORE_BUSINESS = (
    ("Raw Materials and Suppliers",
     ("Sonar transducers depend on piezoelectric ceramics from two suppliers, one in Denmark and one in Japan. The "
      "Company holds about five months' use of ceramic elements and has qualified a third source for its smaller "
      "transducers. Lithium cells for vessels come from a single supplier under an agreement that runs to 2026.",)),
    ("Research and Development",
     ("Research and development expense was ${research} million in {year}. Work in progress includes a sonar that "
      "classifies the seabed while it surveys, a vessel hull with half the drag of the Petrel, and learning systems "
      "that propose which soundings a surveyor should reject. The Company holds 212 patents and has 64 applications "
      "pending; no single patent is material.",)),
    ("Seasonality",
     ("Surveys in northern waters are made from April to October, and instruments are serviced in winter. Revenue is "
      "therefore lowest in the first fiscal quarter and highest in the fourth.",)),
    ("Human Capital",
     ("The Company competes for acoustic engineers, of whom there are few. Voluntary turnover was {turnover} percent "
      "in {year}. All employees may buy shares at a discount of ten percent, and apprentices make up six percent of "
      "the workforce in Newport and Southampton.",
      "Safety is measured by recordable injuries per 200,000 hours worked, which was {injuries} in {year}. Every "
      "injury at sea is investigated by a team that reports to the Chief Executive Officer.")),
    ("Environmental Matters",
     ("Active sonar can disturb marine mammals. The Company's instruments start at low power and rise slowly, and its "
      "survey crews follow the guidance of the countries in whose waters they work. Clean-up of the former plating "
      "shop in Newport is described in Note 16.",)),
    ("Available Information",
     ("Annual, quarterly and current reports are available free of charge on the Company's website as soon as they "
      "have been filed.",)),
)  # fmt: skip

RISKS = {
    "Risks Related to Our Markets": (
        ("Spending on offshore wind may be delayed or cancelled.",
         "About a quarter of revenue depends on surveys for wind farms. Developers have cancelled projects when "
         "turbine prices, interest rates or the terms of electricity contracts changed. A cancelled project usually "
         "frees survey instruments that then compete with new ones, so the effect on orders may be larger than the "
         "project itself."),
        ("Public budgets for hydrography and defence may fall.",
         "Hydrographic offices and navies brought 38 percent of revenue in {year}. Their budgets are set yearly, may "
         "be held back when a legislature does not agree on a budget, and may favour domestic makers."),
        ("Makers of low-cost sonar may enter deeper water.",
         "Instruments for shallow water have lost a third of their price in five years. If the same happens to "
         "instruments for the continental shelf, margins of the Sensors segment would fall."),
    ),
    "Risks Related to Our Operations": (
        ("Ceramic elements come from few suppliers.",
         "A fire at one of the two suppliers in 2019 delayed deliveries by four months. The stock that the Company "
         "now holds covers about five months."),
        ("A vessel without a crew may cause an accident.",
         "The Company's vessels have sailed 1.9 million nautical miles without injury to a person. A collision could "
         "lead to claims above the limits of insurance, to the loss of type approvals, and to a halt of deliveries."),
        ("Fixed-price vessel contracts may cost more than expected.",
         "Skua vessels are sold at a fixed price. The first three cost more than was estimated, and a provision was "
         "recorded in 2023; see Note 13."),
        ("Our systems may be attacked.",
         "Survey data can be sensitive to states. The Company was the target of an intrusion in 2022, which reached a "
         "file server of one subsidiary and did not reach customers' data."),
    ),
    "Risks Related to Finance and Law": (
        ("Our debt limits what we can do.",
         "Total debt was ${debt} million at September 30, {year}. The credit agreement requires that debt, less cash, "
         "stay under 3.0 times adjusted EBITDA. A breach would allow lenders to ask for repayment; see Note 9."),
        ("Exchange rates move our results.",
         "About 57 percent of revenue is earned outside the United States. A dollar stronger by ten percent against "
         "the euro, the krone and the pound would have lowered operating income in {year} by about $14 million."),
        ("Export controls may close markets.",
         "Deep-water sonars need an export licence. Two licences were refused in {year}, for orders of together $9 "
         "million, which were cancelled."),
        ("Goodwill may be impaired.",
         "Goodwill was ${goodwill} million at September 30, {year}. The Vessels reporting unit's fair value was above "
         "its carrying amount by 18 percent; the other units' by more than 60 percent. See Note 7."),
        ("Pension obligations may grow.",
         "The Norwegian plan promises benefits tied to final salary. Lower discount rates or longer lives would raise "
         "the obligation described in Note 11."),
    ),
}  # fmt: skip

ITEMS_SHORT = {
    "unresolved": "There are no unresolved comments from the staff of the Commission.",
    "cyber": (
        "The Company's information security programme follows a published framework and is led by a Chief Information "
        "Security Officer, who reports to the Audit Committee each quarter. Outside experts test the defences of the "
        "shore stations that steer vessels twice a year.",
        "No incident in {year} had, or is likely to have, a material effect on the business.",
    ),
    "legal": (
        "In 2021 Ostrava Sonar s.r.o. claimed that a beam-forming method used in the Company's side-scan sonars "
        "infringes two of its patents. A court in Rhode Island found for the Company in {verdict_year}, and the "
        "plaintiff has appealed. The Company has not recorded a liability because it does not consider a loss "
        "probable. Further proceedings are described in Note 16.",
    ),
    "mine": "Not applicable.",
    "changes": "None.",
    "controls": (
        "Management, with the Chief Executive Officer and the Chief Financial Officer, evaluated the disclosure "
        "controls at September 30, {year} and concluded that they were effective. Management also assessed internal "
        "control over financial reporting by the criteria of a recognised framework and found it effective. The "
        "acquisition described in Note 4 was left out of the assessment, as is permitted in the first year.",
    ),
    "other": "No director or officer adopted or ended a trading arrangement in the fourth quarter.",
    "proxy": "The information that this item asks for will be in the proxy statement, to be filed within 120 days of "
    "September 30, {year}, and is included here by reference.",
}

DRIVERS = {
    2023: {
        "revenue": "Revenue grew by $60 million, or 5.0 percent. Subscriptions to Chartwright and larger survey "
        "campaigns explain most of the growth; deliveries of Petrel vessels fell because two customers asked for later "
        "dates.",
        "Sensors": "Sensors revenue rose on deliveries of deep-water multibeam sonars to two survey fleets in Northern "
        "Europe, partly offset by lower prices of shallow-water instruments.",
        "Vessels": "Vessels revenue fell slightly: nine vessels were delivered, against eleven in 2022.",
        "Software and Data": "Software and Data revenue rose because new licences are now subscriptions and because "
        "the price of Tidewatch was raised in January 2023.",
        "Services": "Services revenue rose on survey work for wind farms in the German Bight.",
        "gross": "Gross margin improved by 0.7 percentage points, mainly from the larger share of software.",
        "cash": "Cash from operations rose because customers paid in advance for subscriptions and vessels. Inventories "
        "grew with the stock of ceramic elements.",
        "capital": "Capital spending was mainly for the enlarged test tank in Trondheim and for tooling of the Skua.",
    },
    2024: {
        "revenue": "Revenue grew by $148 million, or 11.8 percent, of which the acquisition of Brightwater Analytics "
        "brought $21 million. All four segments grew.",
        "Sensors": "Sensors revenue rose on the first deliveries of the Kestrel seabed classifier and on repeat orders "
        "from two navies.",
        "Vessels": "Vessels revenue rose because thirteen vessels were delivered, against nine in 2023, among them "
        "four of the Skua class.",
        "Software and Data": "Software and Data revenue rose by a quarter. Brightwater Analytics, acquired in February "
        "2024, brought $21 million; the rest came from new subscribers to Tidewatch.",
        "Services": "Services revenue rose on a framework agreement with the Norwegian hydrographic office that began "
        "in November 2023.",
        "gross": "Gross margin improved because software grew faster than instruments and because the fourth Skua cost "
        "a fifth less to build than the first.",
        "cash": "Cash from operations rose with net income and with customers' advance payments, partly offset by "
        "higher receivables after strong deliveries in September.",
        "capital": "Capital spending rose with the building of the second assembly hall in Newport, which opened in "
        "August 2024.",
    },
}

FACTS = {
    2023: {"arr": 128, "retention": 96, "turnover": "8.1", "injuries": "0.9", "verdict_year": 2022, "recognised": 58,
           "undrawn": 300, "pension": 19, "cleanup": 17, "commitments": 74, "notional": 186, "notes_value": 431},
    2024: {"arr": 171, "retention": 97, "turnover": "6.7", "injuries": "0.7", "verdict_year": 2024, "recognised": 69,
           "undrawn": 210, "pension": 21, "cleanup": 15, "commitments": 88, "notional": 214, "notes_value": 449},
}  # fmt: skip

PROPERTIES = (
    ("Newport, Rhode Island", "Headquarters, assembly, test tank", "Owned", 412), ("Newport, Rhode Island", "Second assembly hall", "Owned", 168),
    ("Trondheim, Norway", "Assembly and calibration", "Owned", 236), ("Bergen, Norway", "Acoustic modems", "Leased", 41),
    ("Southampton, England", "Hull yard", "Leased", 305), ("Exeter, England", "Forecasting", "Leased", 22),
    ("Aberdeen, Scotland", "Service port", "Leased", 37), ("Esbjerg, Denmark", "Service port", "Leased", 29),
    ("Rotterdam, Netherlands", "Service port and stores", "Leased", 58), ("Hamburg, Germany", "Sales office", "Leased", 9),
    ("Brest, France", "Service port", "Leased", 24), ("Bilbao, Spain", "Sales office", "Leased", 6),
    ("Genoa, Italy", "Service port", "Leased", 19), ("Gdynia, Poland", "Stores", "Leased", 33),
    ("Singapore", "Service port and training", "Leased", 46), ("Busan, South Korea", "Service port", "Leased", 27),
    ("Yokohama, Japan", "Sales office", "Leased", 8), ("Perth, Australia", "Service port", "Leased", 31),
    ("Wellington, New Zealand", "Sales office", "Leased", 5), ("Halifax, Nova Scotia", "Service port", "Owned", 44),
    ("St. John's, Newfoundland", "Cold-water test site", "Leased", 18), ("Houston, Texas", "Sales and rental pool", "Leased", 52),
    ("Seattle, Washington", "Software", "Leased", 64), ("San Diego, California", "Vessel operations", "Leased", 39),
    ("Rio de Janeiro, Brazil", "Sales office", "Leased", 7), ("Cape Town, South Africa", "Service port", "Leased", 21),
)  # fmt: skip

SUBSIDIARIES = (
    ("Thornbury Norge AS", "Norway", 100), ("Fjordlink AS", "Norway", 100), ("Thornbury Marine (UK) Ltd.", "England", 100),
    ("Brightwater Analytics Ltd.", "England", 100), ("Thornbury Scotland Ltd.", "Scotland", 100), ("Thornbury Danmark ApS", "Denmark", 100),
    ("Thornbury Nederland B.V.", "Netherlands", 100), ("Thornbury Deutschland GmbH", "Germany", 100), ("Thornbury France SAS", "France", 100),
    ("Thornbury Iberia S.L.", "Spain", 100), ("Thornbury Italia S.r.l.", "Italy", 100), ("Thornbury Polska Sp. z o.o.", "Poland", 100),
    ("Thornbury Singapore Pte. Ltd.", "Singapore", 100), ("Thornbury Korea Co., Ltd.", "South Korea", 80), ("Thornbury Japan K.K.", "Japan", 100),
    ("Thornbury Australia Pty Ltd", "Australia", 100), ("Thornbury New Zealand Ltd", "New Zealand", 100), ("Thornbury Canada Inc.", "Canada", 100),
    ("Newfoundland Test Waters Ltd.", "Canada", 60), ("Thornbury Gulf LLC", "Texas", 100), ("Chartwright Software LLC", "Washington", 100),
    ("Pacific Uncrewed LLC", "California", 75), ("Thornbury do Brasil Ltda.", "Brazil", 100), ("Thornbury Africa (Pty) Ltd", "South Africa", 100),
    ("Thornbury Insurance (Bermuda) Ltd.", "Bermuda", 100), ("Newport Tank Testing LLC", "Rhode Island", 100),
)  # fmt: skip
