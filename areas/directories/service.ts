// What rooms above may ask: certificates that stand at entries of a directory, over the same encrypted way that a sync takes.

import type { Client } from 'ldapts'
import type { House } from '#core/server/house.ts'
import { DirectoryError, withSignIn, type Way } from './server/connection.ts'

export { DirectoryError }

const pageSize = 500
const mostEntries = 50_000
const filter = '(|(userCertificate=*)(cACertificate=*))'
const attributes = ['userCertificate', 'userCertificate;binary', 'cACertificate', 'cACertificate;binary']

export type EntryCertificates = { dn: string; certificates: Uint8Array[] }

/**
 * The next entries that hold certificates, in the order of their names. `after` is the last name of the part before, so that a part is found again on another
 * connection; `next` is empty at the end.
 */
export function readEntryCertificates(
  house: House,
  way: Way & { password: string; baseDn: string },
  { after, most, signal }: { after: string; most: number; signal: AbortSignal },
): Promise<{ entries: EntryCertificates[]; next: string }> {
  const read = async (client: Client): Promise<{ entries: EntryCertificates[]; next: string }> => {
    const names: string[] = []
    const pages = client.searchPaginated(way.baseDn, { scope: 'sub', filter, attributes: ['1.1'], paged: { pageSize } })
    for await (const { searchEntries } of pages) {
      names.push(...searchEntries.map(({ dn }) => dn))
      if (names.length > mostEntries) throw new DirectoryError('More than 50,000 entries hold certificates: name a narrower base')
    }
    const left = [...new Set(names)].toSorted().filter((dn) => dn > after)
    const entries: EntryCertificates[] = []
    for (const dn of left.slice(0, most)) {
      const { searchEntries } = await client.search(dn, {
        scope: 'base',
        filter,
        attributes,
        explicitBufferAttributes: ['userCertificate', 'cACertificate'],
      })
      const values = searchEntries.flatMap(({ dn: _dn, ...entry }) => Object.values(entry).flat())
      entries.push({ dn, certificates: values.flatMap((value) => (Buffer.isBuffer(value) ? [value] : [])) })
    }
    return { entries, next: left.length > most ? (entries.at(-1)?.dn ?? '') : '' }
  }
  return withSignIn(house, way, way.password, read, signal === undefined ? {} : { signal })
}
