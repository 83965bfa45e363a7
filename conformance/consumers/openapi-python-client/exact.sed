# The generated models hold money as float. Here they hold Decimal, which simplejson writes as a number.
s/^from __future__ import annotations$/&\n\nfrom decimal import Decimal/
s/^\(    [a-z_]*\): float\b/\1: Decimal/
s/^import httpx$/from decimal import Decimal\n\n&\nimport simplejson/
s/response\.json()/response.json(parse_float=Decimal)/
s/_kwargs\["json"\] = \(.*\)$/_kwargs["content"] = simplejson.dumps(\1)/
