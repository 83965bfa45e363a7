// A whole payout with openapi-typescript and openapi-fetch, and exact amounts.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { env } from 'node:process'
import type { components } from './exact.js'
import { amount, connect } from './exactly.js'

const api = connect(env['PAYOUTS_URL']!, env['PAYOUTS_CLIENT_ID']!, env['PAYOUTS_CLIENT_SECRET']!)
const key = () => ({ 'X-Idempotency-Key': randomUUID() })

/** done returns the body of a call that must have succeeded. */
async function done<T>(call: Promise<{ data?: T; error?: components['schemas']['Error']; response: Response }>) {
  const { data, error, response } = await call
  if (data === undefined) throw new Error(`${response.status} ${error?.code}: ${JSON.stringify(error?.details)}`)
  return data
}

// A verified sender with an active funding account.
const sender = await done(
  api.POST('/users', {
    params: { header: key() },
    body: {
      first_name: 'Asha',
      last_name: 'Example',
      email: 'asha@example.com',
      country: 'US',
      type: 'SEND',
      virtual_documents: [{ document_value: '000000000', document_type: 'SSN', country: 'US' }],
    },
  }),
)
assert.equal(sender.status, 'UNVERIFIED')
assert.equal(sender.virtual_documents?.[0]?.document_type, 'SSN')

const verified = await done(
  api.POST('/sandbox/users/{user_id}/verification', {
    params: { path: { user_id: sender.id } },
    body: { kyc_status: 'VERIFIED' },
  }),
)
assert.equal(verified.kyc_status, 'VERIFIED')
assert.equal(verified.cip_info['EMAIL'], 'SUBMIT')

const user = { user_id: sender.id }
const fund = await done(
  api.POST('/users/{user_id}/funding-accounts', {
    params: { path: user, header: key() },
    body: { funding_source_type: 'CARD', label: 'Everyday card' },
  }),
)
const active = await done(
  api.POST('/sandbox/users/{user_id}/funding-accounts/{funding_account_id}/status', {
    params: { path: { ...user, funding_account_id: fund.id } },
    body: { status: 'ACTIVE' },
  }),
)
assert.equal(active.status, 'ACTIVE')

// A receive user with a bank account and a wallet.
const receiver = await done(
  api.POST('/users/{user_id}/receive-users', {
    params: { path: user, header: key() },
    body: { first_name: 'Bina', country: 'NP', address_line1: '3 Sample Road', city: 'Kathmandu' },
  }),
)
const receiving = { ...user, receive_user_id: receiver.id }
const [bank] = await done(api.GET('/banks', { params: { query: { country: 'NP' } } }))
assert(bank)
const bankAccount = await done(
  api.POST('/users/{user_id}/receive-users/{receive_user_id}/bank-accounts', {
    params: { path: receiving, header: key() },
    body: { bank_id: bank.id, account_number: '0001234567', currency: 'NPR' },
  }),
)
const payerOf = async (payout_method: 'WALLET' | 'CASH_PICKUP' | 'HOME_DELIVERY') => {
  const [payer] = await done(api.GET('/payers', { params: { query: { country: 'NP', payout_method } } }))
  assert.equal(payer?.delivery_method, payout_method)
  return payer.id
}
const wallet = await done(
  api.POST('/users/{user_id}/receive-users/{receive_user_id}/wallet-accounts', {
    params: { path: receiving, header: key() },
    body: { payer_id: await payerOf('WALLET'), wallet_number: '9800000000', currency: 'NPR' },
  }),
)

// All four payout methods. The first rate has 19 digits, which a double cannot hold.
const send = (body: components['schemas']['TransactionRequest'], header = key()) =>
  api.POST('/users/{user_id}/transactions', { params: { path: user, header }, body })

const currencies = { from_currency: 'USD', to_currency: 'NPR', from_fund_id: fund.id }
const deposit: components['schemas']['TransactionRequest'] = {
  ...currencies,
  from_amount: amount('100.00'),
  exchange_rate: amount('132.2500000000000001'),
  fee_amount: amount('2.50'),
  to: { payout_method: 'BANK_DEPOSIT', id: receiver.id, fund_id: bankAccount.id },
}
const depositKey = key()
const first = await done(send(deposit, depositKey))
assert.equal(first.status, 'INITIATED')
assert.equal(first.to.payout_method, 'BANK_DEPOSIT')
assert.equal(first.to.fund_id, bankAccount.id)
assert.equal(`${first.from_amount} ${first.fee_amount} ${first.to_amount}`, '100.00 2.50 13225.00')
assert.equal(`${first.exchange_rate}`, '132.2500000000000001')
assert.equal(Number(`${first.exchange_rate}`), 132.25) // what a double makes of it

const walletPayout = await done(
  send({
    ...currencies,
    from_amount: amount('50.00'),
    exchange_rate: amount('132.25'),
    to: { payout_method: 'WALLET', id: receiver.id, fund_id: wallet.id },
  }),
)
assert.equal(`${walletPayout.to_amount} ${walletPayout.to.payout_method}`, '6612.50 WALLET')

const pickup = await done(
  send({
    ...currencies,
    from_amount: amount('21.72'),
    to_amount: amount('3000.00'),
    exchange_rate: amount('138.125'),
    to: {
      payout_method: 'CASH_PICKUP',
      calculation_mode: 'RECEIVER_AMOUNT',
      id: receiver.id,
      payer_id: await payerOf('CASH_PICKUP'),
    },
  }),
)
assert.equal(`${pickup.to_amount} ${pickup.to.calculation_mode}`, '3000.00 RECEIVER_AMOUNT')

const delivery = await done(
  send({
    ...currencies,
    from_amount: amount('75.00'),
    exchange_rate: amount('132.25'),
    to: { payout_method: 'HOME_DELIVERY', id: receiver.id, payer_id: await payerOf('HOME_DELIVERY') },
  }),
)
assert.equal(`${delivery.to_amount} ${delivery.to.address_line1}`, '9918.75 3 Sample Road')

// The same key again: the same transaction. With another amount: a conflict.
const again = await send(deposit, depositKey)
assert.equal(again.response.headers.get('Idempotent-Replayed'), 'true')
assert.equal(again.data?.id, first.id)

const conflict = await send({ ...deposit, from_amount: amount('101.00') }, depositKey)
assert.equal(conflict.error?.status, 409)
assert.equal(conflict.error.code, 'IDEMPOTENCY_KEY_REUSED')

// The error names what is wrong: a rule that is not met, and each field of the wrong form.
const noAccount = await send({ ...deposit, to: { payout_method: 'BANK_DEPOSIT', id: receiver.id, fund_id: wallet.id } })
assert.equal(noAccount.error?.status, 422)
assert.equal(noAccount.error.code, 'RECEIVE_ACCOUNT_NOT_FOUND')
assert.equal(noAccount.error.details?.[0]?.field, '/to/fund_id')

const badFields = await api.POST('/users', {
  params: { header: key() },
  body: { first_name: 'Asha', email: 'asha at example.com', country: 'usa' },
})
assert.equal(badFields.error?.status, 400)
assert.deepEqual(badFields.error.details?.map((d) => `${d.in} ${d.field}`).sort(), ['body /country', 'body /email'])

// All transactions, newest first, three on each page.
const listed: string[] = []
for (let cursor: string | undefined; ; ) {
  const query = cursor === undefined ? { limit: 3 } : { limit: 3, cursor }
  const page = await done(api.GET('/users/{user_id}/transactions', { params: { path: user, query } }))
  listed.push(...page.items.map((t) => `${t.id} ${t.from_amount}`))
  cursor = page.next_cursor
  if (cursor === undefined) break
}
assert.deepEqual(listed, [`${delivery.id} 75.00`, `${pickup.id} 21.72`, `${walletPayout.id} 50.00`, `${first.id} 100.00`])

const limit = await done(
  api.GET('/users/{user_id}/transaction-limit', { params: { path: user, query: { destination: 'NP' } } }),
)
assert.equal(`${limit.remaining_limit.daily_limit}`, '753.28')

console.log('four payouts, a replay, a conflict, two refusals, four transactions listed')
