"""What the suite needs in profile document and cannot create there: users of the first client, written to a file."""

import yaml

from .model import Call


def create(service, client):
    """Creates the fixtures and returns the file of `conform --fixtures` as a value."""

    def call(operation, body=None, **values):
        return getattr(service, operation)(Call(client, values, body))

    def sender(status):
        person = {"first_name": "Asha", "last_name": "Example", "email": "asha@example.com", "country": "US", "type": "SEND"}
        user = call("create_user", person)["id"]
        call("set_verification", {"kyc_status": status}, user_id=user)
        fund = call("create_funding_account", {"funding_source_type": "CARD"}, user_id=user)["id"]
        call("set_funding_account_status", {"status": "ACTIVE"}, user_id=user, funding_account_id=fund)
        return {"user_id": user, "from_fund_id": fund}

    def payer(country, method):
        payers = service.list_payers(Call(client, {"country": country, "payout_method": method}))
        return service.reference.payers[payers[0]["id"]]

    verified = sender("VERIFIED")
    user = verified["user_id"]
    receivers = []

    def receiver(country):
        person = {"first_name": "Bina", "address_line1": "3 Sample Road", "city": "Sample City", "country": country}
        return call("create_receive_user", person, user_id=user)["id"]

    def add(person, method, paid_by=None, **more):
        currency = more.pop("currency", None) or paid_by["receiving_currency"]
        receivers.append({"payout_method": method, "id": person, "currency": currency, **more})

    person = receiver("NP")
    bank = service.get_bank(Call(client, {"bankId": service.list_banks(Call(client, {"country": "NP"}))[0]["id"]}))
    account = {"bank_id": bank["id"], "account_number": "0001", "currency": bank["receiving_currency"][0]}
    account = call("create_bank_account", account, user_id=user, receive_user_id=person)
    add(person, "BANK_DEPOSIT", fund_id=account["id"], currency=account["currency"])
    wallet = payer("NP", "WALLET")
    account = {"payer_id": wallet["id"], "wallet_number": "0001", "currency": wallet["receiving_currency"]}
    account = call("create_wallet_account", account, user_id=user, receive_user_id=person)
    add(person, "WALLET", wallet, fund_id=account["id"])
    for country, method in (("NP", "CASH_PICKUP"), ("NP", "HOME_DELIVERY"), ("JP", "CASH_PICKUP"), ("KW", "CASH_PICKUP")):
        paid_by = payer(country, method)
        add(person if country == "NP" else receiver(country), method, paid_by, payer_id=paid_by["id"])
    return {"fixtures": {"sender": verified, "unverified": sender("UNVERIFIED"), "receivers": receivers}}


def write(file, service, client):
    with open(file, "w", encoding="utf-8") as f:
        yaml.safe_dump(create(service, client), f, sort_keys=False)
