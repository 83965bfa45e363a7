"""Sends events to webhook endpoints, as Standard Webhooks says, until they answer 2xx (D-69)."""

import heapq
import http.client
import ipaddress
import itertools
import random
import socket
import ssl
import threading
import time
from datetime import timedelta
from urllib.parse import urlsplit

from standardwebhooks import Webhook

from .wire import now, timestamp

# Seconds from an attempt to the next.
PAUSES = (5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400)
TIMEOUT = 15
DISABLED_AFTER = timedelta(days=5)


class Delivery:
    """An event on its way to an endpoint."""

    def __init__(self, endpoint, event, body):
        self.endpoint, self.body = endpoint, body
        self.due = None  # the time of its next attempt, as time.monotonic counts; None if there is none
        self.failed = 0  # attempts since it was asked for
        self.view = {"event_id": event["id"], "event_type": event["type"], "status": "PENDING"}
        self.view.update(created_at=timestamp(now()), attempts=[])

    def ends(self, status):
        self.due = None
        self.view["status"] = status
        self.view.pop("next_attempt_at", None)

    def headers(self):
        at = now()
        signatures = (Webhook(secret).sign(self.view["event_id"], at, self.body) for secret in self.endpoint.signing_secrets())
        return {
            "Content-Type": "application/json",
            "webhook-id": self.view["event_id"],
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": " ".join(signatures),
        }


class Sender:
    """Makes the attempts at one endpoint, in a thread that its first delivery starts. So no endpoint waits for another."""

    def __init__(self, lock, public_only):
        self.lock = lock  # of what the clients have; never held during an attempt
        self.public_only = public_only
        self.changed, self.heap, self.numbers = threading.Condition(lock), [], itertools.count()
        self.thread, self.stopped = None, False

    def stop(self):
        self.stopped = True
        self.changed.notify()

    def send(self, delivery, pause=0.0):
        """Plans an attempt, in place of one that was planned. The caller holds the lock."""
        delivery.due = time.monotonic() + pause
        delivery.view["status"] = "PENDING"
        delivery.view["next_attempt_at"] = timestamp(now() + timedelta(seconds=pause))
        heapq.heappush(self.heap, (delivery.due, next(self.numbers), delivery))
        self.changed.notify()
        if not self.thread:
            self.thread = threading.Thread(target=self._work, daemon=True)
            self.thread.start()

    def _next(self):
        """Waits for the next delivery that is due; returns None when the endpoint is gone."""
        while not self.stopped:
            pause = self.heap[0][0] - time.monotonic() if self.heap else None
            if pause is not None and pause <= 0:
                due, _, delivery = heapq.heappop(self.heap)
                if delivery.due == due:  # else planned for another time meanwhile, or canceled
                    return delivery
            else:
                self.changed.wait(pause)
        return None

    def _work(self):
        while True:
            with self.lock:
                delivery = self._next()
                if not delivery:
                    return
                due, url, headers = delivery.due, delivery.endpoint.view["url"], delivery.headers()
            at, start = now(), time.monotonic()
            status, error, retry_after = self._post(url, headers, delivery.body)
            attempt = {"at": timestamp(at), "duration_ms": round((time.monotonic() - start) * 1000)}
            attempt.update({name: value for name, value in (("http_status", status), ("error", error)) if value})
            with self.lock:
                delivery.view["attempts"] = [*delivery.view["attempts"], attempt][-100:]
                if delivery.due == due:
                    self._judge(delivery, attempt, retry_after)

    def _judge(self, delivery, attempt, retry_after):
        """Ends a delivery after an attempt, or plans the next one."""
        endpoint = delivery.endpoint
        if "error" not in attempt:
            endpoint.failing_since = None
            delivery.ends("DELIVERED")
            return
        endpoint.failing_since = endpoint.failing_since or now()
        delivery.failed += 1
        if attempt.get("http_status") == 410 or now() - endpoint.failing_since > DISABLED_AFTER:
            delivery.ends("FAILED")
            endpoint.disable("GONE" if attempt.get("http_status") == 410 else "FAILING")
        elif delivery.failed > len(PAUSES):
            delivery.ends("FAILED")
        else:
            pause = PAUSES[delivery.failed - 1]
            self.send(delivery, min(max(retry_after, pause * random.uniform(1, 1.2)), 2 * pause))

    def _post(self, url, headers, body):
        """Makes one attempt; returns the status, what went wrong, and the seconds that Retry-After asks for."""
        parts = urlsplit(url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname, parts.port, timeout=TIMEOUT)
        try:
            if self.public_only:
                for *_, address in socket.getaddrinfo(parts.hostname, connection.port, type=socket.SOCK_STREAM):
                    if not ipaddress.ip_address(address[0]).is_global:
                        return None, "ADDRESS_NOT_ALLOWED", 0
            target = (parts.path or "/") + ("?" + parts.query if parts.query else "")
            connection.request("POST", target, body.encode(), headers)
            response = connection.getresponse()
            response.read(4096)
            after = response.headers.get("Retry-After", "")
            retry_after = int(after) if after.isascii() and after.isdigit() and len(after) < 7 else 0
            error = None if 200 <= response.status < 300 else "REDIRECT" if 300 <= response.status < 400 else "HTTP_STATUS"
            return response.status, error, retry_after
        except TimeoutError:
            return None, "TIMEOUT", 0
        except socket.gaierror:
            return None, "DNS", 0
        except ssl.SSLError:
            return None, "TLS", 0
        except ConnectionRefusedError:
            return None, "CONNECTION_REFUSED", 0
        except (OSError, ValueError, http.client.HTTPException):
            return None, "CONNECTION_FAILED", 0
        finally:
            connection.close()
