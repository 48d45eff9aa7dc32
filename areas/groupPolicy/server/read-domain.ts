// The group policies of a domain as its directory names them: versions, state, and where each is linked.

import type { Client, Entry } from 'ldapts'
import { DirectoryError, type DomainAccount } from '#areas/directories/account.ts'
import type { PolicyLink, PolicyState } from '../rules.ts'
import { linksIn, stateOf, sysvolFolder } from '../rules.ts'

export type DomainPolicy = {
  guid: string
  name: string
  /** Of the directory; the files say theirs. */
  computerVersion: number
  userVersion: number
  state: PolicyState
  links: PolicyLink[]
  /** Below the share `sysvol` of the domain; undefined where it stands elsewhere. */
  folder: string | undefined
}

export type Domain = { name: string; account: string; policies: DomainPolicy[] }

export const mostPolicies = 200
const guidPattern = /^\{([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\}$/i

const text = (entry: Entry, name: string): string => {
  const value = entry[name]
  const first = Array.isArray(value) ? value[0] : value
  return Buffer.isBuffer(first) ? first.toString('utf8') : (first ?? '')
}

const mostLinked = 10_000

/** `deadline` by `performance.now()`: a directory may have pages without an end, each in good time. */
export async function readDomain({ client, baseDn, account }: DomainAccount, deadline: number): Promise<Domain> {
  const parts = baseDn.split(',').flatMap((part) => /^\s*dc\s*=\s*([a-z0-9][a-z0-9-]{0,62})\s*$/i.exec(part)?.[1] ?? [])
  if (parts.length === 0) throw new DirectoryError('The base of the directory names no domain (DC=...)')
  const root = parts.map((part) => `DC=${part}`).join(',')
  const name = parts.join('.').toLowerCase()
  const containers = await readEntries(client, `CN=Policies,CN=System,${root}`, {
    scope: 'one',
    filter: '(objectClass=groupPolicyContainer)',
    attributes: ['cn', 'displayName', 'versionNumber', 'flags', 'gPCFileSysPath'],
    most: mostPolicies,
    deadline,
  })
  const linked = await readEntries(client, root, { scope: 'sub', filter: '(gPLink=*)', attributes: ['gPLink'], most: mostLinked, deadline })
  const links = linked.flatMap((entry) => linksIn(entry.dn, text(entry, 'gPLink')))
  const policies = containers.flatMap((entry): DomainPolicy[] => {
    const guid = guidPattern.exec(text(entry, 'cn'))?.[1]?.toLowerCase()
    if (guid === undefined) return []
    const version = Number(text(entry, 'versionNumber')) >>> 0
    return [
      {
        guid,
        name: text(entry, 'displayName').slice(0, 200) || `{${guid.toUpperCase()}}`,
        computerVersion: version % 65_536,
        userVersion: Math.floor(version / 65_536),
        state: stateOf(Number(text(entry, 'flags'))),
        links: links.filter((link) => link.guid === guid).map(({ guid: _guid, ...link }) => link),
        folder: sysvolFolder(text(entry, 'gPCFileSysPath'), { domain: name, guid }),
      },
    ]
  })
  return { name, account: await signInName(client, account, name), policies }
}

async function readEntries(
  client: Client,
  base: string,
  { most, deadline, ...search }: { scope: 'one' | 'sub'; filter: string; attributes: string[]; most: number; deadline: number },
): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const { searchEntries } of client.searchPaginated(base, { ...search, paged: { pageSize: Math.min(most, 500) } })) {
    entries.push(...searchEntries)
    if (entries.length >= most) break
    if (performance.now() > deadline) throw new DirectoryError('The directory took too long to name its policies')
  }
  return entries.slice(0, most)
}

/** SMB signs nobody in by a distinguished name. */
async function signInName(client: Client, account: string, domain: string): Promise<string> {
  if (/[@\\]/.test(account) && !account.includes('=')) return account
  const { searchEntries } = await client.search(account, { scope: 'base', attributes: ['sAMAccountName'] })
  const name = searchEntries[0] === undefined ? '' : text(searchEntries[0], 'sAMAccountName')
  if (name === '') throw new DirectoryError('The account of the directory has no name to sign in with')
  return `${name}@${domain.toUpperCase()}`
}
