// A whole payout with the typescript-fetch client of openapi-generator.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { env } from 'node:process'
import { LosslessNumber, parse, stringify } from 'lossless-json'
import {
  AccountsApi,
  Configuration,
  ModelErrorFromJSON,
  ReferenceDataApi,
  ResponseError,
  SandboxApi,
  TransactionsApi,
  UsersApi,
  type TransactionRequest,
} from './generated/index.js'

const credentials: Record<string, string> = {
  'X-Client-Id': env['PAYOUTS_CLIENT_ID']!,
  'X-Client-Secret': env['PAYOUTS_CLIENT_SECRET']!,
}
const configuration = new Configuration({
  basePath: env['PAYOUTS_URL']!,
  apiKey: (name) => credentials[name]!,
})
const reference = new ReferenceDataApi(configuration)
const users = new UsersApi(configuration)
const accounts = new AccountsApi(configuration)
const transactions = new TransactionsApi(configuration)
const sandbox = new SandboxApi(configuration)

/** refusal returns the error of a call that must have failed. */
async function refusal(call: Promise<unknown>) {
  try {
    await call
  } catch (e) {
    if (e instanceof ResponseError) return ModelErrorFromJSON(await e.response.json())
    throw e
  }
  throw new Error('the call succeeded')
}

// A verified sender with an active funding account.
const sender = await users.createUser({
  xIdempotencyKey: randomUUID(),
  userRequest: {
    first_name: 'Asha',
    last_name: 'Example',
    email: 'asha@example.com',
    country: 'US',
    type: 'SEND',
    date_of_birth: '1990-04-12',
    virtual_documents: [{ document_value: '000000000', document_type: 'SSN', country: 'US' }],
  },
})
assert.equal(sender.status, 'UNVERIFIED')
assert.equal(sender.date_of_birth, '1990-04-12')
assert.equal(sender.virtual_documents?.[0]?.document_type, 'SSN')

const userId = sender.id
const verified = await sandbox.setVerification({ userId, verificationRequest: { kyc_status: 'VERIFIED' } })
assert.equal(verified.kyc_status, 'VERIFIED')
assert.equal(verified.cip_info['EMAIL'], 'SUBMIT')

const fund = await accounts.createFundingAccount({
  userId,
  xIdempotencyKey: randomUUID(),
  fundingAccountRequest: { funding_source_type: 'CARD', label: 'Everyday card' },
})
const active = await sandbox.setFundingAccountStatus({
  userId,
  fundingAccountId: fund.id,
  fundingAccountStatusRequest: { status: 'ACTIVE' },
})
assert.equal(active.status, 'ACTIVE')

// A receive user with a bank account and a wallet.
const receiver = await accounts.createReceiveUser({
  userId,
  xIdempotencyKey: randomUUID(),
  receiveUserRequest: { first_name: 'Bina', country: 'NP', address_line1: '3 Sample Road', city: 'Kathmandu' },
})
const [bank] = await reference.listBanks({ country: 'NP' })
assert(bank)
const bankAccount = await accounts.createBankAccount({
  userId,
  receiveUserId: receiver.id,
  xIdempotencyKey: randomUUID(),
  bankAccountRequest: { bank_id: bank.id, account_number: '0001234567', currency: 'NPR' },
})
const payerOf = async (payoutMethod: 'WALLET' | 'CASH_PICKUP' | 'HOME_DELIVERY') => {
  const [payer] = await reference.listPayers({ country: 'NP', payoutMethod })
  assert.equal(payer?.delivery_method, payoutMethod)
  return payer.id
}
const wallet = await accounts.createWalletAccount({
  userId,
  receiveUserId: receiver.id,
  xIdempotencyKey: randomUUID(),
  walletAccountRequest: { payer_id: await payerOf('WALLET'), wallet_number: '9800000000', currency: 'NPR' },
})

// All four payout methods. Amounts are numbers here; they compare equal with any number of zeros at the end.
const send = (transactionRequest: TransactionRequest, xIdempotencyKey: string = randomUUID()) =>
  transactions.createTransaction({ userId, transactionRequest, xIdempotencyKey })

const currencies = { from_currency: 'USD', to_currency: 'NPR', from_fund_id: fund.id }
const deposit: TransactionRequest = {
  ...currencies,
  from_amount: 100,
  exchange_rate: 132.25,
  fee_amount: 2.5,
  to: { payout_method: 'BANK_DEPOSIT', id: receiver.id, fund_id: bankAccount.id },
}
const key = randomUUID()
const first = await send(deposit, key)
assert.deepEqual([first.status, first.to.payout_method], ['INITIATED', 'BANK_DEPOSIT'])
assert.deepEqual([first.from_amount, first.fee_amount, first.to_amount], [100, 2.5, 13225])

const walletPayout = await send({
  ...currencies,
  from_amount: 50,
  exchange_rate: 132.25,
  to: { payout_method: 'WALLET', id: receiver.id, fund_id: wallet.id },
})
assert.deepEqual([walletPayout.to_amount, walletPayout.to.payout_method], [6612.5, 'WALLET'])

const pickup = await send({
  ...currencies,
  from_amount: 21.72,
  to_amount: 3000,
  exchange_rate: 138.125,
  to: {
    payout_method: 'CASH_PICKUP',
    calculation_mode: 'RECEIVER_AMOUNT',
    id: receiver.id,
    payer_id: await payerOf('CASH_PICKUP'),
  },
})
assert.deepEqual([pickup.to_amount, pickup.to.calculation_mode], [3000, 'RECEIVER_AMOUNT'])

const delivery = await send({
  ...currencies,
  from_amount: 75,
  exchange_rate: 132.25,
  to: { payout_method: 'HOME_DELIVERY', id: receiver.id, payer_id: await payerOf('HOME_DELIVERY') },
})
assert.deepEqual([delivery.to_amount, delivery.to.address_line1], [9918.75, '3 Sample Road'])

// The same key again: the same transaction. With another amount: a conflict.
const again = await transactions.createTransactionRaw({ userId, transactionRequest: deposit, xIdempotencyKey: key })
assert.equal(again.raw.headers.get('Idempotent-Replayed'), 'true')
assert.equal((await again.value()).id, first.id)

const conflict = await refusal(send({ ...deposit, from_amount: 101 }, key))
assert.deepEqual([conflict.status, conflict.code], [409, 'IDEMPOTENCY_KEY_REUSED'])

// The error names what is wrong: a rule that is not met, and each field of the wrong form.
const noAccount = await refusal(send({ ...deposit, to: { ...deposit.to, fund_id: wallet.id } as typeof deposit.to }))
assert.deepEqual([noAccount.status, noAccount.code], [422, 'RECEIVE_ACCOUNT_NOT_FOUND'])
assert.equal(noAccount.details?.[0]?.field, '/to/fund_id')

const badFields = await refusal(
  users.createUser({ userRequest: { first_name: 'Asha', email: 'asha at example.com', country: 'usa' } }),
)
assert.equal(badFields.status, 400)
assert.deepEqual(badFields.details?.map((d) => `${d._in} ${d.field}`).sort(), ['body /country', 'body /email'])

// A computed double has digits that nobody meant; the service refuses them, and never rounds.
const computed = await refusal(send({ ...deposit, from_amount: 0.1 + 0.2 }))
assert.equal(computed.details?.[0]?.field, '/from_amount')
const rounded = await send({ ...deposit, from_amount: Number((0.1 + 0.2).toFixed(2)) })
assert.equal(rounded.from_amount, 0.3)

// More than 15 digits, for example of a rate: the body is written and read with lossless-json.
const precise = await transactions.createTransactionRaw(
  { userId, transactionRequest: deposit, xIdempotencyKey: randomUUID() },
  async ({ init }) => {
    const body = stringify({ ...init.body, exchange_rate: new LosslessNumber('132.2500000000000001') })
    return { body: new Blob([body!]) }
  },
)
const { exchange_rate } = parse(await precise.raw.text()) as { exchange_rate: LosslessNumber }
assert.equal(exchange_rate.value, '132.2500000000000001')

// All transactions, newest first, four on each page.
const listed: number[] = []
for (let cursor: string | undefined; ; ) {
  const page = await transactions.listTransactions({ userId, limit: 4, ...(cursor && { cursor }) })
  listed.push(...page.items.map((t) => t.from_amount))
  cursor = page.next_cursor
  if (cursor === undefined) break
}
assert.deepEqual(listed, [100, 0.3, 75, 21.72, 50, 100])

const { remaining_limit } = await users.getTransactionLimit({ userId, destination: 'NP' })
assert.equal(remaining_limit.daily_limit, 652.98)

console.log('six payouts, a replay, a conflict, three refusals, six transactions listed')
