// Receives webhooks, and verifies them with the library of Standard Webhooks.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

interface Received {
  headers: Record<string, string>
  body: string
}

const base = process.env['PAYOUTS_URL']
const credentials = {
  'X-Client-Id': process.env['PAYOUTS_CLIENT_ID'] ?? '',
  'X-Client-Secret': process.env['PAYOUTS_CLIENT_SECRET'] ?? '',
}

async function call(method: string, path: string, body?: object): Promise<string> {
  const answer = await fetch(base + path, {
    method,
    headers: { ...credentials, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  return text
}

const inbox: Received[] = []
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    inbox.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks).toString() })
    response.writeHead(204).end()
  })
})
await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))

/** Returns the webhook with an event of this type, once it is there. */
async function received(type: string): Promise<Received> {
  for (const end = Date.now() + 30_000; Date.now() < end; ) {
    const found = inbox.findIndex((webhook) => JSON.parse(webhook.body).type === type)
    if (found >= 0) return inbox.splice(found, 1)[0]!
    await new Promise((again) => setTimeout(again, 20))
  }
  throw new Error(`no webhook of type ${type} arrives`)
}

function rejected(webhook: Received, secret: string, why: string): void {
  assert.throws(() => new Webhook(secret).verify(webhook.body, webhook.headers), WebhookVerificationError, why)
}

const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`
const endpoint = JSON.parse(await call('POST', '/webhook-endpoints', { url }))

// An event: what is verified is what the feed has.
const user = JSON.parse(await call('POST', '/users', {
  first_name: 'Åsa', email: 'asa@example.com', country: 'US', state: 'CA', type: 'SEND',
}))
await call('POST', `/sandbox/users/${user.id}/verification`, { kyc_status: 'VERIFIED' })
const changed = await received('user.status_changed')
const event = new Webhook(endpoint.secret).verify(changed.body, changed.headers) as { id: string; data: { user: { id: string } } }
assert.equal(event.data.user.id, user.id)
assert.equal(changed.headers['webhook-id'], event.id)
assert.equal((await call('GET', `/events/${event.id}`)).trim(), changed.body)

// What was changed on its way.
rejected({ ...changed, body: changed.body.replace('VERIFIED', 'SUSPENDED') }, endpoint.secret, 'another body')
rejected({ ...changed, body: changed.body + ' ' }, endpoint.secret, 'a longer body')
rejected({ ...changed, headers: { ...changed.headers, 'webhook-id': user.id } }, endpoint.secret, 'another id')
const later = String(Number(changed.headers['webhook-timestamp']) + 1)
rejected({ ...changed, headers: { ...changed.headers, 'webhook-timestamp': later } }, endpoint.secret, 'another time')
const old = new Date(Date.now() - 6 * 60_000)
rejected({
  body: changed.body,
  headers: {
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(old.getTime() / 1000)),
    'webhook-signature': new Webhook(endpoint.secret).sign(event.id, old, changed.body),
  },
}, endpoint.secret, 'six minutes old')

// While the secret is replaced, both sign.
const { secret } = JSON.parse(await call('POST', `/webhook-endpoints/${endpoint.id}/secret`))
rejected(changed, secret, 'the new secret did not sign before')
await call('POST', `/webhook-endpoints/${endpoint.id}/test`)
const ping = await received('ping')
assert.equal(ping.headers['webhook-signature']?.split(' ').length, 2)
for (const each of [endpoint.secret, secret]) {
  assert.equal((new Webhook(each).verify(ping.body, ping.headers) as { type: string }).type, 'ping')
  rejected({ ...ping, body: ping.body.replace('ping', 'pong') }, each, 'another body during the rotation')
}
rejected(ping, 'whsec_' + Buffer.alloc(32).toString('base64'), 'a third secret')
receiver.close()
receiver.closeAllConnections()
