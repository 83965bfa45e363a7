// the block of the guide

if (body !== '{"from_amount":100.00}' || answer.to_amount.value !== '13225.00') {
  throw new Error(`${body} ${answer.to_amount.value}`)
}
