"""Transactions: their rules in the order of the contract, and their lists."""

from decimal import Decimal
from fractions import Fraction
from math import floor
from uuid import uuid4

from .limits import use_limits
from .model import find, money, new
from .reference import CURRENCIES, RATE_BOUNDS
from .wire import bad_request, refused

MAX_AMOUNT = Decimal(10) ** 12
MAX_RATE = 10**9


class Transactions:
    def __init__(self, reference):
        self.reference = reference

    def create_transaction(self, call):
        user, body, to = call.user(), call.body, call.body["to"]
        corridor = call.client.corridors.get(user.view["country"])
        if not corridor:
            raise refused("CORRIDOR_NOT_ENABLED")
        if user.view.get("type") != "SEND":
            raise refused("SENDING_NOT_ENABLED")
        if user.view["status"] != "VERIFIED":
            raise refused("KYC_NOT_ELIGIBLE")
        funding = user.funding.get(body["from_fund_id"].lower())
        if not funding:
            raise refused("FUNDING_ACCOUNT_NOT_FOUND", "/from_fund_id", "must be a funding account of the user")
        if funding["status"] != "ACTIVE":
            raise refused("FUNDING_ACCOUNT_NOT_ACTIVE", "/from_fund_id", "must be an active funding account")
        receiver = user.receivers.get(to["id"].lower())
        if not receiver:
            raise refused("RECEIVE_USER_NOT_FOUND", "/to/id", "must be a receive user of the user")
        destination = receiver.view["country"]
        if destination not in call.client.destinations:
            raise refused("CORRIDOR_NOT_ENABLED", "/to/id", "must be in an enabled destination")
        currency, payer = self._receive_side(to, receiver)
        for field, allowed in (("from_currency", corridor), ("to_currency", currency)):
            if body[field] != allowed:
                raise refused("CURRENCY_NOT_SUPPORTED", f"/{field}", f"must be {allowed}")
        low, high = RATE_BOUNDS.get((body["from_currency"], body["to_currency"]), (0, MAX_RATE))
        if not low <= body["exchange_rate"] <= high:
            raise refused("EXCHANGE_RATE_NOT_ALLOWED", "/exchange_rate", f"must be {low} to {high}")
        mode = to.get("calculation_mode", "SENDER_AMOUNT")
        to_amount = body["to_amount"] if mode == "RECEIVER_AMOUNT" else calculated(body)
        bounds = [(limit["min_amount"], limit["max_amount"]) for limit in (payer or {}).get("network_limit", [])]
        if not 0 < to_amount <= MAX_AMOUNT or any(not low <= to_amount <= high for low, high in bounds):
            raise refused("AMOUNT_NOT_ALLOWED", "/to_amount", "must be within what the payer pays out")
        use_limits(user, destination, body["from_amount"])

        view = {**new(), "user_id": user.view["id"], "status": "INITIATED", "delivery_status": "NONE"}
        echoed = "from_currency to_currency note purpose custom_purpose ip_address".split()
        view.update({name: body[name] for name in echoed if name in body})
        view["bonus_amount"] = money(0, corridor)
        view["fee_amount"] = money(body.get("fee_amount", 0), corridor)
        view["from_amount"] = money(body["from_amount"], corridor)
        view["to_amount"] = money(to_amount, currency)
        view["exchange_rate"] = body["exchange_rate"]
        view["from_fund_id"] = funding["id"]
        view["funding_source_type"] = body.get("funding_source_type", funding["funding_source_type"])
        documents = body.get("physical_documents", [])
        view["physical_documents"] = [{"document_type": d["document_type"], "id": str(uuid4())} for d in documents]
        known = "id first_name last_name email mobile_phone address_line1".split()
        view["to"] = {name: receiver.view[name] for name in known if name in receiver.view}
        view["to"].update(calculation_mode=mode, payout_method=to["payout_method"])
        if "fund_id" in to:
            view["to"]["fund_id"] = to["fund_id"].lower()
        else:
            view["to"]["payer_id"] = to["payer_id"]
        user.transactions.append(view)
        return view

    def _receive_side(self, to, receiver):
        """Returns the receiving currency, and the payer if one pays out."""
        method = to["payout_method"]
        if method in ("BANK_DEPOSIT", "WALLET"):
            accounts = receiver.banks if method == "BANK_DEPOSIT" else receiver.wallets
            account = accounts.get(to["fund_id"].lower())
            if not account:
                reason = "must be a receive account of the receive user for this payout method"
                raise refused("RECEIVE_ACCOUNT_NOT_FOUND", "/to/fund_id", reason)
            if method == "BANK_DEPOSIT":
                return account["currency"], None
            if to.get("payer_id", account["payer_id"]) != account["payer_id"]:
                raise refused("PAYER_NOT_FOUND", "/to/payer_id", "must be the payer of the wallet account")
            return account["currency"], self.reference.payers[account["payer_id"]]
        payer = self._payer(to["payer_id"], method, receiver, "/to/payer_id")
        if "pickup_location" in to and all(p["id"] != to["pickup_location"] for p in payer["pickup_location"]):
            reason = "must be a pick-up location of the payer"
            raise refused("PICKUP_LOCATION_NOT_FOUND", "/to/pickup_location", reason)
        if method == "HOME_DELIVERY" and not {"address_line1", "city"} <= receiver.view.keys():
            reason = "must be a receive user with address_line1 and city"
            raise refused("ADDRESS_REQUIRED", "/to/id", reason)
        return payer["receiving_currency"], payer

    def get_transaction(self, call):
        return find({t["id"]: t for t in call.user().transactions}, call.values["transaction_id"].lower(), "transaction")

    def list_transactions(self, call):
        transactions, end = call.user().transactions, call.cursor()
        if end is None:
            end = len(transactions)
        start = max(0, end - call.values.get("limit", 20))
        page = {"items": transactions[start:end][::-1]}
        if start:
            page["next_cursor"] = call.new_cursor(start)
        return page


def rounded(value, digits):
    """Rounds a positive fraction half up."""
    return Decimal(floor(value * 10**digits + Fraction(1, 2))).scaleb(-digits)


def calculated(body):
    """The receiving amount of SENDER_AMOUNT (D-06)."""
    return rounded(Fraction(body["from_amount"]) * Fraction(body["exchange_rate"]), CURRENCIES[body["to_currency"]])


def check_transaction(body):
    """What the schema of a transaction does not say: currencies, their decimals (D-05), and RECEIVER_AMOUNT (D-37)."""
    given = body["to"].get("calculation_mode") == "RECEIVER_AMOUNT"  # a to_amount with SENDER_AMOUNT is ignored
    currencies = {"from_amount": body["from_currency"], "fee_amount": body["from_currency"], "to_amount": body["to_currency"]}
    for field in ("from_currency", "to_currency"):
        if body[field] not in CURRENCIES:
            yield "body", f"/{field}", "must be a currency of ISO 4217"
    for field, currency in currencies.items():
        digits = CURRENCIES.get(currency)
        judged = field in body and digits is not None and (given or field != "to_amount")
        if judged and body[field] != round(body[field], digits):
            yield "body", f"/{field}", f"must have at most {digits} decimals in {currency}"
    if given and "to_amount" not in body:
        yield "body", "/to_amount", "is required with RECEIVER_AMOUNT"


def check_equivalence(body):
    if body["to"].get("calculation_mode") == "RECEIVER_AMOUNT":
        quotient = rounded(Fraction(body["to_amount"]) / Fraction(body["exchange_rate"]), 2)
        if abs(quotient - body["from_amount"]) > Decimal("0.01"):
            reason = "must be within 0.01 of to_amount divided by exchange_rate"
            raise bad_request(("body", "/from_amount", reason), message="The from amount is not equivalent with the to amount.")
