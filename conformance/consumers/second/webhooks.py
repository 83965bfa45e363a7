"""Webhook endpoints and what was sent to them (D-68, D-69)."""

import base64
import ipaddress
import re
import secrets
from datetime import timedelta
from urllib.parse import urlsplit
from uuid import uuid4

from .deliveries import Delivery, Sender
from .model import find, is_met, new
from .wire import encode, now, refused, timestamp

MAX_ENDPOINTS = 100
OVERLAP = timedelta(hours=24)
_LABEL = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_NAME = re.compile(rf"{_LABEL}(\.{_LABEL})*\.?")


class Endpoint:
    def __init__(self, view, sender):
        self.sender = sender
        self.view = {**view, "updated_at": view["created_at"]}
        self.deliveries = []
        self.failing_since = None
        self.secret, self.previous, self.previous_ends = new_secret(), None, None

    def rotate(self):
        self.secret, self.previous, self.previous_ends = new_secret(), self.secret, now() + OVERLAP

    def overlaps(self):
        return self.previous is not None and now() < self.previous_ends

    def signing_secrets(self):
        return [self.secret, self.previous] if self.overlaps() else [self.secret]

    def secret_view(self):
        return {"secret": self.secret, **({"previous_expires_at": timestamp(self.previous_ends)} if self.overlaps() else {})}

    def with_secret(self):
        return {**self.view, "secret": self.secret}

    def wants(self, event_type):
        return not self.view["disabled"] and (not self.view["event_types"] or event_type in self.view["event_types"])

    def disable(self, reason=None):
        self.view["disabled"] = True
        if reason:
            self.view.update(disabled_reason=reason, updated_at=timestamp(now()))
        for delivery in self.deliveries:
            if delivery.view["status"] == "PENDING":
                delivery.ends("CANCELED")


class Webhooks:
    def check_endpoint(self, body):
        if "url" in body and (reason := self._wrong_address(body["url"])):
            yield "body", "/url", reason

    def _wrong_address(self, url):
        """What is wrong with the address of an endpoint, or None."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            return "must be a URL"
        if not host or len(host) > 253 or re.search(":(0[0-9]*)?$", parts.netloc):
            return "must have a host of at most 253 characters and a port from 1 to 65535"
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            address = None
            if "[" in url or not _NAME.fullmatch(host) or re.fullmatch("([0-9]+|0x[0-9a-f]*)", host.rstrip(".").split(".")[-1]):
                return "must have a host that is a name or an address"
        if self.is_sandbox:
            return None
        if parts.scheme != "https":
            return "must be https"
        if port is not None and port != 443 and port < 1024:
            return "must have the port 443 or one from 1024 to 65535"
        if address and (not address.is_global or address.is_multicast):
            return "must have a public address"
        if not address and "." not in host.rstrip("."):
            return "must have a host with a dot"
        return None

    def create_webhook_endpoint(self, call):
        endpoints = call.client.endpoints
        if sum(endpoint is not None for endpoint in endpoints) >= MAX_ENDPOINTS:
            raise refused("TOO_MANY_WEBHOOK_ENDPOINTS")
        endpoint = Endpoint(new(url=call.body["url"], event_types=[], disabled=False), Sender(self.lock, not self.is_sandbox))
        self._change(endpoint, call.body)
        endpoints.append(endpoint)
        call.repeat = endpoint.with_secret
        call.creates = endpoint
        return endpoint.with_secret()

    @staticmethod
    def _change(endpoint, body):
        """Sets what was sent; returns whether something changed."""
        before = dict(endpoint.view)
        endpoint.view.update(body)
        endpoint.view["event_types"] = sorted(set(endpoint.view["event_types"]))
        if not endpoint.view.get("description"):
            endpoint.view.pop("description", None)
        if endpoint.view["disabled"]:
            endpoint.disable()
        else:
            endpoint.view.pop("disabled_reason", None)
        return endpoint.view != before

    @staticmethod
    def _endpoint(call):
        endpoints = {endpoint.view["id"]: endpoint for endpoint in call.client.endpoints if endpoint}
        return find(endpoints, call.values["webhook_endpoint_id"].lower(), "webhook endpoint")

    def list_webhook_endpoints(self, call):
        return call.oldest_first(call.client, [endpoint and endpoint.view for endpoint in call.client.endpoints])

    def get_webhook_endpoint(self, call):
        return self._endpoint(call).view

    def update_webhook_endpoint(self, call):
        endpoint = self._endpoint(call)
        if self._change(endpoint, call.body):
            endpoint.view["updated_at"] = timestamp(now())
            if not endpoint.view["disabled"]:
                endpoint.failing_since = None
        return endpoint.view

    def delete_webhook_endpoint(self, call):
        endpoint, client = self._endpoint(call), call.client
        client.endpoints[client.endpoints.index(endpoint)] = None
        client.keys = {key: used for key, used in client.keys.items() if used.thing is not endpoint}
        view = dict(endpoint.view)
        endpoint.disable()
        endpoint.sender.stop()
        return view

    def rotate_webhook_secret(self, call):
        endpoint = self._endpoint(call)
        endpoint.rotate()
        call.repeat, call.creates = endpoint.secret_view, endpoint
        return endpoint.secret_view()

    # Deliveries.

    def fan_out(self, client, event):
        wanting = [endpoint for endpoint in client.endpoints if endpoint and endpoint.wants(event["type"])]
        body = encode(event) if wanting else ""
        for endpoint in wanting:
            self._deliver(endpoint, event, body)

    def _deliver(self, endpoint, event, body):
        delivery = Delivery(endpoint, event, body)
        endpoint.deliveries.append(delivery)
        if endpoint.view["disabled"]:
            delivery.ends("CANCELED")
        elif self.delivers:
            endpoint.sender.send(delivery)
        return delivery

    def list_webhook_deliveries(self, call):
        call.cursor(call.client)  # a wrong one is refused before the endpoint is looked for
        wanted = {"status": call.values["status"]} if "status" in call.values else {}
        views = [delivery.view for delivery in self._endpoint(call).deliveries]
        return call.newest_first(call.client, views, lambda view: is_met(view, wanted))

    def retry_webhook_delivery(self, call):
        endpoint = self._endpoint(call)
        deliveries = {delivery.view["event_id"]: delivery for delivery in endpoint.deliveries}
        delivery = find(deliveries, call.values["event_id"].lower(), "delivery")
        delivery.failed = 0
        if endpoint.view["disabled"]:
            delivery.ends("CANCELED")
        else:
            endpoint.sender.send(delivery)
        return delivery.view

    def test_webhook_endpoint(self, call):
        endpoint = self._endpoint(call)
        ping = {"id": str(uuid4()), "type": "ping", "created_at": timestamp(now()), "data": {}}
        return self._deliver(endpoint, ping, encode(ping)).view


def new_secret():
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
