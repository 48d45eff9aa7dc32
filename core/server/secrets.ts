// Secrets that are handed in from outside (links, sessions, tokens): random, kept only as a hash, and prefixed with the tenancy that they belong
// to, so that the right tenancy is set before anything is looked up. A wrong prefix finds nothing: row security sees to that.

import { createHash, randomBytes } from 'node:crypto'

export type TenantSecret = { text: string; hash: string }

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

const idBytes = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex')

/** `<prefix><22 characters of tenant><43 characters of secret>`, all URL-safe. */
export function makeTenantSecret(prefix: string, tenantId: string): TenantSecret {
  const text = `${prefix}${idBytes(tenantId).toString('base64url')}${randomBytes(32).toString('base64url')}`
  return { text, hash: hashOf(text) }
}

/** The tenancy and the hash of a secret that was handed in; undefined where it is none of ours. */
export function readTenantSecret(prefix: string, text: string): { tenantId: string; hash: string } | undefined {
  if (!text.startsWith(prefix) || !/^[\w-]{65}$/.test(text.slice(prefix.length))) return undefined
  const hex = Buffer.from(text.slice(prefix.length, prefix.length + 22), 'base64url').toString('hex')
  const tenantId = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  return { tenantId, hash: hashOf(text) }
}
