"""Transactions: their rules in the order of the contract, their moves, and their lists."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import floor
from uuid import uuid4

from .limits import current_tier, information_needed, remaining_limits
from .model import Transaction, is_met, money
from .reference import CURRENCIES, RATE_BOUNDS
from .wire import bad_request, now, refused, timestamp

MAX_AMOUNT = Decimal(10) ** 12
MAX_RATE = 10**9


# The moves of D-66: from and to, the delivery statuses, and whether a reason is "needed", "optional" or "none".
MOVES = {
    ("INITIATED", "PROCESSING"): ("PENDING", "none"),
    ("INITIATED", "CANCELED"): ("NONE", "optional"),
    ("PROCESSING", "COMPLETED"): ("DELIVERED", "none"),
    ("PROCESSING", "FAILED"): ("FAILED", "needed"),
    ("COMPLETED", "RETURNED"): ("RETURNED", "needed"),
}
REASONS = {to: reason for (_, to), (_, reason) in MOVES.items()}


class Transactions:
    def create_transaction(self, call):
        user, destination, view, needed, requested = self._judged(call)
        view["physical_documents"] = [{**document, "id": str(uuid4())} for document in view["physical_documents"]]
        transaction = Transaction(user, destination, needed, {"id": str(uuid4()), **view})
        user.transactions.append(transaction)
        call.client.transactions.append(transaction)
        self.emit(call.client, "transaction.created", transaction=transaction.view)
        self._informed(call, user, user.set_tags(dict.fromkeys(requested, "REQUESTED")))
        return transaction.view

    def preview_transaction(self, call):
        user, destination, view, needed, _ = self._judged(call)
        remaining = remaining_limits(user, destination, current_tier(user), view["from_amount"])
        view["required_information"] = sorted(needed)
        view["remaining_limit"] = {name: money(amount, view["from_currency"]) for name, amount in remaining.items()}
        return view

    def _judged(self, call):
        """The rules of a creation: returns the user, the destination, what the transaction would be, the tags that it would
        wait for, and those that it would request. Changes nothing."""
        user, body, to = call.user(), call.body, call.body["to"]
        corridor = self._sending(call, user)
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
        needed, requested = information_needed(user, destination, body["from_amount"])

        view = {"user_id": user.view["id"], "status": "INITIATED", "delivery_status": "NONE"}
        echoed = "from_currency to_currency note purpose custom_purpose ip_address client_reference".split()
        view.update({name: body[name] for name in echoed if name in body})
        view["bonus_amount"] = money(0, corridor)
        view["fee_amount"] = money(body.get("fee_amount", 0), corridor)
        view["from_amount"] = money(body["from_amount"], corridor)
        view["to_amount"] = money(to_amount, currency)
        view["exchange_rate"] = body["exchange_rate"]
        view["from_fund_id"] = funding["id"]
        view["funding_source_type"] = body.get("funding_source_type", funding["funding_source_type"])
        view["physical_documents"] = [{"document_type": d["document_type"]} for d in body.get("physical_documents", [])]
        known = "id first_name last_name email mobile_phone address_line1".split()
        view["to"] = {name: receiver.view[name] for name in known if name in receiver.view}
        view["to"].update(calculation_mode=mode, payout_method=to["payout_method"])
        if "fund_id" in to:
            view["to"]["fund_id"] = to["fund_id"].lower()
        else:
            view["to"]["payer_id"] = to["payer_id"]
        return user, destination, view, needed, requested

    @staticmethod
    def _sending(call, user):
        """The rules about the sender; returns the sending currency."""
        corridor = call.client.corridors.get(user.view["country"])
        if not corridor:
            raise refused("CORRIDOR_NOT_ENABLED")
        if user.view.get("type") != "SEND":
            raise refused("SENDING_NOT_ENABLED")
        if user.view["status"] != "VERIFIED":
            raise refused("KYC_NOT_ELIGIBLE")
        return corridor

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

    def cancel_transaction(self, call):
        view = call.transaction().view
        if view["status"] not in ("INITIATED", "CANCELED"):
            raise refused("TRANSACTION_NOT_CANCELABLE")
        return self._move(call, "CANCELED", "NONE", None)

    def set_transaction_status(self, call):
        body = call.body
        return self._move(call, body["status"], body.get("delivery_status"), body.get("status_reason"))

    def _move(self, call, status, delivery, reason):
        """Makes a move of D-66, and returns the transaction."""
        transaction = call.transaction()
        view = transaction.view
        before = view["status"], view["delivery_status"]
        if status == before[0] and delivery in (None, before[1]):
            return view
        if status == "PROCESSING" and delivery == "READY_FOR_PICKUP":
            if before != ("PROCESSING", "PENDING") or view["to"]["payout_method"] != "CASH_PICKUP":
                raise refused("TRANSITION_NOT_ALLOWED")
        elif (before[0], status) not in MOVES or delivery not in (None, MOVES[before[0], status][0]):
            raise refused("TRANSITION_NOT_ALLOWED")
        else:
            delivery = MOVES[before[0], status][0]
        if before[0] == "INITIATED" and status == "PROCESSING":
            self._sending(call, transaction.user)
            if view["required_information"]:
                raise refused("INFORMATION_REQUIRED")
        moved = max(now(), datetime.fromisoformat(view["updated_at"]).replace(tzinfo=UTC) + timedelta(microseconds=1))
        view.update(status=status, delivery_status=delivery, updated_at=timestamp(moved))
        if reason:
            view["status_reason"] = reason
        transaction.refresh()
        for name in ("status", "delivery_status"):
            if view[name] != before[name == "delivery_status"]:
                self.emit(call.client, f"transaction.{name}_changed", transaction=view)
        return view

    def get_transaction(self, call):
        return call.transaction().view

    def list_transactions(self, call):
        return call.newest_first(call.user(), [t.view for t in call.user().transactions])

    def list_client_transactions(self, call):
        values = call.values
        wanted = {name: values[name] for name in ("status", "delivery_status", "client_reference") if name in values}
        start, end = (time_bound(values[name], name) if name in values else None for name in ("created_from", "created_to"))
        if start and end and end < start:
            raise bad_request(("query", "created_to", "must not be before created_from"))

        def is_wanted(view):
            created = view["created_at"]
            return (not start or start <= created) and (not end or created < end) and is_met(view, wanted)

        return call.newest_first(call.client, [t.view for t in call.client.transactions], is_wanted)


def time_bound(text, name):
    """A date or a timestamp, as a timestamp (D-70)."""
    try:
        return timestamp(datetime.fromisoformat(text))
    except ValueError:
        raise bad_request(("query", name, "must be a time that exists")) from None


def check_move(body):
    """Which moves need a reason, and which take none."""
    reason = REASONS.get(body["status"], "none")
    if reason == "needed" and "status_reason" not in body:
        yield "body", "/status_reason", f"is required with {body['status']}"
    if reason == "none" and "status_reason" in body:
        yield "body", "/status_reason", f"must not be sent with {body['status']}"


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
