"""What the service keeps, and what all operations use."""

import secrets
from decimal import Decimal
from uuid import uuid4

from .reference import CURRENCIES
from .wire import bad_request, not_found, now, timestamp


class User:
    def __init__(self, view, is_business):
        self.view, self.is_business = view, is_business
        self.tags, self.funding, self.receivers, self.transactions = {}, {}, {}, []
        self.used = []  # (time, destination, amount) of each transaction
        self.cursors = {}  # cursor to the number of entries that were created before its page


class Receiver:
    def __init__(self, view):
        self.view, self.banks, self.wallets = view, {}, {}


class Call:
    """One accepted request: the client, path and query parameters by name, and the body; and headers of its answer."""

    def __init__(self, client, values, body=None):
        self.client, self.values, self.body, self.headers = client, values, body, {}

    def user(self):
        return find(self.client.users, self.values["user_id"].lower(), "user")

    def cursor(self):
        """The number of entries that the cursor stands for, or None."""
        cursor, known = self.values.get("cursor"), self.user().cursors
        if cursor is not None and cursor not in known:
            raise bad_request(("query", "cursor", "must be the cursor of an earlier page"))
        return known.get(cursor)

    def new_cursor(self, entries):
        cursor = secrets.token_urlsafe(16)
        self.user().cursors[cursor] = entries
        return cursor

    def page(self, entries):
        """The page of an array that was asked for (D-59)."""
        all_entries, start = list(entries), self.cursor() or 0
        end = start + self.values.get("limit", len(all_entries))
        if end < len(all_entries):
            self.headers["Next-Cursor"] = self.new_cursor(end)
        return all_entries[start:end]

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
