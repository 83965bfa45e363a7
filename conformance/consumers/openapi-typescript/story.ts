// A whole payout with openapi-typescript and openapi-fetch, and exact amounts.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { env } from 'node:process'
import type { components } from './exact.ts'
import { connect } from './exactly.ts'

const api = connect(env['PAYOUTS_URL']!, env['PAYOUTS_CLIENT_ID']!, env['PAYOUTS_CLIENT_SECRET']!)
// A proxy that reads and writes bodies keeps doubles only; the story also runs through such a one.
const digits: (amount: string) => string | number = env['PAYOUTS_THROUGH_DOUBLES'] ? Number : String
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
  from_amount: '100.00',
  exchange_rate: '132.2500000000000001',
  fee_amount: '2.50',
  to: { payout_method: 'BANK_DEPOSIT', id: receiver.id, fund_id: bankAccount.id },
}
const depositKey = key()
const first = await done(send(deposit, depositKey))
assert.equal(first.status, 'INITIATED')
assert.equal(first.to.payout_method, 'BANK_DEPOSIT')
assert.equal(first.to.fund_id, bankAccount.id)
assert.equal(digits(first.from_amount), digits('100.00'))
assert.equal(digits(first.fee_amount), digits('2.50'))
assert.equal(digits(first.to_amount), digits('13225.00'))
assert.equal(digits(first.exchange_rate), digits('132.2500000000000001'))

const walletPayout = await done(
  send({
    ...currencies,
    from_amount: '50.00',
    exchange_rate: '132.25',
    to: { payout_method: 'WALLET', id: receiver.id, fund_id: wallet.id },
  }),
)
assert.equal(digits(walletPayout.to_amount), digits('6612.50'))
assert.equal(walletPayout.to.payout_method, 'WALLET')

const pickup = await done(
  send({
    ...currencies,
    from_amount: '21.72',
    to_amount: '3000.00',
    exchange_rate: '138.125',
    to: {
      payout_method: 'CASH_PICKUP',
      calculation_mode: 'RECEIVER_AMOUNT',
      id: receiver.id,
      payer_id: await payerOf('CASH_PICKUP'),
    },
  }),
)
assert.equal(digits(pickup.to_amount), digits('3000.00'))
assert.equal(pickup.to.calculation_mode, 'RECEIVER_AMOUNT')

const delivery = await done(
  send({
    ...currencies,
    from_amount: '75.00',
    exchange_rate: '132.25',
    to: { payout_method: 'HOME_DELIVERY', id: receiver.id, payer_id: await payerOf('HOME_DELIVERY') },
  }),
)
assert.equal(digits(delivery.to_amount), digits('9918.75'))
assert.equal(delivery.to.address_line1, '3 Sample Road')

// The same key again: the same transaction. With another amount: a conflict.
const again = await send(deposit, depositKey)
assert.equal(again.response.headers.get('Idempotent-Replayed'), 'true')
assert.equal(again.data?.id, first.id)

const conflict = await send({ ...deposit, from_amount: '101.00' }, depositKey)
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
  listed.push(...page.items.map((t) => t.id))
  cursor = page.next_cursor
  if (cursor === undefined) break
}
assert.deepEqual(listed, [delivery.id, pickup.id, walletPayout.id, first.id])

const limit = await done(
  api.GET('/users/{user_id}/transaction-limit', { params: { path: user, query: { destination: 'NP' } } }),
)
assert.equal(digits(limit.remaining_limit.daily_limit), digits('753.28'))

console.log('four payouts, a replay, a conflict, two refusals, four transactions listed')
