"""Helps Schemathesis to requests that are accepted: formats that it does not know, and keys that are new."""

import itertools
import re

import schemathesis
from hypothesis import strategies as st

schemathesis.openapi.format("ip", st.ip_addresses().map(str))
schemathesis.openapi.format("data-uri", st.just("data:image/png;base64,iVBORw0KGgo="))

numbers = itertools.count()


@schemathesis.hook
def map_headers(context: schemathesis.HookContext, headers: dict | None) -> dict | None:
    """Makes valid keys new, most of the time, or the second request with the key of an example is a conflict."""
    number = next(numbers)
    if headers and number % 8 and re.fullmatch("[A-Za-z0-9-]{1,200}", str(headers.get("X-Idempotency-Key", ""))):
        headers["X-Idempotency-Key"] += f"-{number}"
    return headers
