// Pays the records of a file, and prints the final word of each.
import { readFileSync } from 'node:fs'

// the block of the guide

const [file, base] = process.argv.slice(2) as [string, string]
for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
  const record = JSON.parse(line)
  console.log(...Object.values(await pay(base + record.path, record.headers, record.body, 4)))
}
