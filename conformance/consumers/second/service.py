"""The operations of the contract, in memory. Each method is the operation of that name and takes a Call."""

from decimal import Decimal
from uuid import uuid4

from .limits import current_tier, remaining_limits
from .model import Receiver, User, find, money, new
from .reference import TIERS
from .transactions import Transactions, check_equivalence, check_transaction
from .wire import bad_request, escape, not_found, now, refused, timestamp

BOTH_KINDS = {
    "first_name": "FIRST_NAME",
    "email": "EMAIL",
    "date_of_birth": "DATE_OF_BIRTH",
    "address_line1": "ADDRESS_LINE1",
    "mobile_phone": "PHONE_NUMBER",
    "city": "CITY",
    "zipcode": "ZIP_CODE",
    "state": "STATE",
    "country": "COUNTRY",
}
INDIVIDUAL = {"last_name": "LAST_NAME", "gender": "GENDER", "ip_address": "IP_ADDRESS"}
BUSINESS = {
    "business_type": "COMPANY_TYPE",
    "user_scope": "NATURE_OF_BUSINESS",
    "company_website": "COMPANY_WEBSITE",
    "number_of_employee": "NO_OF_EMPLOYEE",
    "mailing_address": "MAILING_ADDRESS",
}
# All tags of a kind (section 2.7), by User.is_business.
TAGS = {
    False: {*BOTH_KINDS.values(), *INDIVIDUAL.values(), "OCCUPATION", "ID_DOC", "MIDDLE_NAME"},
    True: {
        *BOTH_KINDS.values(),
        *BUSINESS.values(),
        *"EIN_NUMBER ACCOUNT_OPERATOR_INFO CERTIFICATE_OF_INCORPORATION TXN_FREQUENCY EIN_DOC".split(),
        *"NO_OF_TXN_PER_MONTH SOURCE_OF_FUND".split(),
    },
}


class Service(Transactions):
    def check(self, operation, body):
        """Refuses what can be judged from the body alone and its schema does not say."""
        checks = {"createUser": self._check_user, "createTransaction": check_transaction}
        if wrong := list(checks.get(operation, lambda _: ())(body)):
            raise bad_request(*wrong)
        if operation == "createTransaction":
            check_equivalence(body)

    def _check_user(self, body):
        """Individuals and businesses have different fields, and countries and dates of birth must exist (D-13)."""
        wrong = ("last_name", "gender") if body.get("business") else BUSINESS
        kind = "a business" if body.get("business") else "an individual"
        yield from (("body", f"/{name}", f"is not a field of {kind}") for name in wrong if name in body)
        places = {"": body, "/mailing_address": body.get("mailing_address", {})}
        for documents in ("physical_documents", "virtual_documents"):
            places.update({f"/{documents}/{i}": document for i, document in enumerate(body.get(documents, []))})
        for place, value in places.items():
            if value.get("country", "US") not in self.reference.numeric:
                yield "body", f"{place}/country", "must be a country of ISO 3166-1"
        if not "1900-01-01" <= body.get("date_of_birth", "1900-01-01") <= timestamp(now())[:10]:
            yield "body", "/date_of_birth", "must be from 1900-01-01 to today"

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

    # Users.

    def create_user(self, call):
        body = call.body
        if body.get("type") == "SEND" and body["country"] not in call.client.corridors:
            reason = "must be an enabled originating country for a sending user"
            raise refused("CORRIDOR_NOT_ENABLED", "/country", reason)
        is_business = body.get("business", False)
        view = {**new(), "status": "UNVERIFIED", "business": is_business, **body}
        fields = {**BOTH_KINDS, **(BUSINESS if is_business else INDIVIDUAL)}
        user = User(view, is_business)
        user.tags = {fields[name]: "SUBMIT" for name in body if name in fields}
        for kind in ("physical_documents", "virtual_documents"):
            if kind in body:
                view[kind] = [{"id": str(uuid4()), **document} for document in body[kind]]
                for document in view[kind]:
                    if kind == "physical_documents":
                        del document["document_value"]
                    tag = document_tag(is_business, kind, document["document_type"])
                    if tag:
                        user.tags[tag] = "SUBMIT"
        call.client.users[view["id"]] = user
        return view

    def get_user(self, call):
        return call.user().view

    def get_cip_info(self, call):
        user = call.user()
        return {"cip_info": user.tags, "kyc_status": user.view["status"], "user_id": user.view["id"]}

    def set_verification(self, call):
        user = call.user()
        tags = call.body.get("cip_info", {})
        foreign = [tag for tag in tags if tag not in TAGS[user.is_business]]
        if foreign:
            raise bad_request(*[("body", f"/cip_info/{escape(tag)}", "is not a tag of this kind of user") for tag in foreign])
        user.tags.update(tags)
        user.view["status"] = call.body.get("kyc_status", user.view["status"])
        return self.get_cip_info(call)

    def get_transaction_limit(self, call):
        user, destination = call.user(), call.values["destination"]
        if destination not in call.client.destinations:
            raise not_found("destination")
        tier = 0
        remaining = dict.fromkeys(TIERS[0].limits, Decimal(0))
        currency = call.client.corridors.get(user.view["country"])
        if currency and user.view.get("type") == "SEND":
            tier = current_tier(user)
            if tier:
                remaining = remaining_limits(user, destination, TIERS[tier - 1])
            remaining = {name: money(amount, currency) for name, amount in remaining.items()}
        return {"country": destination, "current_tier": tier, "remaining_limit": remaining, "user_id": user.view["id"]}

    # Accounts.

    def create_funding_account(self, call):
        account = new(status="PENDING", **call.body)
        call.user().funding[account["id"]] = account
        return account

    def list_funding_accounts(self, call):
        return call.page(call.user().funding.values())

    def set_funding_account_status(self, call):
        account = find(call.user().funding, call.values["funding_account_id"].lower(), "funding account")
        account["status"] = call.body["status"]
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


def document_tag(is_business, kind, document_type):
    if not is_business:
        return None if document_type == "INVOICE" else "ID_DOC"
    if document_type in ("STATE_ID", "PASSPORT", "SSN"):
        return "ACCOUNT_OPERATOR_INFO"
    if kind == "virtual_documents":
        return "EIN_NUMBER" if document_type == "EIN_NUMBER" else None
    return {"EIN": "EIN_DOC", "CERTIFICATE_OF_INCORPORATION": "CERTIFICATE_OF_INCORPORATION"}.get(document_type)
