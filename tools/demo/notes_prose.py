"""The words of the notes to the statements of the demo's reports."""

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
