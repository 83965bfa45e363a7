// Runs the TypeScript story through `prism proxy`.
import { spawnSync } from 'node:child_process'
import { start } from './prism.mjs'

const prism = await start('proxy', process.env.PAYOUTS_CONTRACT, process.env.PAYOUTS_URL)
const { status } = spawnSync('node', ['--import', './record.mjs', 'story.ts'], {
  stdio: 'inherit',
  env: { ...process.env, PAYOUTS_URL: prism.url, PAYOUTS_THROUGH_DOUBLES: 'true' },
})
prism.stop()
process.exit(status ?? 1)
