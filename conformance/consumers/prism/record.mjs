// Loaded before the story, which runs through `prism proxy`. Prism names what breaks the contract in the header
// sl-violations. No answer may break it, and no request that the service accepts; one that Prism refuses must be
// refused by the service, with 400.
const send = globalThis.fetch
let exchanges = 0
const wrong = []

globalThis.fetch = async (...args) => {
  const response = await send(...args)
  exchanges++
  const found = JSON.parse(response.headers.get('sl-violations') ?? '[]')
  for (const { location, message } of found) {
    if (location[0] !== 'request' || response.status !== 400) wrong.push(`${response.status} ${location.join('.')}: ${message}`)
  }
  if (response.status === 400 && found.length === 0) wrong.push('a 400 for a request that Prism accepts')
  return response
}

process.on('exit', () => {
  if (exchanges < 20) wrong.push(`only ${exchanges} exchanges went through Prism`)
  for (const line of wrong) console.log(line)
  console.log(`proxy: ${exchanges} exchanges, ${wrong.length} unexpected violations`)
  if (wrong.length > 0) process.exitCode = 1
})
