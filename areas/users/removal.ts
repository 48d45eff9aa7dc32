// The end of an account: what is in the way, and what goes with it. Who may delete whom is the caller's to decide.

import { forgetChoices } from '#areas/mail/service.ts'
import { setRoles } from '#areas/roles/service.ts'
import { managedBy } from '#areas/tenancy/service.ts'
import { visitTenant } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { dependants, personalData } from '#core/server/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { deleteUser, releaseUsername } from './server/store.ts'

/** What keeps an account from being deleted, each with how many there are: here, and in the tenancies that this one manages, where the person may have worked. */
export async function dependantsOf(house: Pick<House, 'offers'>, { db, tenantId, now }: Tenancy, id: string): Promise<string[]> {
  const counted: string[] = []
  const countIn = async (where: string, name?: string) => {
    for (const { record, count } of house.offers(dependants))
      if (record === 'user')
        for (const one of await count(db, where, id, now))
          if (one.count > 0) counted.push(`${one.kind}${name === undefined ? '' : ` in ${name}`}: ${one.count}`)
  }
  await countIn(tenantId)
  for (const managed of await managedBy(db, tenantId))
    await visitTenant(db, { home: tenantId, tenantId: managed.id }, () => countIn(managed.id, managed.name))
  return counted
}

/** Deletes an account on which nothing depends, with all that is the person's own; the caller leaves the event. */
export async function removeAccount(
  house: Pick<House, 'offers'>,
  tenancy: Tenancy,
  { id, username }: { id: string; username: string },
): Promise<void> {
  const { db, tenantId } = tenancy
  await setRoles(db, tenantId, id, [])
  await forgetChoices(tenancy, id)
  for (const forget of house.offers(personalData)) await forget(db, tenantId, id)
  await deleteUser(db, tenantId, id)
  await releaseUsername(db, id, username)
}
