"""The contract as data: routes, parameters and schemas of openapi.yaml, and the fingerprint of D-16."""

import base64
import hashlib
import ipaddress
import re
from datetime import date
from functools import cached_property
from urllib.parse import unquote_to_bytes

import yaml

from . import texts
from .wire import Number, Object, bad_request, canonical, escape

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


class Operation:
    def __init__(self, contract, path, method, item, definition):
        self.contract, self.method = contract, method.upper()
        self.id = definition["operationId"]
        self.segments = path.split("/")[1:]
        parameters = map(contract.resolve, item.get("parameters", []) + definition.get("parameters", []))
        self.parameters = {(p["in"], p["name"]): p for p in parameters}
        defaults = {p["name"]: contract.resolve(p["schema"]).get("default") for p in self.parameters.values()}
        self.defaults = {name: value for name, value in defaults.items() if value is not None}
        body = contract.resolve(definition.get("requestBody", {}))
        self.schema = body["content"]["application/json"]["schema"] if body else None
        self.is_sandbox = self.segments[0] == "sandbox"
        self.takes_key = ("header", "X-Idempotency-Key") in self.parameters
        self.has_tags = ("header", "If-None-Match") in self.parameters

    def matches(self, segments):
        return len(segments) == len(self.segments) and all(
            got and (want.startswith("{") or got == want) for got, want in zip(segments, self.segments)
        )

    def path_values(self, segments):
        return {want[1:-1]: got for got, want in zip(segments, self.segments) if want.startswith("{")}

    def check_parameters(self, segments, query, headers):
        """Returns path and query parameters and headers by name, and the violations."""
        values, violations = {}, []
        sent = [("path", name, [text]) for name, text in self.path_values(segments).items()]
        for name in dict(query):
            if ("query", name) in self.parameters:
                sent.append(("query", name, [text for n, text in query if n == name]))
            else:
                violations.append(("query", name, "is not a parameter of this operation"))
        sent += [("header", name, texts) for name, texts in headers.items() if texts and ("header", name) in self.parameters]
        for place, name, texts in sent:
            schema = self.contract.resolve(self.parameters[place, name]["schema"])
            if len(texts) > 1:
                violations.append((place, name, "must be given once"))
                continue
            value, reasons = self.contract.read_parameter(schema, texts[0])
            violations += [(place, name, reason) for reason in reasons]
            values[name] = value
        for (place, name), parameter in self.parameters.items():
            if parameter.get("required") and not any(s[:2] == (place, name) for s in sent):
                violations.append((place, name, "is required"))
        return {**self.defaults, **values}, violations

    def check_body(self, body):
        return [("body", pointer, reason) for pointer, reason in self.contract.violations(self.schema, body)]

    def fingerprint(self, segments, body):
        """The fingerprint of a valid request."""
        path = {}
        for name, text in self.path_values(segments).items():
            path[name] = self.contract.normal(self.parameters["path", name]["schema"], text)
        if self.schema:
            body = self.contract.normal(self.schema, body)
        text = canonical({"operation": self.id, "path": path, "body": body})
        return hashlib.sha256(text.encode("utf-8")).hexdigest()


class Contract:
    def __init__(self, file):
        with open(file, encoding="utf-8") as f:
            self.document = yaml.load(f, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self.patterns = {}

    @cached_property
    def operations(self):
        return [
            Operation(self, path, method, item, item[method])
            for path, item in self.document["paths"].items()
            for method in METHODS
            if method in item
        ]

    def resolve(self, element):
        while "$ref" in element:
            target = self.document
            for name in element["$ref"].split("/")[1:]:
                target = target[name.replace("~1", "/").replace("~0", "~")]
            element = target
        return element

    def read_parameter(self, schema, text):
        """Returns the value of a parameter and what is wrong with it."""
        if schema["type"] == "integer":
            if not re.fullmatch(r"0|[1-9][0-9]*", text, re.ASCII):
                return None, ["must be an integer in digits, without sign and leading zeros"]
            value = Number(text)
            reasons = [reason for _, reason in self.violations(schema, value)]
            return (None if reasons else int(value)), reasons
        return text, [reason for _, reason in self.violations(schema, text)]

    def variant(self, schema, value):
        """The schema that the discriminator of a oneOf selects, or None."""
        discriminator = schema["discriminator"]
        name = value.get(discriminator["propertyName"]) if isinstance(value, dict) else None
        target = discriminator["mapping"].get(name) if isinstance(name, str) else None
        return self.resolve({"$ref": target}) if target else None

    def violations(self, schema, value, at=""):
        """Yields (JSON pointer, reason) for everything in value that breaks the schema."""
        schema = self.resolve(schema)
        for part in schema.get("allOf", []):
            yield from self.violations(part, value, at)
        if value is None:
            if not schema.get("nullable"):
                yield at, "must not be null"
        elif "oneOf" in schema:
            variant = self.variant(schema, value)
            if variant:
                yield from self.violations(variant, value, at)
            elif not isinstance(value, dict):
                yield at, "must be an object"
            else:
                discriminator = schema["discriminator"]
                known = ", ".join(discriminator["mapping"])
                missing = discriminator["propertyName"] not in value
                yield f"{at}/{discriminator['propertyName']}", "is required" if missing else f"must be one of {known}"
        elif "type" in schema:
            yield from getattr(self, "_" + schema["type"])(schema, value, at)
            if "enum" in schema and value not in schema["enum"]:
                yield at, "must be one of " + ", ".join(map(str, schema["enum"]))

    def _object(self, schema, value, at):
        if not isinstance(value, dict):
            yield at, "must be an object"
            return
        properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        for name in schema.get("required", []):
            if name not in value:
                yield f"{at}/{name}", "is required"
        if len(value) > schema.get("maxProperties", len(value)):
            yield at, f"must have at most {schema['maxProperties']} members"
        for name, member in value.items():
            pointer = f"{at}/{escape(name)}"
            if name in properties:
                yield from self.violations(properties[name], member, pointer)
            elif isinstance(others, dict):
                yield from self.violations(others, member, pointer)
            elif not others:
                yield pointer, "is not a member of this object"

    def _array(self, schema, value, at):
        if not isinstance(value, list):
            yield at, "must be an array"
            return
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            yield at, f"must have at most {schema['maxItems']} elements"
        for i, element in enumerate(value):
            yield from self.violations(schema["items"], element, f"{at}/{i}")

    def _boolean(self, schema, value, at):
        if not isinstance(value, bool):
            yield at, "must be true or false"

    def _number(self, schema, value, at):
        if not isinstance(value, Number):
            yield at, "must be a number"
        elif "e" in value.text.lower():
            yield at, "must be in plain notation, without an exponent"
        elif len(value.text.lstrip("-0.").replace(".", "")) > 19 or len(value.text.partition(".")[2]) > 19:
            yield at, "must have at most 19 significant digits and 19 decimals"
        else:
            low, high = schema.get("minimum"), schema.get("maximum")
            if low is not None and (value < low or value == low and schema.get("exclusiveMinimum")):
                yield at, f"must be {'above' if schema.get('exclusiveMinimum') else 'at least'} {low}"
            if high is not None and value > high:
                yield at, f"must be at most {high}"

    def _integer(self, schema, value, at):
        if not isinstance(value, Number) or not re.fullmatch("-?[0-9]+", value.text):
            yield at, "must be an integer"
            return
        bits = 31 if schema.get("format") == "int32" else 63
        if not -(2**bits) <= value < 2**bits:
            yield at, f"must fit into {bits + 1} bits"
            return
        yield from self._number(schema, value, at)

    def _string(self, schema, value, at):
        if not isinstance(value, str):
            yield at, "must be a string"
            return
        if "\0" in value:
            yield at, "must not contain U+0000"
        elif len(value) < schema.get("minLength", 0):
            yield at, f"must have at least {schema['minLength']} characters"
        elif len(value) > schema.get("maxLength", len(value)):
            yield at, f"must have at most {schema['maxLength']} characters"
        elif "pattern" in schema and not self.pattern(schema["pattern"]).search(value):
            yield at, schema.get("x-reason", "does not have the form of the contract")
        elif schema.get("format") in FORMATS and not FORMATS[schema["format"]](value):
            yield at, f"must be of the form {schema['format']}"
        elif "x-text" in schema:
            yield from ((at, reason) for reason in texts.wrong(value, schema["x-text"]))

    def pattern(self, text):
        if text not in self.patterns:
            # In Python $ also matches before a line feed at the end.
            self.patterns[text] = re.compile(re.sub(r"(?<!\\)\$$", r"\\Z", text), re.ASCII)
        return self.patterns[text]

    def normal(self, schema, value):
        """A valid value as a fingerprint has it: defaults added, numbers in plain notation, UUIDs in lower case."""
        schema = self.resolve(schema)
        if "oneOf" in schema:
            schema = self.variant(schema, value)
        if isinstance(value, dict):
            properties, others = schema.get("properties", {}), schema.get("additionalProperties")
            members = dict(value)
            for name, member in properties.items():
                default = self.resolve(member).get("default")
                if default is not None and name not in members:
                    members[name] = default if isinstance(default, (str, bool)) else Number(str(default))
            return {
                name: self.normal(properties.get(name) or (others if isinstance(others, dict) else {}), member)
                for name, member in members.items()
            }
        if isinstance(value, list):
            return [self.normal(schema.get("items", {}), element) for element in value]
        if isinstance(value, Number):
            text = format(value + 0, "f")
            return text.rstrip("0").rstrip(".") if "." in text else text
        if isinstance(value, str) and schema.get("format") == "uuid":
            return value.lower()
        return value


def repeated_members(value, at=""):
    """Yields the pointers of members that were sent twice."""
    if isinstance(value, Object):
        yield from (f"{at}/{escape(name)}" for name in value.twice)
        for name, member in value.items():
            yield from repeated_members(member, f"{at}/{escape(name)}")
    elif isinstance(value, list):
        for i, element in enumerate(value):
            yield from repeated_members(element, f"{at}/{i}")


def percent_decoded(text, where):
    """Decodes %XX; the text of a request line comes as Latin-1."""
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise bad_request((*where, "must be percent-encoded correctly"))
    try:
        return unquote_to_bytes(text.encode("latin-1")).decode("utf-8")
    except UnicodeDecodeError:
        raise bad_request((*where, "must be UTF-8")) from None


def _is_date(text):
    if not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return False
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def _is_ip(text):
    try:
        return "%" not in text and bool(ipaddress.ip_address(text))
    except ValueError:
        return False


def _is_copy(text):
    """A data URI of an image or a PDF with base64 content (D-15), which is no text that a browser executes (D-63)."""
    match = re.match("data:((?i:image/(?!svg)(?!.*xml;)[a-z0-9!#$&^_.+-]+|application/pdf));base64,", text)
    if not match or not _BASE64.fullmatch(text, match.end()):
        return False
    content = base64.b64decode(text[match.end() :])
    return not _WIDE.match(content) and not content.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


_WIDE = re.compile(rb"\xfe\xff|\xff\xfe|(\0\0)?\xfe\xff|\0<\0|\0\0\0<\0")
_BASE64 = re.compile("([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)")

FORMATS = {
    "uuid": re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}").fullmatch,
    "email": re.compile(r"[^@\s\x00-\x1f\x7f]+@[^@\s.\x00-\x1f\x7f]+(\.[^@\s.\x00-\x1f\x7f]+)+").fullmatch,
    "date": _is_date,
    "ip": _is_ip,
    "data-uri": _is_copy,
}
