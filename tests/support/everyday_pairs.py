"""Small documents and everyday questions about them, in other words than theirs; a fact's words tell its passage."""

DOCUMENTS = {
    "lease": """# Tenancy agreement

## 1. Parties
The lessor is Harbour Lettings Ltd. The lessee is named on the cover sheet.

## 2. Term
The tenancy commences on 1 May and runs for a fixed term of twenty-four months. It is prolonged by successive
periods of
twelve months unless one party objects three months before expiry.

## 3. Charges
The monthly rental is 1,150 pounds, payable in advance by the third working day. Arrears bear interest at four
percent a year.

## 4. Security
The lessee provides a bond of two monthly rentals. It is released within six weeks of the end of the tenancy,
less the cost
of any damage.

## 5. Animals
The keeping of animals requires the prior written consent of the lessor; fish and caged birds are exempt.

## 6. Third-party use
The premises may not be underlet or made available to third parties for short stays.

## 7. Maintenance
The lessor maintains the boiler, the roof and the pipes. The lessee bears minor upkeep up to 80 pounds a case.

## 8. Access
The lessor may inspect the premises after giving 48 hours of notification, and without any in an emergency.

## 9. Quiet
Nuisance is to be avoided between 10 p.m. and 7 a.m.

## 10. Surrender
On vacating the premises the lessee hands over all keys and leaves the rooms swept.

## 11. Alterations
Structural changes and painting in dark colours need approval.
""",
    "handbook": """# Staff handbook of Brook & Sons

## Recruitment
Candidates are invited by the personnel department. The first six months are a trial period.

## Remuneration
Remuneration is transferred on the 25th of each month. It is reviewed every January.

## Annual holiday entitlement
Every employee is entitled to 27 working days of paid leave. Unused days are carried forward until 31 March
and lapse then.

## Incapacity for work
Incapacity is to be reported by 9 a.m. to the supervisor. A medical certificate is due from the third day on.

## Birth and adoption
Employees who become a father or mother receive ten days of special leave on full remuneration.

## Bereavement
On the death of a close relative three days of special leave are granted.

## Telework
Remote work is possible on two days a week after approval by the head of department.

## Sideline activities
Outside employment must be authorised in writing beforehand and may not exceed eight hours a week.

## Gratuities
Benefits from suppliers worth more than 30 euros are to be declined.

## Disciplinary measures
Breaches of duty lead to a reprimand, and after two of them to dismissal.

## Grievances
Grievances go to the staff council, which replies within ten working days.

## Ending employment
Either side may terminate with a period of notice of six weeks to the end of a quarter.

## Further education
The company bears the fees of approved courses up to 900 euros a year.
""",
    "travel": """# Travel guideline

## Approval
Official journeys are authorised by the line manager before anything is reserved.

## Rail and air
Second class is used on the railway. Economy class applies to air travel of less than six hours.

## Private vehicles
For a private vehicle 0.34 euros are granted for each kilometre.

## Accommodation
Lodging is reimbursed up to 140 euros a night, breakfast included.

## Subsistence
The daily allowance is 28 euros for absences of 24 hours and 14 euros for those of more than eight.

## Vouchers
Claims are submitted within four weeks with original vouchers. Later ones are refused.

## Not reimbursable
Minibar, laundry and penalties for traffic offences are borne by the traveller.

## Accompanying persons
The cost of accompanying persons is not assumed.

## Postponement
Charges for rebooking are reimbursed when the reason is operational.
""",
    "manual": """# AquaPure 300 dehumidifier: operating instructions

## Safety
The appliance is not intended for use by persons under the age of eight. Keep it away from flammable vapours.

## Assembly
Attach the castors and insert the strainer before commissioning.

## Switching on
Press the power key for two seconds. The green indicator lights up.

## Emptying
When the reservoir is full, the compressor halts and an acoustic signal sounds four times.

## Cleaning
Rinse the strainer with lukewarm water every fortnight. Do not use solvents.

## Storage
Before a prolonged standstill, drain the reservoir and dry it.

## Technical data
Sound pressure level 38 dB. Power input 310 W. Dimensions 350 x 240 x 560 mm. Mass 14 kg.

## Fault finding
If the appliance does not start up, verify the position of the reservoir and the fuse.
If E3 is displayed, the sensor is defective; contact an authorised workshop.

## Guarantee
Defects of material are remedied free of charge for 36 months. Wearing parts are excluded.

## Disposal
Discarded appliances are handed over at municipal collection points.
""",
    "supply": """# Framework contract for packaging

## 1. Ordering
The purchaser calls off quantities at least fifteen working days before dispatch.

## 2. Prices
Prices are fixed for the first year. Afterwards they may be adjusted once a year by at most three percent.

## 3. Payment
Invoices fall due 30 days after receipt. A deduction of two percent is allowed within ten days.

## 4. Delay
For each commenced week of delay the vendor owes one percent of the value of the consignment, capped at five percent.

## 5. Non-conforming goods
Obvious deficiencies are notified within eight days, concealed ones upon discovery. The vendor replaces the
goods or grants a credit note.

## 6. Liability
The aggregate liability of either party is limited to 500,000 euros a year, except for intent.

## 7. Secrecy
Both parties treat commercial information as confidential for four years after the expiry of the contract.

## 8. Subcontracting
Subcontractors may be engaged only with written consent.

## 9. Termination
Each party may rescind the contract for good cause, in particular upon insolvency of the other.

## 10. Venue
The place of jurisdiction is Rotterdam; Dutch law applies.

## 11. Force majeure
Events beyond the control of a party suspend its obligations as long as they last.
""",
    "privacy": """# Privacy statement of the Lumen reading app

## What is gathered
We gather the name, the electronic mail address and the titles that are opened.

## Disclosure
Information is disclosed to hosting providers. It is not transferred to advertisers.

## Retention
Records are erased two years after the last session.

## Tracking technologies
Web beacons measure how often a chapter is viewed; they can be disabled in the preferences.

## Minors
Persons below sixteen need the consent of a guardian.

## Rectification
Incorrect entries are amended upon request.

## Safeguards
Transmission is encrypted; access is restricted to authorised personnel.

## Security incidents
Affected persons are notified of an unauthorised intrusion within 72 hours.

## Law enforcement
Authorities obtain records upon a court order alone.

## Modifications
Modifications of this statement are announced thirty days in advance.
""",
    "study": """# Information on the CALM study

## Aim
The investigation examines whether a nasal spray alleviates migraine.

## Who may participate
Adults between 18 and 60 with at least four attacks a month are eligible. Expectant and lactating women are excluded.

## Allocation
Half of the subjects receive a placebo; allocation is random.

## Visits
Participation lasts fourteen weeks with five appointments at the clinic. Blood is sampled at the first and the last.

## Undesirable effects
Irritation of the nose occurred in one of ten subjects; drowsiness was rare.

## Withdrawal
Consent may be revoked at any time without giving grounds.

## Reimbursement
Travel costs are refunded and 40 pounds are granted for each appointment.

## Sponsor
The investigation is financed by the Northgate Foundation and headed by Dr Imani Odell.

## Emergencies
In case of a severe reaction call the hotline, which is staffed day and night.
""",
    "town": """# Notice of the municipality on residents' parking

## Eligibility
Inhabitants whose principal residence lies in zone B are entitled to one permit for each household.

## Application
Requests are submitted with the registration document at the citizens' office or on the portal. Processing
takes eight working days.

## Charges
The annual charge is 65 euros; it is waived for severely disabled persons.

## Validity
The permit is valid for twelve months and has to be renewed before it lapses.

## Change of vehicle
A change of vehicle or of address has to be notified without delay.

## Loss
A lost permit is substituted for 12 euros.

## Offences
Misuse is punished by an administrative penalty of 120 euros and revocation.

## Objections
Against a refusal an objection may be lodged within one month.
""",
}

PAIRS = [
    ("lease", "When does the rental period start?", "commences on 1 May"),
    ("lease", "How much do I pay each month for the flat?", "1,150 pounds"),
    ("lease", "What happens if I pay late?", "Arrears bear interest"),
    ("lease", "How big is the deposit?", "bond of two monthly rentals"),
    ("lease", "When do I get my deposit back?", "released within six weeks"),
    ("lease", "Am I allowed to have a dog?", "keeping of animals"),
    ("lease", "Can I rent it out to tourists?", "underlet"),
    ("lease", "Who has to fix the heating when it breaks?", "maintains the boiler"),
    ("lease", "Can the landlord just walk in?", "may inspect the premises"),
    ("lease", "When do we have to stop making noise?", "Nuisance is to be avoided"),
    ("lease", "What must I do when I move out?", "On vacating the premises"),
    ("lease", "May I redecorate?", "painting in dark colours"),
    ("handbook", "When do I get paid?", "25th of each month"),
    ("handbook", "How many days off do we get a year?", "27 working days"),
    ("handbook", "Do leftover holidays expire?", "carried forward until 31 March"),
    ("handbook", "Who do I call when I am ill?", "reported by 9 a.m."),
    ("handbook", "When do I need a doctor's note?", "medical certificate is due"),
    ("handbook", "How long can new dads stay home?", "ten days of special leave"),
    ("handbook", "Do I get time off when my grandmother dies?", "death of a close relative"),
    ("handbook", "Can I work from home?", "Remote work is possible"),
    ("handbook", "May I have a second job?", "Outside employment"),
    ("handbook", "Can I accept presents?", "worth more than 30 euros"),
    ("handbook", "What can get me fired?", "to dismissal"),
    ("handbook", "Where can I complain about my boss?", "Grievances go to"),
    ("handbook", "How much warning must I give before I quit?", "period of notice of six weeks"),
    ("handbook", "Who pays for training?", "fees of approved courses"),
    ("travel", "Who has to okay my trip?", "authorised by the line manager"),
    ("travel", "Which ticket can I buy for the train?", "Second class is used"),
    ("travel", "How much do I get for driving my own car?", "0.34 euros"),
    ("travel", "How expensive may the hotel be?", "up to 140 euros a night"),
    ("travel", "How much food money is there per day?", "daily allowance is 28"),
    ("travel", "How long do I have to hand in receipts?", "within four weeks"),
    ("travel", "Does the firm pay my speeding fine?", "traffic offences"),
    ("travel", "Can I bring my wife on the company's money?", "accompanying persons is not"),
    ("manual", "Can my kids use the machine?", "under the age of eight"),
    ("manual", "How do I turn it on?", "Press the power key"),
    ("manual", "What does it mean when it beeps?", "acoustic signal"),
    ("manual", "How often do I have to wash the filter?", "every fortnight"),
    ("manual", "How loud is it?", "Sound pressure level"),
    ("manual", "How heavy is the device?", "Mass 14 kg"),
    ("manual", "The thing won't start. What now?", "does not start up"),
    ("manual", "Will they repair it for free?", "remedied free of charge"),
    ("manual", "Where do I throw it away?", "municipal collection points"),
    ("supply", "How far ahead must we order?", "fifteen working days"),
    ("supply", "How much can they raise their prices?", "at most three percent"),
    ("supply", "When do we have to pay the bills?", "30 days after receipt"),
    ("supply", "What do they owe us if the goods arrive too late?", "commenced week of delay"),
    ("supply", "How soon must we complain about broken goods?", "notified within eight days"),
    ("supply", "What is the most we could claim from them?", "limited to 500,000"),
    ("supply", "For how long must we keep things secret?", "for four years"),
    ("supply", "Can they hand the work to another firm?", "Subcontractors may be engaged"),
    ("supply", "When can we get out of the deal?", "rescind the contract"),
    ("supply", "Where would a dispute go to court?", "place of jurisdiction"),
    ("supply", "What if there is an earthquake?", "Events beyond the control"),
    ("privacy", "What do they collect about me?", "gather the name"),
    ("privacy", "Do they give my data to other companies?", "disclosed to hosting providers"),
    ("privacy", "How long do they keep my data?", "erased two years"),
    ("privacy", "Can I turn off cookies?", "Web beacons"),
    ("privacy", "From what age may kids use it?", "below sixteen"),
    ("privacy", "Can I correct mistakes in my data?", "amended upon request"),
    ("privacy", "Will they tell me if they get hacked?", "unauthorised intrusion"),
    ("privacy", "Can the police see what I read?", "court order"),
    ("study", "Who can join?", "are eligible"),
    ("study", "Can pregnant women take part?", "Expectant and lactating"),
    ("study", "How many times do I have to come to the hospital?", "five appointments"),
    ("study", "Does the medicine have side effects?", "Irritation of the nose"),
    ("study", "Can I change my mind and drop out?", "may be revoked"),
    ("study", "Do I get money for it?", "40 pounds"),
    ("study", "Who pays for the research?", "financed by"),
    ("study", "Who is in charge of the trial?", "headed by"),
    ("town", "Who can get a permit?", "principal residence"),
    ("town", "How long does it take to get one?", "eight working days"),
    ("town", "What does it cost per year?", "65 euros"),
    ("town", "I bought a new car. Do I have to tell them?", "change of vehicle"),
    ("town", "What is the fine for cheating?", "administrative penalty"),
    ("town", "How long do I have to appeal if they turn me down?", "within one month"),
]
