// On which cards a certificate is, as the rooms that keep cards say.

import type { House } from '#core/server/house.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { cardSerials } from '../../card-serials.ts'

export const serialsOfCards = async (house: Pick<House, 'offers'>, tenancy: Tenancy, certificateId: string): Promise<string[]> =>
  (await Promise.all(house.offers(cardSerials).map((serialsOf) => serialsOf(tenancy, certificateId)))).flat()
