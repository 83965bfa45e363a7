import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json'
import createClient from 'openapi-fetch'
import type { paths } from './exact.ts'

// The names of amounts, limits and rates. All other numbers are identifiers, counts and statuses.
const money = /_(amount|limit|rate)$/

class ExactResponse extends Response {
  override async json() {
    return parse(await this.text(), (name, value) =>
      isLosslessNumber(value) ? (money.test(name) ? value.value : value.valueOf()) : value,
    )
  }
}

/** connect returns a client for which money is a string with all its digits: '100.00' is sent as the number 100.00. */
export function connect(baseUrl: string, clientId: string, clientSecret: string) {
  return createClient<paths>({
    baseUrl,
    headers: { 'X-Client-Id': clientId, 'X-Client-Secret': clientSecret },
    bodySerializer: (body) =>
      stringify(body, (name, value) =>
        typeof value === 'string' && money.test(name) ? new LosslessNumber(value) : value,
      ),
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
