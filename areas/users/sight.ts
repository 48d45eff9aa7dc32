// Who sees a person's page: oneself, who has `userView` in the tenancy, and who has it in a part of the organisations to which the person belongs.

import type { Permission } from '#core/contract/permission-labels.ts'
import { slot } from '#core/contract/slots.ts'
import { commonFault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

/** What a viewer holds beside the roles of the tenancy: over one person, and over anybody. */
export type SightInParts = (
  tenancy: Tenancy,
  viewer: Viewer,
  userId: string,
) => Promise<{ here: readonly string[]; anywhere: readonly string[] }>
export const sightInParts = slot<SightInParts>('sight in parts: what a viewer may read of some people by a role that holds for them alone')

const reading: readonly Permission[] = ['userView', 'userSensitiveView']

/**
 * The viewer with what they may read of one person, and no more right to change anything. Throws where that is nothing: somebody of another part is as
 * missing as nobody.
 */
export async function seeing(house: Pick<House, 'offers'>, tenancy: Tenancy, viewer: Viewer, userId: string): Promise<Viewer> {
  if (userId === viewer.userId || viewer.permission.api.includes('userView')) return viewer
  const held = await Promise.all(house.offers(sightInParts).map((sight) => sight(tenancy, viewer, userId)))
  const here = held.flatMap((one) => one.here)
  if (!here.includes('userView'))
    throw held.some(({ anywhere }) => anywhere.includes('userView'))
      ? commonFault('missing')
      : commonFault('denied', { params: { permission: 'userView' } })
  const api = [...viewer.permission.api, ...reading.filter((name) => here.includes(name))]
  return { ...viewer, permission: { ...viewer.permission, api } }
}
