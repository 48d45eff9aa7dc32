// Reads the certificates that stand at entries of a directory: those of people and machines, and those of authorities.

import { X509Certificate } from 'node:crypto'
import { DirectoryError, readEntryCertificates } from '#areas/directories/service.ts'
import type { House } from '#core/server/house.ts'
import { say } from '#standards/say/say.ts'
import { ProviderError, type Asked, type ProviderPage } from './provider-page.ts'

const entriesAPage = 200

/** `ldaps://host:port`, or `ldap://host:port` for StartTLS. */
export function readDirectoryUrl(url: string): { host: string; port: number; security: 'ldaps' | 'startTls' } | undefined {
  const [, scheme, host = '', port] = /^(ldaps?):\/\/([^/?#@\s:]+|\[[0-9a-f:]+\])(?::(\d{1,5}))?\/?$/i.exec(url) ?? []
  if (scheme === undefined) return undefined
  const isSecure = scheme.toLowerCase() === 'ldaps'
  return { host, port: Number(port ?? (isSecure ? 636 : 389)), security: isSecure ? 'ldaps' : 'startTls' }
}

export async function readDirectory(house: House, asked: Asked): Promise<ProviderPage> {
  const at = readDirectoryUrl(asked.url)
  if (at === undefined) throw new ProviderError(say`The address is none of a directory`)
  const way = { tenant_id: asked.tenant_id, ...at, roots: asked.roots, bind_dn: asked.account, password: asked.secret, baseDn: asked.scope }
  try {
    const { entries, next } = await readEntryCertificates(house, way, { after: asked.cursor, most: entriesAPage, signal: asked.signal })
    const found = entries.flatMap(({ dn, certificates }) =>
      certificates
        .toSorted((a, b) => begins(b) - begins(a))
        .map((certificate, at) => ({ place: at === 0 ? dn : `${dn} #${at + 1}`, certificate, chain: [] })),
    )
    return { found, refused: 0, next, done: next === '' }
  } catch (error) {
    if (error instanceof DirectoryError) throw new ProviderError(error.message, { cause: error })
    throw error
  }
}

/** The newest stands first, because a directory gives values in no order. What cannot be read is last. */
function begins(der: Uint8Array): number {
  try {
    return new X509Certificate(der).validFromDate.getTime()
  } catch {
    return 0
  }
}
