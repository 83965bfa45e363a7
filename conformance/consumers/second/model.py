"""What the service keeps, and what all operations use."""

from decimal import Decimal
from uuid import uuid4

from .reference import CURRENCIES
from .wire import not_found, now, timestamp


class User:
    def __init__(self, view, is_business):
        self.view, self.is_business = view, is_business
        self.tags, self.funding, self.receivers, self.transactions = {}, {}, {}, []
        self.used = []  # (time, destination, amount) of each transaction
        self.cursors = {}  # cursor to the number of older transactions


class Receiver:
    def __init__(self, view):
        self.view, self.banks, self.wallets = view, {}, {}


class Call:
    """One accepted request: the client, path and query parameters by name, and the body."""

    def __init__(self, client, values, body=None):
        self.client, self.values, self.body = client, values, body

    def user(self):
        return find(self.client.users, self.values["user_id"].lower(), "user")

    def receiver(self):
        return find(self.user().receivers, self.values["receive_user_id"].lower(), "receive user")


def find(things, identifier, what):
    if identifier not in things:
        raise not_found(what)
    return things[identifier]


def new(**members):
    return {"id": str(uuid4()), **members, "created_at": timestamp(now())}


def money(amount, currency):
    """The amount with all decimals of its currency."""
    return Decimal(amount).quantize(Decimal(1).scaleb(-CURRENCIES[currency]))
