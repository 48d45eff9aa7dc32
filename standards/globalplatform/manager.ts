// A card manager (GlobalPlatform Card Specification 2.3, chapter 11) as the host drives it: a session by SCP03, packages loaded, applets installed.

import { randomBytes } from 'node:crypto'
import { encodeCommand, parseResponse } from '../piv/apdu.ts'
import { isSame, managerKeysOf, openWrapper, readInitializeUpdate, ScpError, sessionOf } from './scp03.ts'

export type Transmit = (command: Uint8Array) => Promise<Uint8Array>

/** The card has other keys: it was asked once, and no proof of ours was sent. */
export class OtherKeys extends Error {
  override name = 'OtherKeys'
}

export const managerAid = Buffer.from('A000000151000000', 'hex')
const ok = 0x9000
const blockBytes = 200
/** C-MAC and C-DECRYPTION. */
const securityLevel = 0x03
const none = Buffer.alloc(0)

const counted = (bytes: Uint8Array): Buffer => Buffer.concat([Buffer.from([bytes.length]), bytes])

async function ask(transmit: Transmit, command: Parameters<typeof encodeCommand>[0], what: string): Promise<Uint8Array> {
  const { data, sw } = parseResponse(await transmit(encodeCommand(command)))
  if (sw !== ok) throw new ScpError(`${what}: 0x${sw.toString(16).padStart(4, '0')}`)
  return data
}

const select = (aid: Uint8Array) => ({ ins: 0xa4, p1: 4, p2: 0, data: aid, le: 0 })

export async function hasApplet(transmit: Transmit, aid: Uint8Array): Promise<boolean> {
  return parseResponse(await transmit(encodeCommand(select(aid)))).sw === ok
}

/** What tells cards apart before any key is used: the manager answers it to a select or with its first words. */
export async function greet(transmit: Transmit, keyVersion: number) {
  await ask(transmit, select(managerAid), 'The card manager is not there')
  const hostChallenge = randomBytes(8)
  const answer = await ask(transmit, { cla: 0x80, ins: 0x50, p1: keyVersion, p2: 0, data: hostChallenge, le: 0 }, 'INITIALIZE UPDATE')
  return { hostChallenge, ...readInitializeUpdate(answer) }
}

export type Greeting = Awaited<ReturnType<typeof greet>>
export const cardNameOf = ({ diversification }: Pick<Greeting, 'diversification'>): string => diversification.toString('hex').toUpperCase()

/** Throws OtherKeys before anything is sent that a card would count as a wrong try of ours. */
export async function openManager(transmit: Transmit, greeting: Greeting, master: Uint8Array) {
  const keys = managerKeysOf(master, greeting.diversification)
  const { session, cardCryptogram, hostCryptogram } = sessionOf(keys, greeting.hostChallenge, greeting.cardChallenge)
  if (!isSame(cardCryptogram, greeting.cardCryptogram)) throw new OtherKeys()
  const wrap = openWrapper(session, { encrypt: true })
  const send = async (command: { ins: number; p1: number; p2: number; data: Uint8Array }, what: string): Promise<void> => {
    const { sw } = parseResponse(await transmit(wrap({ cla: 0x80, ...command })))
    if (sw !== ok) throw new ScpError(`${what}: 0x${sw.toString(16).padStart(4, '0')}`)
  }
  await send({ ins: 0x82, p1: securityLevel, p2: 0, data: hostCryptogram }, 'EXTERNAL AUTHENTICATE')
  return {
    async load(packageAid: Uint8Array, file: Uint8Array): Promise<void> {
      const asks = Buffer.concat([counted(packageAid), counted(none), counted(none), counted(none), counted(none)])
      await send({ ins: 0xe6, p1: 0x02, p2: 0, data: asks }, 'INSTALL for load')
      const { length } = file
      const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
      const whole = Buffer.concat([Buffer.from([0xc4, ...size]), file])
      for (let at = 0, n = 0; at < whole.length; at += blockBytes, n += 1) {
        const isLast = at + blockBytes >= whole.length
        await send({ ins: 0xe8, p1: isLast ? 0x80 : 0x00, p2: n & 0xff, data: whole.subarray(at, at + blockBytes) }, 'LOAD')
      }
    },
    install: (packageAid: Uint8Array, appletAid: Uint8Array): Promise<void> =>
      send(
        {
          ins: 0xe6,
          p1: 0x0c,
          p2: 0,
          data: Buffer.concat([
            counted(packageAid),
            counted(appletAid),
            counted(appletAid),
            counted(Buffer.from([0])),
            counted(Buffer.from([0xc9, 0])),
            counted(none),
          ]),
        },
        'INSTALL',
      ),
  }
}

/** Which package a load file holds: its header component comes first (Java Card VM specification 6.3). Throws ScpError. */
export function packageOf(file: Uint8Array): Buffer {
  const bytes = Buffer.from(file)
  if (bytes.length > 0xffff) throw new ScpError('it is longer than 65,535 bytes')
  if (bytes.length < 13 || bytes[0] !== 1 || bytes.readUInt32BE(3) !== 0xdecaffed) throw new ScpError('it does not begin with a header')
  const length = bytes[12] ?? 0
  const aid = bytes.subarray(13, 13 + length)
  if (length < 5 || length > 16 || aid.length !== length) throw new ScpError('the identifier of its package is cut')
  return aid
}
