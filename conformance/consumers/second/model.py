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
        self.cursors = {}  # as of Client

    @property
    def cip_info(self):
        return {"cip_info": self.tags, "kyc_status": self.view["status"], "user_id": self.view["id"]}

    def set_tags(self, tags):
        """Sets tags, and returns the types of events that this causes (D-67)."""
        changed = {status == "REQUESTED" for tag, status in tags.items() if self.tags.get(tag) != status}
        self.tags.update(tags)
        for transaction in self.transactions:
            transaction.refresh()
        return [
            kind
            for requested, kind in ((True, "user.information_requested"), (False, "user.information_changed"))
            if requested in changed
        ]


class Receiver:
    def __init__(self, view):
        self.view, self.banks, self.wallets = view, {}, {}


class Transaction:
    def __init__(self, user, destination, needed, view):
        self.user, self.destination, self.view = user, destination, view
        self.needed = needed  # tags that were not VERIFIED when it was created, of those that it waits for (D-66)
        self.created = now()
        view["created_at"] = view["updated_at"] = timestamp(self.created)
        self.refresh()

    def refresh(self):
        """Brings required_information up to date with the tags of the user."""
        waits = self.needed if self.view["status"] == "INITIATED" else ()
        self.view["required_information"] = sorted(tag for tag in waits if self.user.tags.get(tag) != "VERIFIED")

    @property
    def is_counted(self):
        return self.view["status"] not in ("CANCELED", "FAILED", "RETURNED")


class UsedKey:
    """What an idempotency key has created."""

    def __init__(self, fingerprint, call, answer):
        self.fingerprint, self.thing = fingerprint, call.creates
        self.answer = call.repeat or (lambda: answer)


class Call:
    """One accepted request: the client, path and query parameters by name, and the body; and headers of its answer."""

    def __init__(self, client, values, body=None):
        self.client, self.values, self.body, self.headers = client, values, body, {}
        self.creates = None  # what is deleted together with the key of this request
        self.repeat = None  # returns the answer to a repeat, if it is not that to this request

    def user(self):
        return find(self.client.users, self.values["user_id"].lower(), "user")

    def receiver(self):
        return find(self.user().receivers, self.values["receive_user_id"].lower(), "receive user")

    def transaction(self):
        transactions = {t.view["id"]: t for t in self.user().transactions}
        return find(transactions, self.values["transaction_id"].lower(), "transaction")

    def check_cursor(self):
        """A cursor that no page gave is refused before the path is looked up (D-29)."""
        cursor = self.values.get("cursor")
        if cursor is not None and cursor not in self.client.issued:
            self._refuse_cursor()

    def cursor(self, owner):
        """The number of entries that the cursor stands for, or None. The owner is a client or a user."""
        cursor = self.values.get("cursor")
        if cursor is not None and cursor not in owner.cursors:
            self._refuse_cursor()
        return owner.cursors.get(cursor)

    def new_cursor(self, owner, entries):
        cursor = secrets.token_urlsafe(16)
        owner.cursors[cursor] = entries
        self.client.issued.add(cursor)
        return cursor

    @staticmethod
    def _refuse_cursor():
        raise bad_request(("query", "cursor", "must be the cursor of an earlier page"))

    def page(self, entries):
        """The page of an array that was asked for (D-59)."""
        all_entries, start = list(entries), self.cursor(self.user()) or 0
        end = start + self.values.get("limit", len(all_entries))
        if end < len(all_entries):
            self.headers["Next-Cursor"] = self.new_cursor(self.user(), end)
        return all_entries[start:end]

    def oldest_first(self, owner, entries):
        """The page with the entries; deleted ones are None."""
        at, items = self.cursor(owner) or 0, []
        while at < len(entries) and len(items) < self.values["limit"]:
            items += [entries[at]] if entries[at] else []
            at += 1
        return {"items": items, **({"next_cursor": self.new_cursor(owner, at)} if any(entries[at:]) else {})}

    def newest_first(self, owner, entries, is_wanted=lambda _: True):
        """The page with the wanted entries. A cursor is a position among all of them, so it fits any filter."""
        at, items = self.cursor(owner), []
        at = len(entries) if at is None else at
        while at and len(items) < self.values["limit"]:
            at -= 1
            items += [entries[at]] if is_wanted(entries[at]) else []
        more = any(is_wanted(entry) for entry in entries[:at])
        return {"items": items, **({"next_cursor": self.new_cursor(owner, at)} if more else {})}


def find(things, identifier, what):
    if identifier not in things:
        raise not_found(what)
    return things[identifier]


def is_met(view, wanted):
    """Whether each wanted member has the wanted value."""
    return all(view.get(name) == value for name, value in wanted.items())


def new(**members):
    return {"id": str(uuid4()), **members, "created_at": timestamp(now())}


def money(amount, currency):
    """The amount with all decimals of its currency."""
    return Decimal(amount).quantize(Decimal(1).scaleb(-CURRENCIES[currency]))
