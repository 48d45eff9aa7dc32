// A revocation list of a million, from the rows in the database to the last byte of the file that a relying party fetches: made anew by the call
// of the console, recorded, signed, stored and served by the real server with fsync. Beside it `openssl ca -gencrl` at 100,000, on an index that
// is in its file already. What is revoked is written straight into the tables, as the revocations themselves are not what is measured. Both sides are
// timed by the clock, each on the same core. Before each list one more is revoked, so that none is like the one before. Memory is what the server has resident at most while the list of a million is made and fetched, the 65 MB of
// Node's own program among it.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { authorities } from '#areas/authorities/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { openCrashServer, type CrashServer } from '#core/testing/crash-server.ts'
import { setUpSite, type CrashSite } from '#core/testing/crash-site.ts'
import { forgetHighestMemory, highestMemory, keepOnCore, median, onCore, rounded } from './machine.ts'
import type { Bench } from './run.ts'

const many = 1_000_000
const fewer = 100_000

export const run: Bench['run'] = async ({ rounds = 5, say }) => {
  const server = await openCrashServer()
  try {
    const site = await setUpSite(server)
    const root = await rootOf(site)
    await revokeIn(server, site.authority.caId, many)
    await revokeIn(server, root.caId, fewer)
    say(`${many} and ${fewer} are revoked`)
    const { server: own, database } = server.processes()
    const [pid] = own
    if (pid === undefined) throw new Error('The server does not run')
    keepOnCore(0, own)
    keepOnCore(1, database)

    const measured: { million: number; fewer: number; openssl: number; rss: number }[] = []
    for (let round = 1; round <= rounds; round += 1) {
      forgetHighestMemory(pid)
      for (const { caId } of [site.authority, root]) await revokeOne(server, caId)
      const million = await secondsOf(site, site.authority, many + round)
      const rss = highestMemory(pid)
      measured.push({ million, rss, fewer: await secondsOf(site, root, fewer + round), openssl: await secondsOfOpenssl() })
      const last = measured.at(-1)
      say(
        `round ${round} of ${rounds}: ${last?.million.toFixed(2)} s for ${many}, ${last?.rss.toFixed(0)} MiB; ${last?.fewer.toFixed(2)} s for ${fewer}, OpenSSL ${last?.openssl.toFixed(2)} s`,
      )
    }
    const of = (key: keyof (typeof measured)[number]) => median(measured.map((one) => one[key]))
    return {
      figures: {
        secondsPerMillion: rounded(of('million'), 2),
        rssMiB: rounded(Math.max(...measured.map(({ rss }) => rss))),
        secondsPer100000: rounded(of('fewer'), 3),
        opensslSecondsPer100000: rounded(of('openssl'), 3),
      },
      ratios: { toOpensslCa: rounded(median(measured.map(({ fewer: ours, openssl }) => openssl / ours)), 2) },
    }
  } finally {
    await server.remove()
  }
}

type Listed = { caId: string; crlUrl: string }

async function rootOf({ requester }: CrashSite): Promise<Listed> {
  const root = (await requester.call(authorities.calls.list, {})).rows.find(({ kind }) => kind === 'root')
  if (root === undefined) throw new Error('There is no root')
  return { caId: root.id, crlUrl: (await requester.call(authorities.calls.view, { caId: root.id })).addresses.crl }
}

/** The rows that so many revocations leave, each with its revision. */
const revokeIn = (server: CrashServer, caId: string, count: number): Promise<void> =>
  asOwner(server, async (client) => {
    await client.query(
      'insert into serial_revisions (tenant_id, ca_id, revision) select tenant_id, id, $2 from authorities where id = $1',
      [caId, count],
    )
    await insertRevoked(client, caId, { from: 1, to: count })
    await client.query('vacuum analyze revoked_serials')
    await client.query('checkpoint')
  })

const revokeOne = (server: CrashServer, caId: string): Promise<void> =>
  asOwner(server, async (client) => {
    const { rows } = await client.query<{ revision: string }>(
      'update serial_revisions set revision = revision + 1 where ca_id = $1 returning revision',
      [caId],
    )
    const revision = Number(rows[0]?.revision)
    await insertRevoked(client, caId, { from: revision, to: revision })
  })

/** Those with these revisions, each with its entry, a DER of 49 bytes. */
async function insertRevoked(client: pg.Client, caId: string, { from, to }: { from: number; to: number }): Promise<void> {
  await client.query(
    `insert into revoked_serials (tenant_id, ca_id, serial, crl_shard, revision, not_after, released, entry)
     select a.tenant_id, a.id, s.serial, 0, s.n, now() + interval '1 year', false,
       '\\x302f0210'::bytea || s.serial || '\\x170d'::bytea || convert_to(to_char(now() - s.n * interval '1 second', 'YYMMDDHH24MISS') || 'Z', 'UTF8') || '\\x300c300a0603551d1504030a0101'::bytea
     from authorities a, (select n, '\\x7f'::bytea || substr(sha256(int8send(n)), 1, 15) as serial from generate_series($2::bigint, $3) n) s where a.id = $1`,
    [caId, from, to],
  )
}

async function asOwner(server: CrashServer, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(server.connection)
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

async function secondsOf({ requester }: CrashSite, { caId, crlUrl }: Listed, count: number): Promise<number> {
  const began = performance.now()
  const { number } = await requester.call(revocation.calls.makeList, { caId })
  const file = new Uint8Array(await (await fetch(crlUrl)).arrayBuffer())
  const seconds = (performance.now() - began) / 1000
  // Every byte is read when the clock has stopped, elsewhere: here it would keep the connections waiting.
  await checkList(file, number, count)
  return seconds
}

/** In another process, by OpenSSL, which knows nothing of us. */
async function checkList(file: Uint8Array, number: number, count: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-crl-'))
  try {
    writeFileSync(join(folder, 'list.crl'), file)
    const script = `openssl crl -inform DER -in list.crl -noout -text | awk '/CRL Number/ { getline; number = $1 } /Serial Number/ { entries += 1 } END { print number, entries }'`
    const { stdout } = await execute('sh', ['-c', script], { cwd: folder })
    const [shown = '', entries = ''] = stdout.trim().split(' ')
    if (Number(shown) !== number || Number(entries) !== count)
      throw new Error(`The list ${number} of ${count} entries is ${shown} of ${entries} to OpenSSL`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const configuration = `[ca]
default_ca = authority
[authority]
database = index.txt
certificate = ca.pem
private_key = ca.key
default_md = sha256
default_crl_days = 2
crlnumber = number.txt
`

const execute = promisify(execFile)

async function secondsOfOpenssl(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-openssl-crl-'))
  const openssl = (...args: string[]) => execute('openssl', args, { cwd: folder })
  try {
    const serial = (at: number) => `7F${at.toString(16).toUpperCase().padStart(30, '0')}`
    writeFileSync(
      join(folder, 'index.txt'),
      Array.from(
        { length: fewer },
        (_row, at) => `R\t360101000000Z\t260102030405Z,keyCompromise\t${serial(at)}\tunknown\t/CN=${at}\n`,
      ).join(''),
    )
    writeFileSync(join(folder, 'ca.cnf'), configuration)
    writeFileSync(join(folder, 'number.txt'), '01\n')
    await openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'ca.key')
    await openssl('req', '-x509', '-new', '-key', 'ca.key', '-subj', '/CN=Peer', '-days', '60', '-out', 'ca.pem')
    const [program = 'openssl', ...args] = [...onCore(0), 'openssl', 'ca', '-gencrl', '-config', 'ca.cnf', '-out', 'list.pem']
    const began = performance.now()
    await execute(program, args, { cwd: folder })
    return (performance.now() - began) / 1000
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
