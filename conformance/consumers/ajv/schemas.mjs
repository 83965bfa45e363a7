// Compiles the schemas of the contract with Ajv.
import { readFileSync } from 'node:fs'
import Ajv from 'ajv-draft-04' // the dialect of OpenAPI 3.0: exclusiveMinimum is true or false
import addFormats from 'ajv-formats'
import { parse } from 'yaml'

export const contract = parse(readFileSync(process.env.PAYOUTS_CONTRACT, 'utf8'))

const ajv = new Ajv({ allErrors: true, strict: true, strictRequired: true })
addFormats(ajv)
// Formats that Ajv does not know. Of an exact decimal it sees a double.
const ip = ['ipv4', 'ipv6'].map((name) => ajv.formats[name])
ajv.addFormat('ip', (s) => ip.some((format) => format.test(s)))
ajv.addFormat('data-uri', /^data:(image\/[a-z0-9+.-]+|application\/pdf);base64,([a-z0-9+/]{4})*([a-z0-9+/]{2}(==|[a-z0-9+/]=)|[a-z0-9+/]{4})$/i)
ajv.addFormat('decimal', { type: 'number', validate: () => true })
ajv.addVocabulary(['components'])
ajv.addSchema(standard({ components: { schemas: contract.components.schemas } }), 'contract')

/** standard returns a schema without what only OpenAPI has. A discriminator is a hint: the oneOf says the same. */
function standard(schema) {
  if (Array.isArray(schema)) return schema.map(standard)
  if (schema === null || typeof schema !== 'object') return schema
  const out = {}
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'properties' || name === 'schemas') {
      out[name] = Object.fromEntries(Object.entries(value).map(([member, s]) => [member, standard(s)]))
    } else if (name === '$ref') {
      out[name] = `contract${value}`
    } else if (!name.startsWith('x-') && !['example', 'discriminator', 'deprecated'].includes(name)) {
      out[name] = name === 'enum' || name === 'default' ? value : standard(value)
    }
  }
  return out
}

const compiled = new Map()

/** judge returns what is wrong with a value, '' if nothing is. */
export function judge(schema, value) {
  let validate = compiled.get(schema)
  if (!validate) compiled.set(schema, (validate = ajv.compile(standard(schema))))
  return validate(value) ? '' : ajv.errorsText(validate.errors, { dataVar: '' })
}

/** resolved follows a reference within the contract. */
export function resolved(node) {
  if (node?.$ref === undefined) return node
  return node.$ref.slice(2).split('/').reduce((at, name) => at[name.replaceAll('~1', '/').replaceAll('~0', '~')], contract)
}

/** operations lists the operations with the parameters of their path. */
export function operations() {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    ['get', 'post', 'put', 'patch', 'delete'].filter((method) => item[method]).map((method) => ({
      method,
      path,
      ...item[method],
      parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])].map(resolved),
    })),
  )
}

/** examplesOf lists the examples of a parameter, header or content. */
export function examplesOf(node) {
  const named = Object.entries(node.examples ?? {}).map(([name, e]) => ({ name, value: resolved(e).value }))
  return node.example === undefined ? named : [{ name: 'example', value: node.example }, ...named]
}
