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

NOTES_PROSE = {
    1: ("Basis of Presentation",
        ("The consolidated financial statements include Thornbury Marine Systems, Inc. and the subsidiaries that it "
         "controls. Balances and transactions between them are eliminated. Investments in which the Company has "
         "significant influence are accounted for by the equity method.",
         "Preparing the statements requires estimates, above all of the cost to complete vessel contracts, of the fair "
         "value of acquired businesses, and of tax positions. Results may differ from these estimates.",
         "Assets and liabilities of subsidiaries outside the United States are translated at the rate of the balance "
         "sheet date, revenue and expense at average rates. Differences enter other comprehensive income.")),
    2: ("Revenue Recognition",
        ("Instruments are recognised as revenue when control passes, usually on shipment. Vessels made to a customer's "
         "specification have no other use, and the Company has a right to be paid for work done; their revenue is "
         "recognised over time by cost incurred to total expected cost.",
         "Subscriptions are recognised evenly over their term. Surveys are recognised as the survey proceeds, measured "
         "by line miles sailed. Payment is usually due within 45 days.",
         "Deferred revenue was ${deferred_revenue} million at September 30, {year}. Of the balance at the start of the "
         "year, ${recognised} million was recognised as revenue in {year}.")),
    3: ("Segment and Geographic Information",
        ("The Company has four reportable segments: Sensors, Vessels, Software and Data, and Services. The chief "
         "operating decision maker is the Chief Executive Officer, who judges segments by revenue and segment profit. "
         "Assets are not reported by segment.",)),
    4: ("Acquisitions", ()),
    5: ("Inventories",
        ("Inventories are stated at the lower of cost, first in first out, and net realisable value. The stock of "
         "ceramic elements is included in raw materials.",)),
    6: ("Property, Plant and Equipment",
        ("Property, plant and equipment is stated at cost and depreciated by the straight-line method over 30 to 40 "
         "years for buildings, 5 to 12 years for machinery and 15 years for survey vessels that the Company operates.",
         "Depreciation expense was ${depreciation} million in {year}.")),
    7: ("Goodwill and Intangible Assets",
        ("Goodwill is tested for impairment every July and whenever events call for it. No impairment was recorded in "
         "the years presented.",
         "Intangible assets with finite lives are customer relationships, technology and trade names, amortised over 6 "
         "to 14 years. Amortisation expense was ${amortisation} million in {year}.")),
    8: ("Accrued Expenses", ("Accrued expenses consist of the following at September 30.",)),
    9: ("Debt",
        ("The senior notes bear interest at 4.35 percent and mature in equal parts from 2027 to 2031. The revolving "
         "credit facility of $300 million, which runs to March 2028, bears interest at a benchmark rate plus 1.25 "
         "percent; ${undrawn} million was undrawn at September 30, {year}.",
         "The credit agreement requires a ratio of net debt to adjusted EBITDA of at most 3.0 to 1.0 and interest "
         "cover of at least 4.0 to 1.0. The Company complied with both throughout {year}.")),
    10: ("Leases",
         ("The Company leases the yard in Southampton, offices and vehicles. Lease liabilities are included in accrued "
          "expenses and other liabilities. The weighted average remaining term is 6.4 years and the weighted average "
          "discount rate 4.1 percent.",)),
    11: ("Retirement Benefits",
         ("Employees in Norway hired before 2012 belong to a defined benefit plan that is closed to new members. Other "
          "employees belong to defined contribution plans, whose cost was ${pension} million in {year}.",)),
    12: ("Income Taxes",
         ("The provision for income taxes differs from the federal rate of 21 percent as shown below. Earnings of "
          "subsidiaries outside the United States, which are considered permanently invested, were $318 million.",)),
    13: ("Product Warranties and Contract Losses",
         ("Instruments carry a warranty of two years, vessels of three. In 2023 a provision of $11 million was recorded "
          "for the first three Skua vessels, whose expected cost was above their fixed price; $4 million of it "
          "remained at September 30, {year}.",)),
    14: ("Stock-Based Compensation",
         ("The 2018 plan allows 6.0 million shares to be granted as restricted units and options. Expense was "
          "${stock_compensation} million in {year}. Unrecognised expense of $27 million will be recognised over 2.1 "
          "years on average.",)),
    15: ("Earnings per Share",
         ("Diluted earnings per share assume that restricted units vest and options are exercised where that lowers "
          "earnings per share.",)),
    16: ("Commitments and Contingencies",
         ("The Company is cleaning ground water at the former plating shop in Newport under an order of the state "
          "dated 2009. The liability for clean-up, which is not discounted, was ${cleanup} million at September 30, "
          "{year}; the reasonably possible range is up to $12 million higher.",
          "Purchase commitments for ceramics and lithium cells were ${commitments} million at September 30, {year}, of "
          "which about half fall due within one year.",
          "Claims arise in the ordinary course of business, among them the patent claim described in Item 3. "
          "Management does not expect them to have a material effect.")),
    17: ("Restructuring",
         ("In March 2023 the Company closed its assembly line in Gdynia, Poland and moved the work to Trondheim. The "
          "cost was $14 million in 2023, mostly severance for 118 employees, and $3 million in 2024.",)),
    18: ("Shareholders' Equity",
         ("The Board authorised the repurchase of $150 million of shares in November 2021. Under it ${repurchases} "
          "million was spent in {year}. Dividends of ${dividend} per share were paid in {year}.",)),
    19: ("Derivatives and Fair Value",
         ("Forward contracts hedge receipts in euro, krone and pound for up to eighteen months. Their notional amount "
          "was ${notional} million at September 30, {year}. The fair value of the senior notes, by prices of similar "
          "notes (level 2), was ${notes_value} million.",)),
    20: ("Other Income, Net",
         ("Other income consists of interest earned on deposits, gains on the sale of equipment, and the Company's share "
          "of the results of Baltic Charting OU, an Estonian venture of which it owns 35 percent.",
          "Interest earned was higher in {year} because rates on dollar deposits rose.")),
    21: ("Related Parties",
         ("A director is a partner of the law firm that advises the Company on patents. Fees of the firm were $0.9 "
          "million in {year}. The Company sold instruments for $2.3 million to Baltic Charting OU in {year}.",)),
    22: ("Supplemental Cash Flow Information",
         ("Interest paid was $22 million and income taxes paid were $49 million in {year}. Purchases of property, plant "
          "and equipment of $5 million were unpaid at September 30, {year} and are included in accounts payable.",)),
    23: ("Guarantees",
         ("Banks have given performance guarantees of $63 million on behalf of the Company, most of them for vessel "
          "contracts. None was called in the years presented. The Company has also agreed to indemnify its directors.",)),
    24: ("Quarterly Information (Unaudited)",
         ("Revenue is lowest in the first quarter because surveys in northern waters stop in winter. The fourth quarter "
          "of {year} included deliveries of vessels that had been planned for the third.",)),
    25: ("Subsequent Events", ()),
}  # fmt: skip

ACQUISITIONS = {
    2023: (
        "No business was acquired in 2023. In May 2022 the Company acquired Fjordlink AS, a maker of acoustic modems "
        "in Bergen, Norway, for $85 million in cash.",
    ),
    2024: (
        "On February 6, 2024 the Company acquired all shares of Brightwater Analytics Ltd., a publisher of coastal "
        "forecasts in Exeter, England, for $132 million in cash, of which $90 million was borrowed under the revolving "
        "credit facility; see Note 9. Goodwill of $86 million comes from the expected use of Brightwater's models in "
        "Tidewatch and is not deductible for tax.",
        "Brightwater's revenue since the acquisition was $21 million and its operating loss, after amortisation, $2 "
        "million.",
    ),
}

SUBSEQUENT = {
    2023: "On November 8, 2023 the Board declared a quarterly dividend of $0.13 per share. There were no other events "
    "after September 30, 2023 that require disclosure.",
    2024: "On October 21, 2024 the Company agreed to sell its fishing echo sounder line, with revenue of $17 million in "
    "2024, to a group of its managers for $12 million. The sale is expected to close in January 2025.",
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
