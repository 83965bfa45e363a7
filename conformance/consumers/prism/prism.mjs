// Starts Prism on a free port. What it says goes to prism.log.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

/** start returns the address of Prism and a function that ends it. */
export async function start(...args) {
  const port = await freePort()
  const log = openSync('prism.log', 'w')
  const prism = spawn('prism', [...args, '--port', port], { stdio: ['ignore', log, log] })
  while (!readFileSync('prism.log', 'utf8').includes('is listening')) {
    if (prism.exitCode !== null) throw new Error(readFileSync('prism.log', 'utf8'))
    await setTimeout(100)
  }
  return { url: `http://127.0.0.1:${port}`, stop: () => prism.kill() }
}
