// What happens to amounts without any of this: the plain types have number, which is a double.
import assert from 'node:assert/strict'
import { env } from 'node:process'
import createClient from 'openapi-fetch'
import type { components, paths } from './plain.ts'

const api = createClient<paths>({
  baseUrl: env['PAYOUTS_URL']!,
  headers: { 'X-Client-Id': env['PAYOUTS_CLIENT_ID']!, 'X-Client-Secret': env['PAYOUTS_CLIENT_SECRET']! },
})

const { data: sender } = await api.POST('/users', {
  body: { first_name: 'Asha', email: 'asha@example.com', country: 'US', type: 'SEND' },
})
assert(sender)
const transaction: components['schemas']['TransactionRequest'] = {
  from_amount: 0.1 + 0.2,
  exchange_rate: 132.25,
  from_currency: 'USD',
  to_currency: 'NPR',
  from_fund_id: sender.id, // of no account: nothing may be created
  to: { payout_method: 'CASH_PICKUP', id: sender.id, payer_id: 1001 },
}
const send = (body: typeof transaction) =>
  api.POST('/users/{user_id}/transactions', { params: { path: { user_id: sender.id } }, body })

// 0.1 + 0.2 is 0.30000000000000004 as a double. The service refuses it; it never rounds.
const sum = await send(transaction)
assert.equal(sum.error?.code, 'BAD_REQUEST')
assert.equal(sum.error.details?.[0]?.field, '/from_amount')

// An amount that was never computed with is sent with its digits.
const literal = await send({ ...transaction, from_amount: 0.3 })
assert.equal(literal.error?.status, 422)

console.log('a computed double is refused, a literal is not')
