// Who may do what to a card: the card desk to all of them, a person to their own.

import { beyondOf } from '#areas/roles/power.ts'
import { isOfSelfService } from '#core/contract/self-service.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { CardRecord } from './store.ts'

/** Whoever asks, and from where. */
export type Acting = { house: House; viewer: Viewer; address: string }
/** What is recorded of them. Somebody without an account has a name and no rights. */
export type Actor = Pick<Viewer, 'tenantId' | 'userId' | 'username'>
export type ActingAtCard = { house: House; viewer: Actor; address: string }
export const actorOf = ({ viewer, address }: ActingAtCard) => ({ userId: viewer.userId, name: viewer.username, address })

export const isDesk = ({ permission }: Pick<Viewer, 'permission'>): boolean => permission.api.includes('smartcardManage')
export const isHolder = ({ userId }: Pick<Viewer, 'userId'>, { holder_id: holder }: Pick<CardRecord, 'holder_id'>): boolean =>
  holder === userId
export const mayHandle = (viewer: Viewer, card: Pick<CardRecord, 'holder_id'>): boolean => isDesk(viewer) || isHolder(viewer, card)

/** Tells whether the person holds more than the caller, who may not act in their name then. What everybody has about their own things does not count. */
export const isBeyond = async (house: Pick<House, 'offers'>, tenancy: Tenancy, viewer: Viewer, userId: string): Promise<boolean> =>
  userId !== viewer.userId && (await beyondOf(house, tenancy, userId, viewer)).some((name) => !isOfSelfService(name))
