"""Creates what most operations need, and writes its ids into the dictionaries of schemathesis.toml."""

import os
from pathlib import Path

import httpx

client = httpx.Client(
    base_url=os.environ["PAYOUTS_URL"],
    headers={
        "X-Client-Id": os.environ["PAYOUTS_CLIENT_ID"],
        "X-Client-Secret": os.environ["PAYOUTS_CLIENT_SECRET"],
    },
)


def call(method: str, path: str, body: object = None) -> dict:
    answer = client.request(method, path, json=body)
    answer.raise_for_status()
    return answer.json()


def write(name: str, *values: object) -> None:
    Path(f"{name}.txt").write_text("".join(f'"{v}"\n' for v in values))


user = call("POST", "/users", {"first_name": "Asha", "email": "asha@example.com", "country": "US", "type": "SEND"})["id"]
call("POST", f"/sandbox/users/{user}/verification", {"kyc_status": "VERIFIED"})
fund = call("POST", f"/users/{user}/funding-accounts", {"funding_source_type": "CARD"})["id"]
call("POST", f"/sandbox/users/{user}/funding-accounts/{fund}/status", {"status": "ACTIVE"})
receive_user = call(
    "POST",
    f"/users/{user}/receive-users",
    {"first_name": "Bina", "country": "NP", "address_line1": "1 Sample Road", "city": "Kathmandu"},
)["id"]
bank = call("GET", "/banks?country=NP")[0]["id"]
payers = {p["delivery_method"]: p["id"] for p in call("GET", "/payers?country=NP")}
account = call(
    "POST",
    f"/users/{user}/receive-users/{receive_user}/bank-accounts",
    {"bank_id": bank, "account_number": "0001234567", "currency": "NPR"},
)["id"]
wallet = call(
    "POST",
    f"/users/{user}/receive-users/{receive_user}/wallet-accounts",
    {"payer_id": payers["WALLET"], "wallet_number": "9800000000", "currency": "NPR"},
)["id"]
transaction = call(
    "POST",
    f"/users/{user}/transactions",
    {
        "from_amount": 1,
        "from_currency": "USD",
        "from_fund_id": fund,
        "to_currency": "NPR",
        "exchange_rate": 132.25,
        "to": {"id": receive_user, "payout_method": "BANK_DEPOSIT", "fund_id": account},
    },
)["id"]
endpoints = [
    call("POST", "/webhook-endpoints", {"url": f"http://127.0.0.1:{port}/"})["id"] for port in range(9, 14)
]
event = call("GET", "/events?limit=1")["items"][0]["id"]

write("users", user)
write("funds", fund)
write("receive_users", receive_user)
write("receive_accounts", account, wallet)
write("transactions", transaction)
write("webhook_endpoints", *endpoints)
write("events", event)

Path("auth.yaml").write_text(
    "auth:\n"
    + "".join(
        f"  - name: {name}\n    fixedHeaders:\n"
        f"      - {{name: X-Client-Id, value: {os.environ['PAYOUTS_CLIENT_ID' + suffix]}}}\n"
        f"      - {{name: X-Client-Secret, value: {os.environ['PAYOUTS_CLIENT_SECRET' + suffix]}}}\n"
        for name, suffix in (("first", ""), ("second", "_2"))
    )
)
