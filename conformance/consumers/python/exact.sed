# The generated models hold Decimal, but the client reads JSON numbers as floats, which the models refuse, and sends
# Decimal as a string, which the service refuses. simplejson reads and writes Decimal as a number.
s/^import json$/import json\nimport simplejson/
s/json\.loads(response_text)/simplejson.loads(response_text, use_decimal=True)/
s/request_body = json\.dumps(body)/request_body = simplejson.dumps(body)/
/isinstance(obj, decimal\.Decimal):/{n;s/str(obj)/obj/}
# A whole number in JSON is an int, which strict models refuse as Decimal.
s/Annotated\[Decimal, Field(\(.*\)strict=True, \(.*\))\]/Annotated[Decimal, Field(\1\2)]/
# A default is an int too.
s/: Optional\[Annotated\[Decimal, \(.*\)default=\([0-9.]*\),/: Optional[Annotated[Decimal, \1default=Decimal(\2),/
