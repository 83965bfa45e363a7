"""The operations of the contract, in memory. Each method is the operation of that name and takes a Call."""

import threading

from .events import Events
from .limits import current_tier, remaining_limits
from .model import Receiver, find, money, new
from .transactions import Transactions, check_equivalence, check_move, check_transaction
from .users import Users
from .webhooks import Webhooks
from .wire import bad_request, not_found, refused


class Service(Users, Transactions, Events, Webhooks):
    def __init__(self, reference, is_sandbox, delivers):
        self.reference, self.is_sandbox, self.delivers = reference, is_sandbox, delivers
        self.lock = threading.RLock()  # of all that the clients have

    def check(self, operation, body):
        """Refuses what can be judged from the body alone and its schema does not say."""
        checks = {
            "createUser": lambda body: self.check_user(body, body.get("business", False)),
            "createTransaction": check_transaction,
            "previewTransaction": check_transaction,
            "setTransactionStatus": check_move,
            "createWebhookEndpoint": self.check_endpoint,
            "updateWebhookEndpoint": self.check_endpoint,
        }
        if wrong := list(checks.get(operation, lambda _: ())(body)):
            raise bad_request(*wrong)
        if operation in ("createTransaction", "previewTransaction"):
            check_equivalence(body)

    # Reference data.

    def list_payers(self, call):
        country = call.values.get("country")
        method, alias = call.values.get("payout_method"), call.values.get("delivery_method")
        if method and alias and method != alias:
            raise bad_request(("query", "delivery_method", "must be the same as payout_method"))
        method = method or alias
        if country and len(country) == 3:
            country = self.reference.alpha2.get(country, "")
        shown = ("country", "delivery_method", "id", "name", "pickup_location")
        return [
            {name: payer[name] for name in shown}
            for payer in self.reference.payers.values()
            if payer["country"] in call.client.destinations
            and country in (None, payer["country"])
            and method in (None, payer["delivery_method"])
        ]

    def get_payer(self, call):
        payer = find(self.reference.payers, call.values["payerId"], "payer")
        return self._of_enabled(payer, call.client.destinations, "payer")

    def list_banks(self, call):
        country = call.values.get("country")
        return [
            {name: bank[name] for name in ("id", "name", "country", "branches", "txn_supported_types")}
            for bank in self.reference.banks.values()
            if bank["country"] in call.client.destinations and country in (None, bank["country"])
        ]

    def get_bank(self, call):
        bank = find(self.reference.banks, call.values["bankId"], "bank")
        return self._of_enabled(bank, call.client.destinations, "bank")

    @staticmethod
    def _of_enabled(thing, countries, what):
        if thing["country"] not in countries:
            raise not_found(what)
        return thing

    def _states_of(self, call):
        country = call.values["countryCode"]
        if country not in call.client.countries:
            raise not_found("country")
        return {state["code"]: state for state in self.reference.states.values() if state["country"] == country}

    @staticmethod
    def _first_form(state):
        return {name: state[name] for name in ("code", "country", "name")}

    def _second_form(self, state):
        country_id = self.reference.numeric[state["country"]]
        return {"id": state["id"], "name": state["name"], "code": state["code"], "country_id": country_id}

    def list_country_states(self, call):
        return [self._first_form(state) for _, state in sorted(self._states_of(call).items())]

    def get_country_state(self, call):
        return self._first_form(find(self._states_of(call), call.values["stateCode"], "state"))

    def list_states_v2(self, call):
        country = call.values.get("countryCode")
        return [
            self._second_form(state)
            for state in self.reference.states.values()
            if state["country"] in call.client.countries and country in (None, state["country"])
        ]

    def get_state_v2(self, call):
        state = find(self.reference.states, call.values["stateId"], "state")
        return self._second_form(self._of_enabled(state, call.client.countries, "state"))

    # Limits and accounts.

    def get_transaction_limit(self, call):
        user, destination = call.user(), call.values["destination"]
        if destination not in call.client.destinations:
            raise not_found("destination")
        currency, tier = call.client.corridors.get(user.view["country"]), 0
        if currency and user.view.get("type") == "SEND":
            tier = current_tier(user)
        remaining = remaining_limits(user, destination, tier)
        if currency:
            remaining = {name: money(amount, currency) for name, amount in remaining.items()}
        return {"country": destination, "current_tier": tier, "remaining_limit": remaining, "user_id": user.view["id"]}

    def create_funding_account(self, call):
        account = new(status="PENDING", **call.body)
        call.user().funding[account["id"]] = account
        return account

    def list_funding_accounts(self, call):
        return call.page(call.user().funding.values())

    def set_funding_account_status(self, call):
        account = find(call.user().funding, call.values["funding_account_id"].lower(), "funding account")
        if account["status"] != call.body["status"]:
            account["status"] = call.body["status"]
            self.emit(call.client, "funding_account.status_changed", funding_account=account, user_id=call.user().view["id"])
        return account

    def create_receive_user(self, call):
        user = call.user()
        if call.body["country"] not in call.client.destinations:
            raise refused("CORRIDOR_NOT_ENABLED", "/country", "must be an enabled destination")
        view = new(**call.body)
        user.receivers[view["id"]] = Receiver(view)
        return view

    def list_receive_users(self, call):
        return call.page(receiver.view for receiver in call.user().receivers.values())

    def create_bank_account(self, call):
        receiver, body = call.receiver(), call.body
        bank = self.reference.banks.get(body["bank_id"])
        if not bank or bank["country"] != receiver.view["country"]:
            raise bad_request(("body", "/bank_id", "must be a bank in the country of the receive user"))
        if "branch_id" in body and all(branch["id"] != body["branch_id"] for branch in bank["branches"]):
            raise bad_request(("body", "/branch_id", "must be a branch of the bank"))
        if body["currency"] not in bank["receiving_currency"]:
            reason = "must be a receiving currency of the bank"
            raise refused("CURRENCY_NOT_SUPPORTED", "/currency", reason)
        account = new(**body)
        receiver.banks[account["id"]] = account
        return account

    def list_bank_accounts(self, call):
        return call.page(call.receiver().banks.values())

    def create_wallet_account(self, call):
        receiver, body = call.receiver(), call.body
        payer = self._payer(body["payer_id"], "WALLET", receiver, "/payer_id")
        if body["currency"] != payer["receiving_currency"]:
            reason = "must be the receiving currency of the payer"
            raise refused("CURRENCY_NOT_SUPPORTED", "/currency", reason)
        account = new(**body)
        receiver.wallets[account["id"]] = account
        return account

    def list_wallet_accounts(self, call):
        return call.page(call.receiver().wallets.values())

    def _payer(self, number, method, receiver, field):
        payer = self.reference.payers.get(number)
        if not payer or payer["delivery_method"] != method or payer["country"] != receiver.view["country"]:
            reason = f"must be a {method} payer in the country of the receive user"
            raise refused("PAYER_NOT_FOUND", field, reason)
        return payer
