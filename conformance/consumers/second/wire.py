"""JSON with exact numbers, timestamps, and the failures of the contract."""

import json
import re
from datetime import UTC, datetime
from decimal import Decimal


class Number(Decimal):
    """A number of a request, with the text that was sent."""

    def __new__(cls, text):
        # An exponent is refused later; until then its value is of no use and may be too large to be held.
        number = super().__new__(cls, text if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text) else 0)
        number.text = text
        return number


class Object(dict):
    """An object of a request, with the names of members that were sent twice."""

    def __init__(self, pairs):
        super().__init__(pairs)
        names = [name for name, _ in pairs]
        self.twice = sorted({name for name in names if names.count(name) > 1}) if len(self) < len(names) else []


def _refuse_constant(text):
    raise ValueError(f"{text} is not JSON")


def decode(text):
    """Decodes bytes strictly; raises ValueError if they are not one JSON value in UTF-8."""
    try:
        value = json.loads(
            text.decode("utf-8"),
            parse_float=Number,
            parse_int=Number,
            parse_constant=_refuse_constant,
            object_pairs_hook=Object,
        )
        encode(value).encode("utf-8")  # a lone surrogate is no character and cannot be encoded
    except RecursionError as e:
        raise ValueError("nested too deeply") from e
    return value


def encode(value):
    """Encodes a value, numbers in plain notation."""
    if isinstance(value, dict):
        return "{" + ",".join(encode(name) + ":" + encode(member) for name, member in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(encode, value)) + "]"
    if isinstance(value, Decimal):
        return format(value + 0, "f")  # + 0 takes the sign of zero away
    return json.dumps(value, ensure_ascii=False)


def canonical(value):
    """RFC 8785 of a value without numbers."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(encode(name) + ":" + canonical(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return encode(value)


def escape(name):
    """A name as a JSON pointer has it."""
    return name.replace("~", "~0").replace("/", "~1")


def now():
    return datetime.now(UTC)


def timestamp(t):
    return t.strftime("%Y-%m-%dT%H:%M:%S.%f")


class Failure(Exception):
    """An answer that is not 200. Details are (in, field, reason)."""

    def __init__(self, status, code, message, details=(), headers=()):
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.details, self.headers = list(details), dict(headers)

    def body(self, request_id):
        body = {"status": self.status, "code": self.code, "message": self.message, "request_id": request_id}
        if self.details:
            body["details"] = [{"in": place, "field": field, "reason": reason} for place, field, reason in self.details]
        return body


def bad_request(*details, message="The request does not have the form of the contract."):
    return Failure(400, "BAD_REQUEST", message, details)


def not_found(what, *details):
    return Failure(404, "NOT_FOUND", f"There is no such {what}.", details)


def conflict():
    detail = ("header", "X-Idempotency-Key", "must be new for a different request")
    return Failure(409, "IDEMPOTENCY_KEY_REUSED", "This X-Idempotency-Key was used with a different request.", [detail])


MESSAGES = {
    "CORRIDOR_NOT_ENABLED": "The country is not enabled for this client.",
    "SENDING_NOT_ENABLED": "The user was registered without the capability to send.",
    "KYC_NOT_ELIGIBLE": "The KYC status of the user does not allow transactions.",
    "FUNDING_ACCOUNT_NOT_FOUND": "The user has no such funding account.",
    "FUNDING_ACCOUNT_NOT_ACTIVE": "The funding account is not active.",
    "RECEIVE_USER_NOT_FOUND": "The user has no such receive user.",
    "RECEIVE_ACCOUNT_NOT_FOUND": "The receive user has no such account for this payout method.",
    "PAYER_NOT_FOUND": "There is no such payer for this payout method and country.",
    "PICKUP_LOCATION_NOT_FOUND": "The payer has no such pick-up location.",
    "ADDRESS_REQUIRED": "Home delivery needs the address of the receive user.",
    "CURRENCY_NOT_SUPPORTED": "The currency is not supported here.",
    "EXCHANGE_RATE_NOT_ALLOWED": "The exchange rate is outside the bounds that were agreed.",
    "AMOUNT_NOT_ALLOWED": "The amount is not allowed here.",
    "LIMIT_EXCEEDED": "The amount is above the remaining limit of the user.",
    "INFORMATION_VERIFIED": "The information is verified and cannot change.",
    "TOO_MANY_DOCUMENTS": "The user would have more documents than are kept.",
    "TRANSACTION_NOT_CANCELABLE": "The transaction can no longer be canceled.",
    "TRANSITION_NOT_ALLOWED": "The transaction cannot get this status from the one that it has.",
    "INFORMATION_REQUIRED": "Information of the user must be verified first.",
    "TOO_MANY_WEBHOOK_ENDPOINTS": "The client has as many webhook endpoints as it may have.",
}


def refused(code, field=None, reason=None, details=()):
    """A rule that is not met (D-09), with one detail of the body or with several."""
    details = [(field, reason)] if field else details
    return Failure(422, code, MESSAGES[code], [("body", *detail) for detail in details])
