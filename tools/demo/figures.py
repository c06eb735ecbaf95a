"""The invented company's books: inputs for each year, everything else worked out so that the statements agree."""

from dataclasses import dataclass
from functools import cached_property

SEGMENTS = ("Sensors", "Vessels", "Software and Data", "Services")
REGIONS = ("United States", "Northern Europe", "Asia Pacific", "Rest of world")


@dataclass(frozen=True)
class Inputs:
    """What is chosen for one fiscal year, in millions of dollars."""

    revenue: tuple[int, int, int, int]
    regions: tuple[int, int, int]
    product_cost_share: float
    service_cost_share: float
    research: int
    selling: int
    restructuring: int
    interest: int
    other_income: int
    tax_share: float
    depreciation: int
    amortisation: int
    capital_spending: int
    acquisitions: int
    borrowed: int
    repaid: int
    dividends: int
    repurchases: int
    stock_compensation: int
    receivables: int
    inventories: int
    prepaid: int
    payables: int
    accrued: int
    deferred_revenue: int
    current_debt: int
    other_liabilities: int
    translation: int
    shares: float
    backlog: int
    employees: int


INPUTS = {
    2021: Inputs((512, 301, 96, 188), (498, 287, 201), 0.612, 0.554, 74, 161, 0, 19, 3, 0.22, 41, 12, 58, 0, 0, 25,
                 36, 20, 11, 171, 148, 22, 96, 84, 61, 25, 72, -6, 88.4, 1204, 4310),
    2022: Inputs((548, 322, 121, 203), (531, 309, 222), 0.606, 0.549, 83, 170, 0, 18, 4, 0.22, 44, 14, 63, 85, 60, 25,
                 39, 25, 13, 184, 163, 25, 104, 91, 70, 25, 75, -9, 87.9, 1311, 4528),
    2023: Inputs((571, 318, 149, 216), (547, 322, 241), 0.601, 0.543, 92, 176, 14, 21, 5, 0.21, 47, 16, 71, 0, 0, 25,
                 42, 30, 15, 188, 171, 27, 108, 97, 82, 40, 78, 4, 87.1, 1296, 4479),
    2024: Inputs((624, 352, 187, 239), (589, 361, 274), 0.594, 0.537, 104, 187, 3, 24, 6, 0.21, 52, 19, 94, 132, 90, 40,
                 46, 35, 18, 207, 179, 31, 121, 109, 101, 40, 83, 7, 86.2, 1487, 4702),
}  # fmt: skip

OPENING = {"cash": 214, "ppe": 402, "goodwill": 318, "intangibles": 144, "debt": 420, "equity": 716, "oci": -31}
OPENING_WORKING = {
    "receivables": 164, "inventories": 141, "prepaid": 20, "payables": 90, "accrued": 80, "deferred_revenue": 55,
    "other_liabilities": 42,
}  # fmt: skip
GOODWILL_SHARE = 0.65


@dataclass(frozen=True)
class Year:
    """One fiscal year's statements, given the year before (None for the first)."""

    year: int
    inputs: Inputs
    before: "Year | None"

    @property
    def revenue(self) -> int:
        return sum(self.inputs.revenue)

    @property
    def product_revenue(self) -> int:
        return self.inputs.revenue[0] + self.inputs.revenue[1]

    @property
    def service_revenue(self) -> int:
        return self.inputs.revenue[2] + self.inputs.revenue[3]

    @property
    def product_cost(self) -> int:
        return round(self.product_revenue * self.inputs.product_cost_share)

    @property
    def service_cost(self) -> int:
        return round(self.service_revenue * self.inputs.service_cost_share)

    @property
    def cost(self) -> int:
        return self.product_cost + self.service_cost

    @property
    def gross_profit(self) -> int:
        return self.revenue - self.cost

    @property
    def operating_expenses(self) -> int:
        return self.inputs.research + self.inputs.selling + self.inputs.restructuring + self.inputs.amortisation

    @property
    def operating_income(self) -> int:
        return self.gross_profit - self.operating_expenses

    @property
    def pretax(self) -> int:
        return self.operating_income - self.inputs.interest + self.inputs.other_income

    @property
    def tax(self) -> int:
        return round(self.pretax * self.inputs.tax_share)

    @property
    def net_income(self) -> int:
        return self.pretax - self.tax

    @property
    def basic_shares(self) -> float:
        return self.inputs.shares

    @property
    def diluted_shares(self) -> float:
        return round(self.inputs.shares * 1.012, 1)

    @property
    def basic_eps(self) -> float:
        return round(self.net_income / self.basic_shares, 2)

    @property
    def diluted_eps(self) -> float:
        return round(self.net_income / self.diluted_shares, 2)

    @property
    def dividend_per_share(self) -> float:
        return round(self.inputs.dividends / self.basic_shares, 2)

    def _opening(self, name: str) -> int:
        return getattr(self.before, name) if self.before else OPENING[name]

    def _working_before(self, name: str) -> int:
        return getattr(self.before.inputs, name) if self.before else OPENING_WORKING[name]

    @property
    def acquired_goodwill(self) -> int:
        return round(self.inputs.acquisitions * GOODWILL_SHARE)

    @cached_property
    def ppe(self) -> int:
        return self._opening("ppe") + self.inputs.capital_spending - self.inputs.depreciation

    @cached_property
    def goodwill(self) -> int:
        return self._opening("goodwill") + self.acquired_goodwill

    @cached_property
    def intangibles(self) -> int:
        acquired = self.inputs.acquisitions - self.acquired_goodwill
        return self._opening("intangibles") + acquired - self.inputs.amortisation

    @cached_property
    def debt(self) -> int:
        return self._opening("debt") + self.inputs.borrowed - self.inputs.repaid

    @property
    def long_term_debt(self) -> int:
        return self.debt - self.inputs.current_debt

    def change(self, name: str) -> int:
        """Cash effect of a working capital line: a larger asset uses cash, a larger liability gives it."""
        moved = getattr(self.inputs, name) - self._working_before(name)
        return -moved if name in ("receivables", "inventories", "prepaid") else moved

    @property
    def operating_cash(self) -> int:
        inputs = self.inputs
        charges = inputs.depreciation + inputs.amortisation + inputs.stock_compensation
        return self.net_income + charges + sum(self.change(name) for name in OPENING_WORKING)

    @property
    def investing_cash(self) -> int:
        return -self.inputs.capital_spending - self.inputs.acquisitions

    @property
    def financing_cash(self) -> int:
        inputs = self.inputs
        return inputs.borrowed - inputs.repaid - inputs.dividends - inputs.repurchases

    @property
    def cash_change(self) -> int:
        return self.operating_cash + self.investing_cash + self.financing_cash + self.inputs.translation

    @cached_property
    def cash(self) -> int:
        return self._opening("cash") + self.cash_change

    @property
    def free_cash_flow(self) -> int:
        return self.operating_cash - self.inputs.capital_spending

    @property
    def current_assets(self) -> int:
        return self.cash + self.inputs.receivables + self.inputs.inventories + self.inputs.prepaid

    @property
    def assets(self) -> int:
        return self.current_assets + self.ppe + self.goodwill + self.intangibles

    @property
    def current_liabilities(self) -> int:
        inputs = self.inputs
        return inputs.payables + inputs.accrued + inputs.deferred_revenue + inputs.current_debt

    @property
    def liabilities(self) -> int:
        return self.current_liabilities + self.long_term_debt + self.inputs.other_liabilities

    @cached_property
    def oci(self) -> int:
        return self._opening("oci") + self.inputs.translation

    @property
    def equity(self) -> int:
        return self.assets - self.liabilities

    @property
    def opening_equity(self) -> int:
        return self.before.equity if self.before else OPENING["equity"]

    @property
    def equity_rolled(self) -> int:
        """Equity by its own roll-forward; the statements agree when it equals assets less liabilities."""
        inputs = self.inputs
        opening = self.before.equity_rolled if self.before else OPENING["equity"]
        moved = self.net_income + inputs.stock_compensation - inputs.dividends - inputs.repurchases
        return opening + moved + inputs.translation

    @property
    def region_revenue(self) -> tuple[int, ...]:
        known = self.inputs.regions
        return (*known, self.revenue - sum(known))


def books() -> dict[int, Year]:
    """All years, oldest first, each linked to the one before."""
    made: dict[int, Year] = {}
    before = None
    for year, inputs in INPUTS.items():
        made[year] = before = Year(year, inputs, before)
    return made
