// Judges every example of the contract: of bodies, parameters, headers and schemas.
import { contract, examplesOf, judge, operations, resolved } from './schemas.mjs'

let examples = 0
const wrong = []

function check(where, schema, value) {
  examples++
  const found = judge(schema, value)
  if (found) wrong.push(`${where}: ${found}`)
}

function checkContent(where, holder) {
  for (const [type, content] of Object.entries(holder?.content ?? {})) {
    const all = examplesOf(content)
    if (all.length === 0) wrong.push(`${where} has no example of ${type}`)
    for (const { name, value } of all) check(`${where} ${name}`, content.schema, value)
  }
}

function checkResponse(where, response) {
  checkContent(where, response)
  for (const [name, header] of Object.entries(response.headers ?? {})) {
    for (const { value } of examplesOf(resolved(header))) check(`${where} ${name}`, resolved(header).schema, value)
  }
}

for (const op of operations()) {
  for (const p of op.parameters) {
    for (const { name, value } of examplesOf(p)) check(`${op.operationId} ${p.name} ${name}`, p.schema, value)
  }
  checkContent(op.operationId, resolved(op.requestBody))
  for (const [status, response] of Object.entries(op.responses)) {
    checkResponse(`${op.operationId} ${status}`, resolved(response))
  }
}
for (const [name, response] of Object.entries(contract.components.responses)) checkResponse(name, response)

function checkSchema(where, schema) {
  if (schema.example !== undefined) check(where, schema, schema.example)
  for (const [name, s] of Object.entries(schema.properties ?? {})) checkSchema(`${where}.${name}`, s)
}
for (const [name, schema] of Object.entries(contract.components.schemas)) checkSchema(name, schema)

for (const line of wrong) console.log(line)
console.log(`${examples} examples, ${wrong.length} wrong`)
process.exit(wrong.length > 0 || examples < 200 ? 1 : 0)
