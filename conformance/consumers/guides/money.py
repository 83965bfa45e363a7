# the block of the guide

assert body == '{"from_amount": 100.00}', body
assert repr(answer["to_amount"]) == "Decimal('13225.00')", answer
