// What other rooms may ask of a directory that is connected: which there are, and its contents by the account that reads it.

import type { Client } from 'ldapts'
import { unsealForTenant } from '#areas/keys/sealing.ts'
import type { House } from '#core/server/house.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { DirectoryError, passwordPurpose, withDirectory } from './server/connection.ts'
import { findDirectory, listDirectories } from './server/store.ts'

export { DirectoryError }

/** The connected domains of Windows. */
export const listDomains = async (tenancy: Tenancy): Promise<{ id: string; name: string }[]> =>
  (await listDirectories(tenancy)).filter(({ kind }) => kind === 'activeDirectory').map(({ id, name }) => ({ id, name }))

export type DomainAccount = {
  client: Client
  host: string
  baseDn: string
  /** As the directory signs it in: a distinguished name, `name@domain` or `DOMAIN\name`. */
  account: string
  password: string
}

/** Undefined where there is no such domain. Throws `DirectoryError` for whatever the directory or the way to it does wrong. */
export async function withDomain<T>(
  house: House,
  tenantId: string,
  id: string,
  work: (domain: DomainAccount) => Promise<T>,
): Promise<T | undefined> {
  const found = await withTenancy(house, tenantId, async (tenancy) => {
    const directory = await findDirectory(tenancy, id)
    if (directory?.kind !== 'activeDirectory') return undefined
    const { password_sealed: sealed, tenant_key_id: tenantKeyId } = directory
    const password = await unsealForTenant(tenancy.db, house, { tenantId, purpose: passwordPurpose(id), sealed, tenantKeyId })
    return { directory, password: password.toString('utf8') }
  })
  if (found === undefined) return undefined
  const { directory, password } = found
  const { host, base_dn: baseDn, bind_dn: account } = directory
  return withDirectory(house, directory, (client) => work({ client, host, baseDn, account, password }))
}
