"""Receives webhooks, and verifies them with the library of Standard Webhooks."""

import base64
import json
import os
import queue
import threading
import urllib.request
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from standardwebhooks import Webhook, WebhookVerificationError

Received = tuple[dict[str, str], bytes]
inbox: queue.Queue[Received] = queue.Queue()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        inbox.put(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


def call(method: str, path: str, body: object = None) -> bytes:
    request = urllib.request.Request(
        os.environ["PAYOUTS_URL"] + path,
        data=None if body is None else json.dumps(body).encode(),
        method=method,
        headers={
            "X-Client-Id": os.environ["PAYOUTS_CLIENT_ID"],
            "X-Client-Secret": os.environ["PAYOUTS_CLIENT_SECRET"],
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request) as answer:
        text: bytes = answer.read()
    return text.strip()


def received(type: str) -> Received:
    """Returns the webhook with an event of this type, once it is there."""
    while True:
        headers, body = inbox.get(timeout=30)
        if json.loads(body)["type"] == type:
            return headers, body


def rejected(secret: str, headers: dict[str, str], body: bytes, why: str) -> None:
    try:
        Webhook(secret).verify(body, headers)
    except WebhookVerificationError:
        return
    raise AssertionError("accepted: " + why)


def main() -> None:
    receiver = HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    endpoint = json.loads(
        call("POST", "/webhook-endpoints", {"url": f"http://127.0.0.1:{receiver.server_port}/webhooks"})
    )

    # An event: what is verified is what the feed has.
    user = json.loads(
        call(
            "POST",
            "/users",
            {"first_name": "Åsa", "email": "asa@example.com", "country": "US", "state": "CA", "type": "SEND"},
        )
    )
    call("POST", f"/sandbox/users/{user['id']}/verification", {"kyc_status": "VERIFIED"})
    headers, body = received("user.status_changed")
    event = Webhook(endpoint["secret"]).verify(body, headers)
    assert event["data"]["user"]["id"] == user["id"], event
    assert headers["webhook-id"] == event["id"], headers
    assert call("GET", f"/events/{event['id']}") == body, body

    # What was changed on its way.
    rejected(endpoint["secret"], headers, body.replace(b"VERIFIED", b"SUSPENDED"), "another body")
    rejected(endpoint["secret"], headers, body + b" ", "a longer body")
    rejected(endpoint["secret"], {**headers, "webhook-id": user["id"]}, body, "another id")
    later = str(int(headers["webhook-timestamp"]) + 1)
    rejected(endpoint["secret"], {**headers, "webhook-timestamp": later}, body, "another time")
    old = datetime.now(tz=UTC) - timedelta(minutes=6)
    stale = {
        "webhook-id": event["id"],
        "webhook-timestamp": str(int(old.timestamp())),
        "webhook-signature": Webhook(endpoint["secret"]).sign(event["id"], old, body.decode()),
    }
    rejected(endpoint["secret"], stale, body, "six minutes old")

    # While the secret is replaced, both sign.
    secret = json.loads(call("POST", f"/webhook-endpoints/{endpoint['id']}/secret"))["secret"]
    rejected(secret, headers, body, "the new secret did not sign before")
    call("POST", f"/webhook-endpoints/{endpoint['id']}/test")
    headers, body = received("ping")
    assert len(headers["webhook-signature"].split(" ")) == 2, headers
    for each in (endpoint["secret"], secret):
        assert Webhook(each).verify(body, headers)["type"] == "ping"
        rejected(each, headers, body.replace(b"ping", b"pong"), "another body during the rotation")
    rejected("whsec_" + base64.b64encode(bytes(32)).decode(), headers, body, "a third secret")
    receiver.shutdown()


if __name__ == "__main__":
    main()
