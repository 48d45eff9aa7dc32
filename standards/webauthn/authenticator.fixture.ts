// A security key in software, for tests: it says whatever a test wants, also what no honest one says.

import { encode } from 'cborg'
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import type { AssertionJson, RegistrationJson, Site } from './ceremony.ts'

export type Said = {
  type?: string
  origin?: string
  rpId?: string
  crossOrigin?: boolean
  topOrigin?: string
  challenge?: string
  /** The flags of the authenticator data as bits; present, verified, eligible and backed up unless told. */
  flags?: number
  counter?: number
  algorithm?: number
  behind?: Buffer
  publicKey?: Buffer
  format?: string
  statement?: ReadonlyMap<string, unknown>
  /** A statement of a manufacturer's key, with its certificates. */
  vouched?: { key: KeyObject; chain: readonly Buffer[] }
}

export const flags = { present: 1, verified: 4, eligible: 8, backedUp: 16, attested: 64 }
export const synced = flags.present | flags.verified | flags.eligible | flags.backedUp
export const deviceBound = flags.present | flags.verified

const url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

export function openAuthenticator(site: Site, { base = synced, aaguid = Buffer.alloc(16) }: { base?: number; aaguid?: Buffer } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  let counter = 0
  let userHandle = ''

  const clientData = (type: string, challenge: string, said: Said) =>
    Buffer.from(
      JSON.stringify({
        type: said.type ?? type,
        challenge: said.challenge ?? challenge,
        origin: said.origin ?? site.origin,
        crossOrigin: said.crossOrigin ?? false,
        ...(said.topOrigin === undefined ? {} : { topOrigin: said.topOrigin }),
      }),
    )
  const head = (said: Said, more: number) => {
    const bytes = Buffer.alloc(37)
    createHash('sha256')
      .update(said.rpId ?? site.rpId)
      .digest()
      .copy(bytes)
    bytes.writeUInt8((said.flags ?? base) | more, 32)
    bytes.writeUInt32BE(said.counter ?? counter, 33)
    return bytes
  }

  return {
    id: url(id),
    aaguid,
    publicKey,
    userHandle: () => userHandle,
    /** Answers `navigator.credentials.create`. */
    create(options: { challenge: string; user?: { id: string } }, said: Said = {}): RegistrationJson {
      userHandle = options.user?.id ?? userHandle
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const authData = Buffer.concat([
        head(said, flags.attested),
        aaguid,
        length,
        id,
        said.publicKey ?? coseKey(publicKey, said.algorithm ?? -7),
        said.behind ?? Buffer.alloc(0),
      ])
      const client = clientData('webauthn.create', options.challenge, said)
      const statement =
        said.vouched === undefined
          ? (said.statement ?? new Map<string, unknown>())
          : new Map<string, unknown>([
              ['alg', -7],
              ['sig', sign('sha256', Buffer.concat([authData, createHash('sha256').update(client).digest()]), said.vouched.key)],
              ['x5c', said.vouched.chain],
            ])
      const object = encode(
        new Map<string, unknown>([
          ['fmt', said.format ?? (said.vouched === undefined ? 'none' : 'packed')],
          ['attStmt', statement],
          ['authData', authData],
        ]),
      )
      return {
        id: url(id),
        rawId: url(id),
        type: 'public-key',
        response: { clientDataJSON: url(client), attestationObject: url(object), transports: ['internal'] },
      }
    },
    /** Answers `navigator.credentials.get`. */
    get(options: { challenge: string }, said: Said = {}): AssertionJson & { response: { userHandle: string } } {
      const authData = Buffer.concat([head(said, 0), said.behind ?? Buffer.alloc(0)])
      const client = clientData('webauthn.get', options.challenge, said)
      const signature = sign('sha256', Buffer.concat([authData, createHash('sha256').update(client).digest()]), privateKey)
      return {
        id: url(id),
        rawId: url(id),
        type: 'public-key',
        response: { clientDataJSON: url(client), authenticatorData: url(authData), signature: url(signature), userHandle },
      }
    },
    /** Later answers count on. */
    press: (to = counter + 1) => void (counter = to),
  }
}

export function coseKey(publicKey: KeyObject, algorithm: number): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return Buffer.from(
    encode(
      new Map<number, unknown>([
        [1, 2],
        [3, algorithm],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    ),
  )
}
