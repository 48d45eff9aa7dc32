// A fixed piece of work of the kinds that the tests do, timed before them: what the tests may cost is said in seconds of one machine, and this
// tells how much slower or quicker another is. Run as a program, it prints that factor.
import { createHash, generateKeyPairSync, sign, verify } from 'node:crypto'
import { fileURLToPath } from 'node:url'

/** Processor seconds of one round on the machine for whose seconds the budgets are said. */
const usual = 0.1
const rounds = 5

/** Takes the median, because the first round also compiles, and any may be disturbed. A quicker machine has the same budgets: half a second of work says too little of one to demand more of it. */
export function speedFactor() {
  const seconds = Array.from({ length: rounds }, secondsOfRound).sort((a, b) => a - b)
  return Math.max(1, seconds[Math.floor(rounds / 2)] / usual)
}

function secondsOfRound() {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

/** Signs and hashes as a certificate authority does, and builds, writes, reads and searches text as a console does. */
function work() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const rows = []
  for (let at = 0; at < 400; at += 1) {
    const digest = createHash('sha256').update(`row ${at}`).digest()
    const signature = sign('sha256', digest, privateKey)
    if (!verify('sha256', digest, publicKey, signature)) throw new Error('A signature of the reference does not verify')
    rows.push({ at, name: `host${at}.example.org`, digest: digest.toString('hex'), tags: [`tag ${at % 7}`, `tag ${at % 11}`] })
  }
  for (let turn = 0; turn < 60; turn += 1) {
    const read = JSON.parse(JSON.stringify(rows))
    const byTag = new Map()
    for (const row of read) for (const tag of row.tags) byTag.set(tag, [...(byTag.get(tag) ?? []), row.name])
    const found = read.filter(({ name }) => /^host\d*7\./.test(name)).map((row) => ({ ...row, name: row.name.toUpperCase() }))
    found.sort((a, b) => (a.digest < b.digest ? -1 : 1))
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(speedFactor().toFixed(3))
