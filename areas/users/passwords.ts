// Passwords: argon2id (RFC 9106), peppered with a key derived from the installation key, so that a copied database alone cannot be
// guessed at. At least 12 characters, no composition rules, not on the list of common and breached ones.

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { House } from '#core/server/house.ts'
import { isCommonPassword, withoutTail } from './common-passwords.ts'
import { shortestPassword } from './password-strength.ts'

export { readHash as storedHash, writeHash as storeHash } from './server/store.ts'

const derive = promisify(argon2)
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }
const longest = 1000

/** What is wrong with a chosen password, or undefined. `own` are the person's names, which it may not consist of. */
export function passwordFault(password: string, own: readonly string[] = []): string | undefined {
  if ([...password].length < shortestPassword) return `Use at least ${shortestPassword} characters`
  if (password.length > longest) return `Use at most ${longest} characters`
  if (isCommonPassword(password)) return 'This password is common or has been in a breach. Choose another'
  const plain = password.normalize('NFKC').toLowerCase()
  const bare = withoutTail(plain)
  if (own.some((name) => name.length > 3 && [plain, bare].includes(name.toLowerCase()))) return 'Do not use your own name'
  return undefined
}

/** Slow on purpose: never call it inside a transaction. */
export async function hashPassword(house: House, password: string): Promise<string> {
  const salt = randomBytes(16)
  const tag = await digest(house, password, salt)
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${salt.toString('base64url')}$${tag.toString('base64url')}`
}

async function digest(house: House, password: string, salt: Buffer): Promise<Buffer> {
  return derive('argon2id', {
    ...cost,
    message: Buffer.from(password.normalize('NFKC')),
    nonce: salt,
    secret: house.installationKey.derive('password-pepper'),
  })
}

/** Whether the password fits the stored hash; with no hash it takes as long and says no, so that nobody learns which names exist. */
export async function fits(house: House, password: string, stored: string | undefined): Promise<boolean> {
  const [, , , , salt = '', tag = ''] = (stored ?? '').split('$')
  const expected = Buffer.from(tag, 'base64url')
  const actual = await digest(house, password, salt === '' ? Buffer.alloc(16) : Buffer.from(salt, 'base64url'))
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}
