// Judges the bodies of corpus.jsonl as our contract package did. Ajv may differ in the classes below only; each must be
// seen, so that the list stays true.
import { readFileSync } from 'node:fs'
import { judge, operations } from './schemas.mjs'

// What Ajv accepts although ours refuses it, by the reason of ours.
const beyondAjv = [
  // JSON.parse makes a double of a number: its notation and its last digits are gone.
  { name: 'exponents, and more than 19 digits', reason: /^must be a plain decimal number with at most 19 significant digits$/ },
  { name: '3.0 for an integer', reason: /^must be an integer$/ },
  { name: 'a bound exceeded by less than a double shows', reason: /^must be at most 1000000000000$/, body: /:1000000000000\.000001\D/ },
  // JSON Schema has no rule for characters that depends on those beside them.
  { name: 'texts that deceive a reader (x-text)', reason: /^must (have a visible character|not contain invisible characters|have joiners)/ },
  // JSON.parse takes the last of two members with one name; ours refuses both.
  { name: 'repeated members', reason: /^must not be repeated$/ },
]

// What Ajv refuses although ours accepts it. The email of ajv-formats is ASCII (RFC 5322), ours is not (RFC 6531).
const beyondOurs = {
  name: 'an email address outside of ASCII',
  found: /^\/email must match format "email"$/,
  body: /"email":"[^"]*[^\x00-\x7f]/,
}

const schemas = Object.fromEntries(
  operations().map((op) => [op.operationId, op.requestBody?.content['application/json'].schema]),
)
const counts = { accepted: 0, refused: 0 }
const seen = new Map([...beyondAjv, beyondOurs].map(({ name }) => [name, 0]))
const wrong = []

for (const line of readFileSync('corpus.jsonl', 'utf8').trimEnd().split('\n')) {
  const { operation, body, reasons } = JSON.parse(line)
  let found
  try {
    found = judge(schemas[operation], JSON.parse(body))
  } catch (e) {
    found = e.message
  }
  counts[reasons.length > 0 ? 'refused' : 'accepted']++
  if ((found !== '') === reasons.length > 0) continue
  const classes = reasons.map((reason) => beyondAjv.find((c) => c.reason.test(reason) && (!c.body || c.body.test(body))))
  if (reasons.length === 0 && beyondOurs.found.test(found) && beyondOurs.body.test(body)) classes.push(beyondOurs)
  if (classes.length > 0 && classes.every((c) => c)) {
    for (const { name } of new Set(classes)) seen.set(name, seen.get(name) + 1)
  } else {
    wrong.push(`${operation} ${body}\n  ours: ${reasons.join(', ') || 'accepted'}\n  Ajv: ${found || 'accepted'}`)
  }
}
for (const [name, count] of seen) {
  console.log(`${count} known differences: ${name}`)
  if (count === 0) wrong.push(`no body shows the difference "${name}"`)
}
if (counts.accepted < 300 || counts.refused < 300) wrong.push('the corpus is lopsided')
for (const line of wrong.slice(0, 20)) console.log(line)
console.log(`${counts.accepted} valid and ${counts.refused} invalid bodies, ${wrong.length} other differences`)
process.exit(wrong.length > 0 ? 1 : 0)
