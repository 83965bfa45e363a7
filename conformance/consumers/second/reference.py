"""Reference data, the clients of the sandbox, and the currencies of ISO 4217."""

import csv
import json
from decimal import Decimal
from pathlib import Path
from uuid import uuid4

from .wire import Number

# Minor units that are not 2.
_MINOR = {
    **dict.fromkeys("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split(), 0),
    **dict.fromkeys("BHD IQD JOD KWD LYD OMR TND".split(), 3),
    **dict.fromkeys("CLF UYW".split(), 4),
}
_CODES = """
AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF
CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL
HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD
MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF
SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU
UYW UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG
"""
CURRENCIES = {code: _MINOR.get(code, 2) for code in _CODES.split()}

# The least and the greatest rate of a pair of currencies in the sandbox (D-62).
RATE_BOUNDS = {("USD", "MXN"): (5, 50)}


class Client:
    def __init__(self, name, secret, corridors, destinations):
        self.name, self.secret = name, secret
        self.corridors = corridors  # originating country to sending currency
        self.destinations = destinations
        self.users, self.keys = {}, {}  # by id; by idempotency key
        self.transactions, self.events, self.endpoints = [], [], []  # in the order of their creation
        self.feed_id = str(uuid4())
        self.cursors = {}  # cursor to the number of entries that were created before its page
        self.issued = set()  # all cursors of the client and its users

    @property
    def countries(self):
        return {*self.corridors, *self.destinations}


class Tier:
    def __init__(self, daily, monthly, annual, individual, business):
        self.limits = {"daily_limit": Decimal(daily), "monthly_limit": Decimal(monthly), "annual_limit": Decimal(annual)}
        self.tags = {False: set(individual.split()), True: set(business.split())}  # by User.is_business


# The tiers of every destination, with the same amounts in USD and GBP.
TIERS = [
    Tier(1_000, 3_000, 10_000, "", ""),
    Tier(5_000, 15_000, 60_000, "ID_DOC DATE_OF_BIRTH ADDRESS_LINE1", "EIN_DOC EIN_NUMBER COMPANY_TYPE"),
    Tier(
        20_000,
        60_000,
        250_000,
        "ID_DOC DATE_OF_BIRTH ADDRESS_LINE1 OCCUPATION",
        "EIN_DOC EIN_NUMBER COMPANY_TYPE CERTIFICATE_OF_INCORPORATION SOURCE_OF_FUND",
    ),
]


def sandbox_clients():
    return [
        Client("sandbox", "sandbox-secret", {"US": "USD", "GB": "GBP"}, "NP IN MX PH NG JP KW".split()),
        Client("sandbox-2", "sandbox-2-secret", {"US": "USD"}, "NP IN MX NG JP".split()),
    ]


def _rows(folder, name):
    with open(Path(folder) / name, encoding="utf-8", newline="") as f:
        yield from csv.DictReader(f)


def _json(text):
    return json.loads(text or "[]", parse_float=Number, parse_int=Number)


class Reference:
    """Payers, banks and states by id, in the form of a single one. Lists leave some members out."""

    def __init__(self, folder):
        self.alpha2, self.numeric = {}, {}
        for row in _rows(folder, "countries.csv"):
            self.alpha2[row["alpha3"]] = row["alpha2"]
            self.numeric[row["alpha2"]] = row["numeric"]
        self.payers, self.banks, self.states = {}, {}, {}
        for row in sorted(_rows(folder, "sample_payers.csv"), key=lambda row: int(row["id"])):
            row["id"] = int(row["id"])
            row["network_limit"] = _json(row["network_limit"])
            row["pickup_location"] = _json(row["pickup_location"])
            self.payers[row["id"]] = row
        for row in sorted(_rows(folder, "sample_banks.csv"), key=lambda row: int(row["id"])):
            row["id"] = int(row["id"])
            row["branches"] = _json(row["branches"])
            row["txn_supported_types"] = row["txn_supported_types"].split()
            row["receiving_currency"] = row["receiving_currency"].split()
            self.banks[row["id"]] = row
        for row in sorted(_rows(folder, "states.csv"), key=lambda row: int(row["id"])):
            row["id"] = int(row["id"])
            self.states[row["id"]] = row
