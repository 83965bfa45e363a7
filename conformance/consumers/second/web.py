"""HTTP: reads requests, judges them in the order of the contract, and writes answers."""

import hashlib
import hmac
import re
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from uuid import uuid4

from .contract import percent_decoded, repeated_members
from .model import Call, UsedKey
from .wire import Failure, bad_request, conflict, decode, encode, not_found

MAX_BODY = 20 << 20


class Bucket:
    """A token bucket of one client (D-28), full after a second."""

    def __init__(self, rate):
        self.rate, self.tokens, self.time, self.lock = rate, float(rate), time.monotonic(), threading.Lock()

    def take(self):
        """Takes a token; returns whether there was one, and the headers that say what is left."""
        with self.lock:
            now = time.monotonic()
            self.tokens = min(self.rate, self.tokens + (now - self.time) * self.rate)
            self.time = now
            taken = self.tokens >= 1
            self.tokens -= taken
            left = {"RateLimit": f'"client";r={int(self.tokens)};t=1', "RateLimit-Policy": f'"client";q={self.rate};w=1'}
            return taken, left


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address, contract, service, clients, options):
        super().__init__(address, Handler)
        self.contract, self.service, self.options = contract, service, options
        self.clients = {client.name: client for client in clients}
        self.buckets = {client.name: Bucket(options.rate_limit) for client in clients} if options.rate_limit else {}

    def handle_error(self, request, client_address):
        pass  # the peer went away

    def answer(self, request):
        """Returns the status, the text and the headers to answer with."""
        if self.options.unavailable:
            raise Failure(503, "SERVICE_UNAVAILABLE", "The store is away.", headers={"Retry-After": "1"})
        client = self.authenticated(request)
        if client.name in self.buckets:
            taken, request.left = self.buckets[client.name].take()
            if not taken:
                raise Failure(429, "RATE_LIMITED", "Too many requests.", headers={"Retry-After": "1"})
        if self.options.broken:
            raise RuntimeError("broken by --broken")
        operation, segments = self.routed(request)
        if self.options.no_validation:
            values = {**operation.path_values(segments), **dict(request.query())}
            values = {
                name: int(text) if name in ("payerId", "bankId", "stateId", "limit") else text for name, text in values.items()
            }
            values = {**operation.defaults, **values}
            body = decode(request.body()) if operation.schema else None
        else:
            values, body = self.validated(operation, segments, request)
        call = Call(client, values, body)
        method = getattr(self.service, re.sub("(?<!^)(?=[A-Z])", "_", operation.id).lower())
        keys = request.headers_utf8("X-Idempotency-Key") if operation.takes_key else []
        with self.service.lock:
            fingerprint = operation.fingerprint(segments, body) if keys else ""
            if keys and keys[0] in client.keys:
                used = client.keys[keys[0]]
                if used.fingerprint != fingerprint:
                    raise conflict()
                return 200, encode(used.answer()), {"Idempotent-Replayed": "true"}
            call.check_cursor()
            self.service.check(operation.id, body)
            answer = method(call)
            if keys:
                client.keys[keys[0]] = UsedKey(fingerprint, call, answer)
            text = encode(answer)
            return request.unless_known(text) if operation.has_tags else (200, text, call.headers)

    def authenticated(self, request):
        """The client of the request, judged before anything else (D-19)."""
        names, secrets = request.headers.get_all("X-Client-Id", []), request.headers.get_all("X-Client-Secret", [])
        if len(names) == len(secrets) == 1:
            client = self.clients.get(names[0].strip(" \t"))
            secret = client.secret if client else uuid4().hex
            if hmac.compare_digest(secrets[0].strip(" \t").encode("latin-1", "replace"), secret.encode()):
                return client
        headers = {"WWW-Authenticate": 'Client headers="X-Client-Id X-Client-Secret"'}
        raise Failure(
            401, "UNAUTHORIZED", "The headers X-Client-Id and X-Client-Secret do not name an active client.", headers=headers
        )

    def routed(self, request):
        path = request.target.partition("?")[0]
        segments = [percent_decoded(s, ("path", "path")) for s in path.split("/")[1:]]
        operations = [o for o in self.contract.operations if o.matches(segments) and (self.options.sandbox or not o.is_sandbox)]
        if not operations:
            raise not_found("path", ("path", "", "is no path of the contract"))
        for operation in operations:
            if operation.method == request.command:
                return operation, segments
        headers = {"Allow": ", ".join(operation.method for operation in operations)}
        raise Failure(405, "METHOD_NOT_ALLOWED", "This path does not have this method.", headers=headers)

    def validated(self, operation, segments, request):
        headers = {name: request.headers_utf8(name) for name in ("X-Idempotency-Key", "If-None-Match")}
        values, violations = operation.check_parameters(segments, request.query(), headers)
        body = None
        if operation.schema:
            if request.has_body() and not request.is_json():
                detail = ("header", "Content-Type", "must be application/json")
                raise Failure(415, "UNSUPPORTED_MEDIA_TYPE", "The body must be sent as JSON.", [detail])
            text = request.body()
            if not text:
                violations.append(("body", "", "is required"))
            else:
                try:
                    body = decode(text)
                except ValueError:
                    violations.append(("body", "", "must be one JSON value in UTF-8"))
                else:
                    violations += [("body", pointer, "is given twice") for pointer in repeated_members(body)]
                    violations += operation.check_body(body)
        if violations:
            raise bad_request(*violations)
        return values, body


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)

    def log_message(self, *_):
        pass

    def answer(self):
        self.target = re.sub("^[a-z]+://[^/?]*", "", self.requestline.split()[1], flags=re.IGNORECASE)
        self.text, self.left = None, {}
        request_id, status, headers = str(uuid4()), 200, {}
        try:
            status, text, headers = self.server.answer(self)
        except Failure as failure:
            status, headers, text = failure.status, failure.headers, encode(failure.body(request_id))
        except Exception as e:  # an answer is owed whatever happens
            if not self.server.options.broken:
                print(f"{request_id} {self.command} {type(e).__name__}: {e}", flush=True)
            failure = Failure(500, "INTERNAL_ERROR", "Something went wrong on our side.")
            status, text = 500, encode(failure.body(request_id))
        unread = self.has_body() and self.text is None
        self.write(
            status, request_id, text.encode("utf-8"), {**self.left, **headers, **({"Connection": "close"} if unread else {})}
        )
        if unread:
            self.drain()

    def write(self, status, request_id, body, headers):
        content = {"Content-Type": "application/json", "Content-Length": str(len(body))} if status != 304 else {}
        headers = {**content, "X-Request-Id": request_id, **headers}
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self._headers_buffer.append(b"\r\n" + (b"" if self.command == "HEAD" else body))
        self.flush_headers()

    def send_error(self, code, message=None, explain=None):
        """Answers a request that is no HTTP."""
        request_id = str(uuid4())
        self.close_connection = True
        self.command = self.command or ""
        self.request_version = self.request_version or self.protocol_version
        body = encode(bad_request(message="This is not a request of HTTP.").body(request_id))
        self.write(400, request_id, body.encode(), {"Connection": "close"})

    def drain(self):
        """Reads on for a while, so that a caller who is still sending sees the answer and not a reset."""
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(1)
            for _ in range(1024):
                if not self.rfile.read1(1 << 16):
                    break
        except OSError:
            pass

    # What the checks want to know of a request.

    def headers_utf8(self, name):
        """The values of a header, read as UTF-8 (D-16)."""
        try:
            return [value.strip(" \t").encode("latin-1").decode("utf-8") for value in self.headers.get_all(name, [])]
        except UnicodeError:
            raise bad_request(("header", name, "must be UTF-8")) from None

    def unless_known(self, text):
        """Returns the status, the text and the headers to answer with: 304 if the caller has the text (D-75)."""
        tag = f'"{hashlib.sha256(text.encode("utf-8")).hexdigest()}"'
        headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
        given = ",".join(self.headers_utf8("If-None-Match")).strip()
        known = given == "*" or tag in re.findall('"[^"]*"', given)
        return (304, "", headers) if known else (200, text, headers)

    def query(self):
        """Names and values in their order."""
        pairs = []
        for part in self.target.partition("?")[2].split("&"):
            if part:
                name, _, value = part.replace("+", " ").partition("=")
                name = percent_decoded(name, ("query", "query"))
                pairs.append((name, percent_decoded(value, ("query", name))))
        return pairs

    def has_body(self):
        return "Transfer-Encoding" in self.headers or self.headers.get("Content-Length", "0").strip() != "0"

    def is_json(self):
        types = self.headers.get_all("Content-Type", [])
        return (
            len(types) == 1
            and self.headers.get_content_charset("utf-8") == "utf-8"
            and self.headers.get_content_type() == "application/json"
        )

    def body(self):
        if self.text is None and self.has_body():
            if "Transfer-Encoding" in self.headers:
                text = b"".join(self.chunks())
            else:
                text = self.exactly(self.length(self.headers["Content-Length"], 10))
            self.text = text
        return self.text or b""

    def length(self, text, base, before=0):
        if not re.fullmatch("[0-9]+" if base == 10 else "[0-9A-Fa-f]+", text.strip(), re.ASCII):
            raise bad_request(("body", "", "must have a length"))
        length = int(text, base)
        if before + length > MAX_BODY:
            raise Failure(
                413, "PAYLOAD_TOO_LARGE", "The body is too large.", [("body", "", f"must have at most {MAX_BODY} bytes")]
            )
        return length

    def exactly(self, length):
        text = self.rfile.read(length)
        if len(text) < length:
            raise bad_request(("body", "", "must be sent whole"))
        return text

    def chunks(self):
        total = 0
        while True:
            line = self.rfile.readline(256)
            size = self.length(line.partition(b";")[0].decode("latin-1"), 16, total)
            if not size:
                break
            total += size
            yield self.exactly(size)
            self.rfile.readline(3)
        while self.rfile.readline(65536) not in (b"\r\n", b"\n", b""):
            pass
