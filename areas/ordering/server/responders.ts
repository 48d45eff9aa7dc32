// Puts TXT records into the DNS and takes them out again: by dynamic updates, by acme-dns, by a webhook. A table has one row for each kind.

import { randomInt } from 'node:crypto'
import type { Socket } from 'node:net'
import { unsealForTenant } from '#areas/keys/sealing.ts'
import type { House } from '#core/server/house.ts'
import { OutwardError } from '#core/server/outward/refusal.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { DnsUpdateError, readUpdateAnswer, writeTxtUpdate } from '#standards/dns/update.ts'
import { say } from '#standards/say/say.ts'
import type { ResponderKind } from '../rules.ts'
import type { ResponderSettings } from '../shapes.ts'
import { endingOf } from './ending.ts'
import { responderPurpose } from './sealing.ts'
import { findResponder, type ResponderRecord, type StoredResponder } from './store.ts'
import { OrderFault } from './wire.ts'

export type TxtRecord = { name: string; value: string }
export type Responder = { name: string; settings: StoredResponder; secret: string }

type Acting = { house: House; tenantId: string; secret: string }
type Act<K extends ResponderKind> = (
  acting: Acting,
  settings: Extract<ResponderSettings, { kind: K }>,
  record: TxtRecord,
  action: 'add' | 'delete',
) => Promise<void>

const longestAnswer = 65_535
const updateMilliseconds = 10_000

export function readHost(text: string): { host: string; port: number } {
  const [, bracketed, plain, port = '53'] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? []
  return { host: bracketed ?? plain ?? text, port: Number(port) }
}

/** Over TCP, because an answer by UDP may be anybody's, and a signed update may be long. */
const byUpdate: Act<'rfc2136'> = async (
  { house, tenantId, secret },
  { server, zone, keyName, algorithm, ttl },
  { name, value },
  action,
) => {
  const key = { name: keyName, algorithm, secret: Buffer.from(secret, 'base64') }
  const update = writeTxtUpdate({ zone, name, value, ttl, action }, key, { id: randomInt(65_536), now: house.now() })
  const socket = await house.outward.connect({
    use: 'nameServer',
    ...readHost(server),
    tenantId,
    milliseconds: updateMilliseconds,
    signal: endingOf(house).signal,
  })
  try {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(update.message.length)
    socket.write(Buffer.concat([length, update.message]))
    readUpdateAnswer(await readFramed(socket), update, key)
  } finally {
    socket.destroy()
  }
}

/** Reads one message with its length before it (RFC 1035 4.2.2). */
function readFramed(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let read = Buffer.alloc(0)
    socket.on('data', (piece: Buffer) => {
      read = Buffer.concat([read, piece])
      if (read.length >= 2 && read.length >= 2 + read.readUInt16BE(0)) resolve(read.subarray(2, 2 + read.readUInt16BE(0)))
      else if (read.length > longestAnswer + 2) reject(new DnsUpdateError('The name server answered more than a message'))
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new DnsUpdateError('The name server closed the connection without an answer')))
  })
}

async function send({ house, tenantId }: Acting, url: string, headers: Record<string, string>, body: unknown, what: string): Promise<void> {
  const answer = await house.outward.request({
    use: 'webhook',
    method: 'POST',
    signal: endingOf(house).signal,
    url,
    tenantId,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    longer: 'cut',
    mostBytes: 1_024,
  })
  if (answer.status < 200 || answer.status > 299) throw new OrderFault('responder', say`${what} answered ${answer.status}`)
}

const acts: { [K in ResponderKind]: Act<K> } = {
  rfc2136: byUpdate,
  /** acme-dns has no deletion: it keeps the last two values of its subdomain. */
  async acmeDns(acting, { url, username, subdomain }, { value }, action) {
    if (action === 'delete') return
    const headers = { 'x-api-user': username, 'x-api-key': acting.secret }
    await send(acting, `${url.replace(/\/$/, '')}/update`, headers, { subdomain, txt: value }, 'acme-dns')
  },
  /** The requests that lego's `httpreq` sends, which many small services take. */
  async webhook(acting, { url, username }, { name, value }, action) {
    const basic = Buffer.from(`${username}:${acting.secret}`).toString('base64')
    const headers: Record<string, string> = username === '' && acting.secret === '' ? {} : { authorization: `Basic ${basic}` }
    const path = action === 'add' ? 'present' : 'cleanup'
    await send(acting, `${url.replace(/\/$/, '')}/${path}`, headers, { fqdn: `${name}.`, value }, 'The webhook')
  },
}

/** Adds or deletes a record. Throws OrderFault with a sentence for people. Not inside a transaction. */
export async function changeRecord(
  house: House,
  tenantId: string,
  { name, settings, secret }: Responder,
  record: TxtRecord,
  action: 'add' | 'delete',
): Promise<void> {
  try {
    const act = acts[settings.kind] as Act<ResponderKind>
    await act({ house, tenantId, secret }, settings, record, action)
  } catch (error) {
    if (error instanceof OutwardError || error instanceof DnsUpdateError || error instanceof RangeError)
      throw new OrderFault('responder', say`${name}: ${error.message}`, {}, { cause: error })
    throw error
  }
}

export async function openResponder(tenancy: Tenancy, house: House, id: string): Promise<Responder | undefined> {
  const row = await findResponder(tenancy, id)
  return row && { name: row.name, settings: row.settings, secret: await secretOf(tenancy, house, row) }
}

const secretOf = async (tenancy: Tenancy, house: House, row: ResponderRecord): Promise<string> =>
  (
    await unsealForTenant(tenancy.db, house, {
      tenantId: tenancy.tenantId,
      purpose: responderPurpose(row.id),
      sealed: row.secret_sealed,
      tenantKeyId: row.tenant_key_id,
    })
  ).toString('utf8')
