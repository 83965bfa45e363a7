// Sends every example of a request to `prism mock --errors`, which refuses what breaks the contract, and asks for every
// example of a response. What the mock answers must keep the schema.
import { start } from './prism.mjs'
import { examplesOf, judge, operations, resolved } from './schemas.mjs'

const prism = await start('mock', '--errors', process.env.PAYOUTS_CONTRACT)
const wrong = []
const asked = new Set() // responses that several operations share
let answers = 0

async function send(op, body, prefer) {
  const first = (p) => encodeURIComponent(examplesOf(p)[0].value)
  const path = op.path.replace(/\{(\w+)\}/g, (_, name) => first(op.parameters.find((p) => p.in === 'path' && p.name === name)))
  const query = op.parameters.filter((p) => p.in === 'query').map((p) => `${p.name}=${first(p)}`)
  const headers = { 'X-Client-Id': 'id', 'X-Client-Secret': 'secret', Prefer: prefer }
  for (const p of op.parameters.filter((p) => p.in === 'header')) headers[p.name] = examplesOf(p)[0].value
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  return fetch(`${prism.url}${path}?${query.join('&')}`, { method: op.method.toUpperCase(), headers, body: JSON.stringify(body) })
}

async function expectAnswer(op, example, status, prefer) {
  const where = `${op.operationId} ${example.name}, ${prefer}`
  const response = await send(op, example.value, prefer)
  const text = await response.text()
  answers++
  if (response.status !== +status) {
    wrong.push(`${where}: ${response.status} ${text}`)
    return
  }
  const found = judge(resolved(op.responses[status]).content['application/json'].schema, JSON.parse(text))
  if (found) wrong.push(`${where}: the body is wrong: ${found}`)
}

try {
  for (const op of operations()) {
    const content = op.requestBody?.content['application/json']
    const requests = content ? examplesOf(content) : [{ name: 'request' }]
    for (const request of requests) {
      await expectAnswer(op, request, '200', 'code=200')
    }
    for (const [status, response] of Object.entries(op.responses)) {
      if (asked.has(resolved(response))) continue
      asked.add(resolved(response))
      const body = resolved(response).content // none in a 304
      for (const { name } of body ? examplesOf(body['application/json']) : []) {
        await expectAnswer(op, requests[0], status, `code=${status}, example=${name}`)
      }
    }
    if (content) {
      const refused = await send(op, { conformance: true }, 'code=200')
      if (refused.status < 400) wrong.push(`${op.operationId}: a body with an unknown member is accepted`)
    }
  }
} finally {
  prism.stop()
}
for (const line of wrong) console.log(line)
console.log(`mock: ${answers} answers, ${wrong.length} wrong`)
process.exit(wrong.length > 0 || answers < 80 ? 1 : 0)
