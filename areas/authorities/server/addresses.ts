import { fillPath } from '#core/contract/paths.ts'
import type { House } from '#core/server/house.ts'
import { publicPaths } from '../public-paths.ts'
import type { AuthorityRow } from './store.ts'

/** The addresses that stand in every certificate of a new authority. */
export function addressesAt(house: House, publicId: string): Pick<AuthorityRow, 'crl_url' | 'ocsp_url' | 'ca_issuers_url'> {
  const at = (path: string): string => house.settings.pkiUrl + fillPath(path, { publicId })
  return { crl_url: at(publicPaths.list), ocsp_url: at(publicPaths.ocsp), ca_issuers_url: at(publicPaths.certificate) }
}
