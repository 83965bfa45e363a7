// Writes exact.ts: the types of the contract, with string instead of number wherever the contract has an exact decimal.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'

const string = ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword)
const types = await openapiTS(pathToFileURL(resolve(process.argv[2])), {
  transform: (schema) => (schema.format === 'decimal' ? string : undefined),
})
writeFileSync('exact.ts', astToString(types))
