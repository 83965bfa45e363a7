"""Pays records through a proxy that spoils answers, and compares the final words with what the service has.

Usage: faults.py PROGRAM [ARGUMENT...]; the program gets a file of records and the address of the proxy as well.
"""

import http.client
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

SERVICE = urlsplit(os.environ["PAYOUTS_URL"])
CREDENTIALS = {
    "X-Client-Id": os.environ["PAYOUTS_CLIENT_ID"],
    "X-Client-Secret": os.environ["PAYOUTS_CLIENT_SECRET"],
    "Content-Type": "application/json",
}


def error(status, code, *details):
    """An error body of the contract."""
    return json.dumps({"status": status, "code": code, "message": "no", "request_id": "1", "details": list(details)}).encode()


WHOLE_BODY = {"in": "body", "field": "", "reason": "must be sent completely"}
WHOLE_PATH = {"in": "path", "field": "", "reason": "is no path of the contract"}
PAGE = b"<html><body>Not Found</body></html>"

# What comes instead of the answer: its status, its body, and its headers.
ANSWERS = {
    "an empty 200": (200, b"", {}),
    "a 200 of a page": (200, PAGE, {}),
    "a 200 of another service": (200, b'{"result":"ok"}', {}),
    "a 200 of a list": (200, b"[]", {}),
    "a 204": (204, b"", {}),
    "a redirect": (302, b"", {"Location": "/users"}),
    "a redirect that keeps the method": (307, b"", {"Location": "/users"}),
    "a page with 400": (400, PAGE, {}),
    "a page with 401": (401, PAGE, {"WWW-Authenticate": "Basic"}),
    "a page with 404": (404, PAGE, {}),
    "a 404 of another service": (404, b'{"error":"no such route","code":"NOT_FOUND"}', {}),
    "a 404 for a path": (404, error(404, "NOT_FOUND", WHOLE_PATH), {}),
    "a 400 for a cut body": (400, error(400, "BAD_REQUEST", WHOLE_BODY), {}),
    "a 401": (401, error(401, "UNAUTHORIZED"), {}),
    "a 403": (403, error(403, "FORBIDDEN"), {}),
    "a 405": (405, error(405, "METHOD_NOT_ALLOWED"), {"Allow": "GET"}),
    "a 408": (408, PAGE, {}),
    "a bare 409": (409, b"", {}),
    "a page with 413": (413, PAGE, {}),
    "a 415": (415, error(415, "UNSUPPORTED_MEDIA_TYPE"), {}),
    "a 422 of another service": (422, b'{"status":422,"detail":"no"}', {}),
    "a 422 within a 200": (200, error(422, "LIMIT_EXCEEDED"), {}),
    "a 425": (425, b"", {}),
    "a 429": (429, error(429, "RATE_LIMITED"), {"Retry-After": "0"}),
    "a 500": (500, error(500, "INTERNAL_ERROR"), {}),
    "a page with 502": (502, PAGE, {}),
    "a 503": (503, error(503, "SERVICE_UNAVAILABLE"), {"Retry-After": "0"}),
    "a page with 504": (504, PAGE, {}),
}
FAULTS = ["a lost response", "half a response", "half a JSON text", "a lost request", *ANSWERS]


def send(method, path, body=None, headers=None):
    connection = http.client.HTTPConnection(SERVICE.hostname, SERVICE.port, timeout=30)
    connection.request(method, path, body, headers or CREDENTIALS)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, text


def call(method, path, body=None):
    """Calls the service directly."""
    status, text = send(method, path, json.dumps(body) if body else None)
    assert status == 200, f"{method} {path} is answered {status} {text}"
    return json.loads(text)


class Proxy(BaseHTTPRequestHandler):
    """Forwards requests, and spoils the answers to those with a key as planned for it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    plan, spoiled, followed = {}, Counter(), 0

    def do_POST(self):
        Proxy.followed += self.path == "/users"
        key = self.headers["X-Idempotency-Key"]
        fault = self.plan[key].pop(0) if self.plan[key] else None
        self.spoiled[fault] += 1
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if fault == "a lost request":
            self.close_connection = True
            return
        headers = {name: self.headers[name] for name in [*CREDENTIALS, "X-Idempotency-Key"]}
        status, text = send("POST", self.path, body, headers)
        if fault == "a lost response":
            self.close_connection = True
        elif fault == "half a response":
            self.answer(status, text[: len(text) // 2], {}, len(text))
            self.close_connection = True
        elif fault == "half a JSON text":
            self.answer(status, text[: len(text) // 2], {})
        elif fault:
            self.answer(*ANSWERS[fault])
        else:
            self.answer(status, text, {})

    def answer(self, status, text, headers, length=None):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(text) if length is None else length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        Proxy.followed += 1
        self.answer(404, PAGE, {})

    def log_message(self, *args):
        pass


def prepare(path, name):
    """Writes the records, plans their faults, and returns the sender, and the word that each record must get."""
    user = call("POST", "/users", {"first_name": "Asha", "email": "asha@example.com", "country": "US", "type": "SEND"})["id"]
    call("POST", f"/sandbox/users/{user}/verification", {"kyc_status": "VERIFIED"})
    fund = call("POST", f"/users/{user}/funding-accounts", {"funding_source_type": "CARD"})["id"]
    call("POST", f"/sandbox/users/{user}/funding-accounts/{fund}/status", {"status": "ACTIVE"})
    receiver = call("POST", f"/users/{user}/receive-users", {"first_name": "Bina", "country": "NP"})["id"]
    accounts = f"/users/{user}/receive-users/{receiver}/bank-accounts"
    account = call("POST", accounts, {"bank_id": 2001, "account_number": "0001234567", "currency": "NPR"})["id"]
    good = {"user": user, "amount": "1.00", "fund": fund}
    rows = [(good, "paid", [FAULTS[i], FAULTS[(i * 7 + 3) % len(FAULTS)]]) for i in range(len(FAULTS))]
    rows += [(good, "paid", [])]
    rows += [(good, "open", [fault] * 8) for fault in ("a page with 502", "a 401")]  # as often as the programs try
    for change, word in (
        ({"amount": "900000.00"}, "refused LIMIT_EXCEEDED"),
        ({"amount": "1.001"}, "refused BAD_REQUEST"),
        ({"user": "00000000-0000-4000-8000-000000000000"}, "refused NOT_FOUND"),
        ({"fund": receiver}, "refused FUNDING_ACCOUNT_NOT_FOUND"),
    ):
        rows.append((good | change, word, []))
        rows.append((good | change, word, ["a lost response", "a page with 404"]))
    words = {}
    with open(path, "w") as records:
        for i, (record, word, faults) in enumerate(rows):
            key = f"{name}-{i}"
            words[key], Proxy.plan[key] = word, list(faults)
            body = (
                f'{{"from_amount":{record["amount"]},"exchange_rate":132.25,"from_currency":"USD","to_currency":"NPR",'
                f'"from_fund_id":"{record["fund"]}","note":"{key}",'
                f'"to":{{"payout_method":"BANK_DEPOSIT","id":"{receiver}","fund_id":"{account}"}}}}'
            )
            headers = CREDENTIALS | {"X-Idempotency-Key": key}
            print(json.dumps({"path": f"/users/{record['user']}/transactions", "headers": headers, "body": body}), file=records)
        words[f"{name}-other"] = "refused IDEMPOTENCY_KEY_REUSED"  # another request with the key of the first record
        headers = CREDENTIALS | {"X-Idempotency-Key": f"{name}-0"}
        print(json.dumps({"path": f"/users/{user}/transactions", "headers": headers, "body": body}), file=records)
    return user, words


def compare(user, words, said):
    """Compares the words of a program with those that the records must get, and with what exists."""
    created = {}
    for transaction in call("GET", f"/users/{user}/transactions?limit=100")["items"]:
        assert transaction["note"] not in created, f"{transaction['note']} is paid twice"
        created[transaction["note"]] = transaction["id"]
    for (key, word), line in zip(words.items(), said, strict=True):
        want = f"paid {created.get(key)}" if word == "paid" else word
        assert line.strip() == want, f"the word of {key} is {line}, want {want}"
        assert (key in created) == (word in ("paid", "open")), f"{key}: {word}, exists: {key in created}"


def main():
    program = sys.argv[1:]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    arguments = ["records.jsonl", f"http://127.0.0.1:{server.server_port}"]
    user, words = prepare(arguments[0], program[-1])
    for _ in range(2):
        run = subprocess.run([*program, *arguments], stdout=subprocess.PIPE, text=True)
        assert run.returncode == 0, f"{program} ends with {run.returncode}"
        compare(user, words, run.stdout.splitlines())
        words = {key: "paid" if word == "open" else word for key, word in words.items()}  # the next day, without faults
    spoiled = sum(Proxy.spoiled.values()) - Proxy.spoiled[None]
    assert not Proxy.followed, f"{Proxy.followed} redirects were followed"
    unused = [fault for fault in FAULTS if not Proxy.spoiled[fault]]
    assert not unused, f"no answer was spoiled by {unused}"
    print(f"{' '.join(program)}: {len(words)} records, {spoiled} spoiled answers of {len(FAULTS)} kinds")


main()
