// Writes exact.ts: the types of the contract, with LosslessNumber instead of number wherever the contract has an exact
// decimal. `openapi-typescript openapi.yaml -o plain.ts`, without a program, makes them number.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'

const decimal = ts.factory.createTypeReferenceNode('LosslessNumber')
const types = await openapiTS(pathToFileURL(resolve(process.argv[2])), {
  inject: "import type { LosslessNumber } from 'lossless-json'",
  transform: (schema) => (schema.format === 'decimal' ? decimal : undefined),
})
writeFileSync('exact.ts', astToString(types))
