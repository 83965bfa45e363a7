// Everything works without this script. It saves a click, copies code, and keeps up with webhooks that are on their way.
'use strict'

// A choice that changes the rest of the form is made at once; without the script, a button makes it.
for (const button of document.querySelectorAll('button[value="choose"]')) {
  button.hidden = true
  for (const select of button.form.querySelectorAll('select[data-choose]')) {
    select.addEventListener('change', () => button.form.requestSubmit(button))
  }
}

for (const code of document.querySelectorAll('pre[data-copy]')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'second copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent)
    button.textContent = 'Copied'
  })
  code.before(button)
}

const live = document.querySelector('[data-live]')
let tries = 0
async function refresh () {
  if (++tries > 20) return
  if (!document.hidden && !live.contains(document.activeElement)) {
    const answer = await fetch(location.href, { headers: { 'X-Console-Part': 'live' } }).catch(() => null)
    if (answer && answer.ok) live.innerHTML = await answer.text()
    if (!live.querySelector('[data-pending]')) return
  }
  setTimeout(refresh, 1000 + 250 * tries)
}
if (live) setTimeout(refresh, 1000)
