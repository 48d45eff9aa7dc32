// Nonces (RFC 8555 6.5) without a table. Each server counts those that it hands out and has a bit for each of the last ones: set when it is made, cleared when
// it comes back, so that it works once. Its MAC says that it is one of this server's. A nonce of another server is asked of that one through the database; a
// server that has ended says nothing, and its nonces are bad.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { House } from '#core/server/house.ts'
import { listenOn } from '#core/server/listening.ts'
import { readBase64url } from '#standards/acme/base64url.ts'
import { nonceChannel, tellServers } from './nonce-store.ts'

export type Nonces = {
  make(): string
  /** True once for each nonce. */
  take(nonce: string): Promise<boolean>
  close(): Promise<void>
}

const serverBytes = 8
const counterBytes = 6
const macBytes = 16
/** So many are remembered, a bit each. */
const kept = 2 ** 18
const answerMilliseconds = 2_000

/** What one server knows of its own. */
export function ownNonces(server = randomBytes(serverBytes)): { server: string; make(): string; take(nonce: string): boolean | undefined } {
  const key = randomBytes(32)
  const open = new Uint8Array(kept / 8)
  let counter = 0
  const macOf = (head: Uint8Array) => createHmac('sha256', key).update(head).digest().subarray(0, macBytes)
  const bitOf = (count: number): [index: number, mask: number] => [(count % kept) >> 3, 1 << (count % 8)]
  return {
    server: server.toString('hex'),
    make() {
      counter += 1
      const [index, mask] = bitOf(counter)
      open[index] = (open[index] ?? 0) | mask
      const head = Buffer.alloc(serverBytes + counterBytes)
      server.copy(head)
      head.writeUIntBE(counter, serverBytes, counterBytes)
      return Buffer.concat([head, macOf(head)]).toString('base64url')
    },
    /** Undefined for one of another server. */
    take(nonce) {
      const bytes = readBase64url(nonce)
      if (bytes === undefined || bytes.length !== serverBytes + counterBytes + macBytes) return false
      const head = bytes.subarray(0, serverBytes + counterBytes)
      if (!head.subarray(0, serverBytes).equals(server)) return undefined
      if (!timingSafeEqual(bytes.subarray(head.length), macOf(head))) return false
      const count = head.readUIntBE(serverBytes, counterBytes)
      const [index, mask] = bitOf(count)
      if (count > counter || count <= counter - kept || ((open[index] ?? 0) & mask) === 0) return false
      open[index] = (open[index] ?? 0) & ~mask
      return true
    },
  }
}

const all = new WeakMap<House, Nonces>()

export function noncesOf(house: House): Nonces {
  const nonces = all.get(house) ?? openNonces(house)
  all.set(house, nonces)
  return nonces
}

export async function closeNonces(house: House): Promise<void> {
  await all.get(house)?.close()
  all.delete(house)
}

function openNonces(house: House): Nonces {
  const own = ownNonces()
  const waiting = new Map<string, (answer: boolean) => void>()
  let isHeard = false
  const listening = listenOn(house.held, {
    channel: nonceChannel,
    begins: () => void (isHeard = true),
    heard(payload) {
      const [word, id = '', about = ''] = payload.split(' ')
      if (word === 'says') waiting.get(id)?.(about === 'good')
      else if (word === 'take') {
        const taken = own.take(about)
        if (taken !== undefined) tell(`says ${id} ${taken ? 'good' : 'bad'}`)
      }
    },
    ends: () => void (isHeard = false),
    failed: (error) => house.log.warn({ error }, 'other servers cannot be heard; their ACME nonces are refused until they can'),
  })
  const tell = (text: string) =>
    void tellServers(house, text).catch((error: unknown) => house.log.warn({ error }, 'other servers could not be told of an ACME nonce'))

  function ask(nonce: string): Promise<boolean> {
    if (!isHeard) return Promise.resolve(false)
    const id = randomBytes(9).toString('base64url')
    return new Promise((resolve) => {
      const settle = (answer: boolean) => {
        clearTimeout(timer)
        waiting.delete(id)
        resolve(answer)
      }
      const timer = setTimeout(settle, answerMilliseconds, false)
      waiting.set(id, settle)
      tell(`take ${id} ${nonce}`)
    })
  }

  return {
    make: own.make,
    take: async (nonce) => own.take(nonce) ?? (await ask(nonce)),
    close: listening.close,
  }
}
