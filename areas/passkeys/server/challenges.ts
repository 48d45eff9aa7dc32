// Challenges that nobody needs to remember: 16 random bytes, when they were made, and a MAC by a key that all servers of the installation have. What is
// kept is the answered ones, for ten minutes.

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { House } from '#core/server/house.ts'
import { challengeMilliseconds } from '../rules.ts'

/** What a challenge is good for: for anybody’s sign-in, or for one ceremony of one session. */
export type ChallengeUse = { use: 'signIn' } | { use: 'register' | 'prove'; sessionId: string; userId: string }

const keys = new WeakMap<House, Buffer>()
function keyOf(house: House): Buffer {
  const key = keys.get(house) ?? house.installationKey.derive('passkey-challenge')
  keys.set(house, key)
  return key
}

const [randomLength, timeLength, macLength] = [16, 8, 32]
const headLength = randomLength + timeLength

const macOf = (house: House, head: Uint8Array, about: ChallengeUse): Buffer =>
  createHmac('sha256', keyOf(house))
    .update(about.use === 'signIn' ? about.use : `${about.use}:${about.userId}:${about.sessionId}`)
    .update(head)
    .digest()

export function makeChallenge(house: House, about: ChallengeUse, now: Date): Buffer {
  const head = Buffer.concat([randomBytes(randomLength), Buffer.alloc(timeLength)])
  head.writeBigUInt64BE(BigInt(now.getTime()), randomLength)
  return Buffer.concat([head, macOf(house, head, about)])
}

/** Whether we made it for this, within ten minutes. */
export function challengeStands(house: House, signed: Buffer, about: ChallengeUse, now: Date): boolean {
  if (signed.length !== headLength + macLength) return false
  const head = signed.subarray(0, headLength)
  if (!timingSafeEqual(signed.subarray(headLength), macOf(house, head, about))) return false
  const age = now.getTime() - Number(head.readBigUInt64BE(randomLength))
  return age >= 0 && age <= challengeMilliseconds
}

export const challengeHash = (challenge: Buffer): string => createHash('sha256').update(challenge).digest('base64url')
