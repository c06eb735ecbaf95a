"""More words of the demo reports: the parts that make a long report long."""

CUSTOMERS = (
    ("Customers",
     ("The Company sold to about 1,900 customers in {year}. No customer brought more than seven percent of revenue. "
      "Hydrographic offices and navies together brought 38 percent, offshore wind developers and their surveyors 26 "
      "percent, energy companies 17 percent, ports 11 percent, and universities and others 8 percent.",
      "Orders of more than $2 million are usually tendered. A tender takes between four and fourteen months from "
      "invitation to award, and the Company won 41 percent of the tenders that it entered in {year}, by value.")),
    ("Sales and Distribution",
     ("Instruments are sold by the Company's own engineers in twelve countries and by forty-four agents elsewhere. "
      "Agents are paid a commission and do not take title. Vessels and software are sold only directly.",
      "A rental pool in Houston and Aberdeen holds about 340 instruments, which customers rent by the week. Rental "
      "revenue is part of the Services segment.")),
    ("Manufacturing",
     ("Transducers are wound, potted and tuned by hand. A deep-water array has 1,152 elements, each measured three "
      "times before it leaves Newport. The share of arrays that pass the final tank test at the first attempt was {yield_share} "
      "percent in {year}.",
      "Electronics are assembled by two contract manufacturers, one in Massachusetts and one in Estonia, from designs "
      "that the Company owns. The Company could move the work between them within about ten weeks.")),
    ("Regulation",
     ("Sonars that work deeper than 1,000 metres, and vessels that can tow an array, are controlled for export by the "
      "United States, Norway and the United Kingdom. The Company applied for 214 licences in {year}, of which two were "
      "refused.",
      "Vessels without a crew must be registered, insured and marked like others. Several flag states ask in addition "
      "for a person ashore who is answerable for each voyage; the Company keeps such persons on watch in San Diego and "
      "Southampton around the clock.")),
    ("Intellectual Property",
     ("The Company protects designs by patents, by copyright in its software, and by keeping the tuning of transducers "
      "secret. Chartwright, Tidewatch, Petrel and Skua are registered trade marks in the countries where they are "
      "sold.",)),
)  # fmt: skip

MORE_RISKS = {
    "Risks Related to People and Suppliers": (
        ("Acoustic engineers are scarce.",
         "Three universities train most of the engineers that the Company hires. Competitors and defence contractors "
         "recruit from the same classes. If too few can be hired, new instruments will be late."),
        ("Lithium cells come from one supplier.",
         "The supplier's only plant stands in a region of earthquakes. A change of cell would require every class of "
         "vessel to be approved again, which took fourteen months the last time."),
        ("A strike could stop deliveries.",
         "About 480 employees in Norway and 260 in England are covered by collective agreements. The Norwegian "
         "agreement is renewed every second spring."),
    ),
    "Risks Related to Data": (
        ("Survey data may be wrong.",
         "A chart that shows deeper water than there is can ground a ship. The Company checks every chart that it "
         "publishes twice, by two persons. Its contracts limit liability, but courts may not enforce the limits."),
        ("Forecasts may mislead a port.",
         "Tidewatch forecasts are used to plan the arrival of deep ships. The subscription terms say that a forecast "
         "is an estimate. A large error could nevertheless cost the Company its reputation."),
        ("Countries may close their waters to foreign surveys.",
         "Nine countries now require that data of their seabed be kept on their territory. Two of them forbid its "
         "export altogether. The Company has built data centres in two countries in answer."),
    ),
}  # fmt: skip

SEGMENT_NUMBERS = {
    "Sensors": ("Instruments shipped", {2022: 1284, 2023: 1341, 2024: 1502}),
    "Vessels": ("Vessels delivered", {2022: 11, 2023: 9, 2024: 13}),
    "Software and Data": ("Subscribing organisations", {2022: 742, 2023: 861, 2024: 1107}),
    "Services": ("Survey line miles (thousands)", {2022: 318, 2023: 344, 2024: 391}),
}

SEGMENT_MARGINS = {
    "Sensors": {2022: 0.243, 2023: 0.238, 2024: 0.247},
    "Vessels": {2022: 0.121, 2023: 0.094, 2024: 0.132},
    "Software and Data": {2022: 0.271, 2023: 0.296, 2024: 0.305},
    "Services": {2022: 0.168, 2023: 0.171, 2024: 0.176},
}

OUTLOOK = (
    "We expect revenue to grow between six and nine percent in {next}, without further acquisitions. We expect the "
    "share of Software and Data to rise again and the Vessels segment to deliver between twelve and fifteen vessels.",
    "These expectations rest on orders in hand, on the budgets that hydrographic offices have published, and on wind "
    "farm licences that have been granted. They may turn out wrong for the reasons given in Item 1A.",
)

POLICIES = (
    ("Cash and Cash Equivalents",
     "Cash equivalents are deposits and money market funds that mature within three months of purchase. Cash of $11 "
     "million is held as security for performance guarantees."),
    ("Accounts Receivable",
     "Receivables are stated less an allowance for expected credit losses, which is estimated from losses of the past "
     "ten years and from what is known of each large customer."),
    ("Impairment of Long-Lived Assets",
     "Vessels, buildings and finite-lived intangible assets are tested when events suggest that their carrying amount "
     "may not be recovered. No impairment was recorded in the years presented."),
    ("Research and Development",
     "Research and development is expensed as incurred. The cost of software to be sold is capitalised from the time "
     "when it is technically feasible; that time falls shortly before release, so the amounts are not material."),
    ("Advertising",
     "Advertising is expensed as incurred and was $7 million in {year}."),
    ("Concentration of Credit Risk",
     "Deposits are spread over eleven banks. No bank held more than a fifth of cash at September 30, {year}."),
    ("New Accounting Standards",
     "A new standard on segment reporting asks for more detail about the expenses of segments and will be adopted when "
     "it takes effect. A new standard on income tax disclosure asks for taxes paid by country."),
)  # fmt: skip

OFFICERS = (
    ("Miriam Okafor-Lindqvist", 58, "Chief Executive Officer since 2017"),
    ("Tobias Renner", 51, "Chief Financial Officer since 2020"),
    ("Hanne Skjelstad", 49, "President, Sensors, since 2019"),
    ("Dashiell Moreau", 46, "President, Vessels, since 2021"),
    ("Priyanka Raghunathan", 44, "President, Software and Data, since 2022"),
    ("Cormac Delahunt", 55, "President, Services, since 2016"),
    ("Adaeze Whitcombe", 53, "General Counsel and Secretary since 2014"),
)

GLOSSARY = (
    ("Backlog", "firm orders, at their price, less what has been recognised as revenue"),
    ("Bathymetry", "the measuring of water depth"),
    ("Beam forming", "adding the signals of many elements so that they listen in one direction"),
    ("Free cash flow", "net cash provided by operating activities less purchases of property, plant and equipment"),
    ("Line mile", "one nautical mile of track sailed while surveying"),
    ("Multibeam sonar", "a sonar that measures many depths across the track at once"),
    ("Organic growth", "growth of revenue without businesses acquired within twelve months"),
    ("Segment profit", "operating income of a segment before amortization, restructuring and shared cost"),
    ("Side-scan sonar", "a sonar that draws a picture of the seabed to both sides of the track"),
    ("Sound velocity probe", "an instrument that measures how fast sound travels at each depth"),
    ("Towed array", "a line of hydrophones pulled behind a vessel"),
    ("Type approval", "a classification society's statement that a design meets its rules"),
    ("Uncrewed surface vessel", "a vessel that sails without a person aboard"),
    ("Yearly value of subscriptions", "what subscriptions in force on one day bring in a full year"),
)

EXHIBITS = (
    ("3.1", "Certificate of incorporation"), ("3.2", "By-laws, as amended in May 2019"),
    ("4.1", "Indenture for the 4.35 percent senior notes"), ("4.2", "Description of securities"),
    ("10.1", "Credit agreement of March 2023"), ("10.2", "2018 equity plan"), ("10.3", "Form of restricted unit award"),
    ("10.4", "Severance plan for officers"), ("10.5", "Lease of the yard in Southampton"),
    ("10.6", "Supply agreement for lithium cells"), ("14.1", "Code of conduct"), ("19.1", "Policy on insider trading"),
    ("21.1", "Subsidiaries, listed below"), ("23.1", "Consent of the auditor"),
    ("31.1", "Certification of the Chief Executive Officer"), ("31.2", "Certification of the Chief Financial Officer"),
    ("32.1", "Certification under section 1350"), ("97.1", "Policy on recovery of pay"),
)  # fmt: skip

CERTIFICATION = (
    "I have reviewed this annual report of Thornbury Marine Systems, Inc.",
    "To my knowledge, this report contains no untrue statement of a material fact and leaves out no material fact that "
    "would be needed to make its statements not misleading.",
    "To my knowledge, the financial statements fairly present the condition, results and cash flows of the registrant "
    "for the periods in this report.",
    "The other certifying officer and I are responsible for disclosure controls and for internal control over financial "
    "reporting, have designed them, and have evaluated them as of the end of the period.",
    "We have told the auditors and the Audit Committee of all significant deficiencies in the design or operation of "
    "internal control, and of any fraud that involves persons with a significant role in it.",
)

NOTE_EXTRAS = {
    2: "Revenue from contracts whose performance was completed in earlier years was not material. Unfulfilled "
       "obligations at September 30, {year} were ${backlog} million, most of which will become revenue within two years.",
    5: "The reserve for slow-moving inventories was $13 million at September 30, {year}. Inventories include $21 million "
       "of instruments lent to customers while their own are repaired.",
    6: "Construction in progress at September 30, {year} was mainly tooling for vessels and the enlargement of test "
       "facilities. Interest of $1 million was capitalised.",
    9: "Interest paid in cash was $22 million in {year}. The Company may redeem the senior notes early at a price that "
       "makes their holders whole.",
    10: "Lease expense was $17 million in {year}, of which $3 million was for leases of less than a year. The yard in "
        "Southampton may be leased for a further ten years from 2029 at a rent to be agreed.",
    11: "The obligation of the defined benefit plan was $94 million and its assets were $81 million at September 30, "
        "{year}. A discount rate lower by half a percentage point would raise the obligation by about $7 million.",
    13: "Warranty cost was $12 million in {year}. Provisions for warranties are based on the failures of the past five "
        "years and on the age of what was delivered.",
    14: "Restricted units granted in {year} had a weighted average fair value of $38.40. Units vest over three or four "
        "years; those of officers vest only if total return is above the median of a group of peers.",
    18: "No preferred stock has been issued. At September 30, {year} there were 300 million shares authorised.",
    19: "Derivatives are valued by models whose inputs can be observed in markets (level 2). The Company does not trade "
        "in derivatives, and no hedge was found ineffective in {year}.",
}  # fmt: skip
