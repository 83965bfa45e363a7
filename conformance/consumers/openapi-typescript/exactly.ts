import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json'
import createClient from 'openapi-fetch'
import type { paths } from './exact.js'

/** amount is the number with exactly these digits: amount('100.00') is sent as 100.00. */
export const amount = (digits: string) => new LosslessNumber(digits)

const money = /_amount$|_limit$|_rate$/

/** ExactResponse reads money as LosslessNumber. Other numbers are identifiers, counts and statuses. */
class ExactResponse extends Response {
  override async json() {
    return parse(await this.text(), (name, value) =>
      isLosslessNumber(value) && !money.test(name) ? value.valueOf() : value,
    )
  }
}

/** connect returns a client that keeps all digits of a LosslessNumber. */
export function connect(baseUrl: string, clientId: string, clientSecret: string) {
  return createClient<paths>({
    baseUrl,
    headers: { 'X-Client-Id': clientId, 'X-Client-Secret': clientSecret },
    bodySerializer: (body) => stringify(body),
    fetch: async (request) => {
      const response = await fetch(request)
      const body = await response.text()
      // openapi-fetch calls json() if there is a Content-Length; otherwise JSON.parse, which reads doubles.
      const headers = new Headers(response.headers)
      headers.set('Content-Length', `${body.length}`)
      return new ExactResponse(body, { status: response.status, headers })
    },
  })
}
