// Sign-in names are unique in the installation, because one finds its tenancy; so a plain name that is taken tells that somebody elsewhere may have
// it. What programs bring (a directory, SCIM, a file, a registration) makes no plain names: it would tell it thousands of times. It makes names that
// end with the tenancy's suffix, which no other tenancy can take, so that such a name collides with nobody elsewhere.

import { findTenancy, tenancyOfSuffix } from '#areas/tenancy/service.ts'
import type { Database } from '#core/server/database.ts'
import { findUsername } from './service.ts'

const longest = 64
const mostTries = 1_000

const plainOf = (foreignName: string, suffix: string): string =>
  foreignName
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9._@-]/g, '')
    .replace(new RegExp(`@${suffix}$`, 'i'), '')

/** Whether a sign-in name was, or could have been, made of a name from elsewhere: what brings the same name again means the same account. */
export function isSignInNameOf(suffix: string, foreignName: string, username: string): boolean {
  const [, plain = ''] = new RegExp(`^(.*?)(?:\\.\\d+)?@${suffix}$`, 'i').exec(username) ?? []
  const name = plainOf(foreignName, suffix).toLowerCase()
  return plain !== '' && (name === plain.toLowerCase() || username.toLowerCase() === `${name}@${suffix}`.toLowerCase())
}

/** A free sign-in name of the tenancy's own for a name from elsewhere, which itself is kept beside it by whoever brings it. */
export async function signInNameFor(db: Database, tenantId: string, foreignName: string): Promise<string> {
  const suffix = (await findTenancy(db, tenantId))?.signInSuffix
  if (suffix === undefined) throw new Error(`There is no tenancy ${tenantId}`)
  const plain = plainOf(foreignName, suffix)
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const end = `${tries === 1 ? '' : `.${tries}`}@${suffix}`
    const name = `${(plain === '' ? 'user' : plain).slice(0, longest - end.length)}${end}`
    if ((await findUsername(db, name)) === undefined) return name
  }
  throw new Error(`${mostTries} names like ${plain} are taken`)
}

/** A name with another tenancy's suffix is as good as taken. */
export async function isNameOfOthers(db: Database, tenantId: string, username: string): Promise<boolean> {
  const at = username.lastIndexOf('@')
  const owner = at === -1 ? undefined : await tenancyOfSuffix(db, username.slice(at + 1))
  return owner !== undefined && owner !== tenantId
}
