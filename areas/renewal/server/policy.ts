// Who may know of a renewal, renew, and renew before its time: every rule of this room about one certificate and whoever asks. Nothing is read here. A token
// with scopes has what the call itself would let it do.

import type { Renewable } from '#areas/certificates/renewing.ts'
import { isTheirs, keeperOf, whoseIs } from '#areas/certificates/rules.ts'
import { passesDoor } from '#core/contract/access.ts'
import type { Viewer } from '#core/server/serve.ts'
import { renewal } from '../contract.ts'

type Who = Pick<Viewer, 'userId' | 'permission' | 'via' | 'narrowed'>
type Row = Pick<Renewable, 'entity' | 'requester_id' | 'holder_user_id'>

/** Who sees certificates, its holder, whoever asked for it, and who may ask for others. */
export const mayKnow = (viewer: Who, certificate: Row): boolean =>
  isTheirs(viewer, whoseIs(certificate)) || viewer.permission.api.includes('certView') || mayRenewEarly(viewer, certificate)

/** Who keeps it, and who may ask for others. */
export const mayRenew = (viewer: Who, certificate: Row): boolean =>
  passesDoor(viewer, renewal.calls.renew) && (keeperOf(whoseIs(certificate)) === viewer.userId || mayRenewEarly(viewer, certificate))

/** Who may ask for others could ask for another one at any time. */
export const mayRenewEarly = ({ permission }: Pick<Who, 'permission'>, { entity }: Pick<Row, 'entity'>): boolean =>
  permission.api.includes(entity === 'user' ? 'certSigningRequestUser' : 'certSigningRequest')

/** Of one's own certificate the template's mode is leave enough, as it is for the job; a token with scopes serves oneself only where they say so. */
export const servesSelf = ({ permission, narrowed }: Pick<Who, 'permission' | 'narrowed'>): boolean =>
  narrowed !== true || permission.api.includes('selfServicePortal')
