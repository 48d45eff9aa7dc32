// What an authority may do as it stands, over rows already read. Who may ask for it stands at the door of each call.

import type { IssuingRow } from './issuer-store.ts'
import type { AuthorityRow } from './store.ts'

/** Nobody is certified by an authority that was revoked or stopped, or stands below a revoked one. */
export const certifiesOthers = (issuer: Pick<IssuingRow, 'issuing' | 'revoked' | 'revoked_above'> | undefined): boolean =>
  issuer !== undefined && issuer.issuing && !issuer.revoked && issuer.revoked_above === null

/** Why issuing is not switched on: its key is never here, or nobody would trust what it issues. */
export const switchOnRefusal = ({ kind }: Pick<AuthorityRow, 'kind'>, revoked: boolean): 'offline' | 'revoked' | undefined =>
  kind === 'offline' ? 'offline' : revoked ? 'revoked' : undefined

/** It has no certificate and will get none: to everybody it is not there, but for the log and its serial. */
export const isGivenUp = ({ given_up_at: at }: Pick<AuthorityRow, 'given_up_at'>): boolean => at !== null
