// Activation links, made and mailed.

import { linkTo, queueMail } from '#areas/mail/service.ts'
import { findTenancy } from '#areas/tenancy/service.ts'
import { fillPath } from '#core/contract/paths.ts'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { message } from '#core/server/texts.ts'
import { activationPath } from './activation-path.ts'
import { mailWords } from './mail-words.ts'
import { fullName, makeActivation, outgrownAmong, type Person } from './service.ts'

/** A new link, mailed to the person; any other is void. `by`: who made the account. */
export async function inviteAnew(
  db: Database,
  house: House,
  tenantId: string,
  person: Pick<Person, 'id' | 'username' | 'givenName' | 'familyName' | 'emailAddress'>,
  now: Date,
  by?: string,
): Promise<{ activationLink: string; expiresAt: string }> {
  const { token, expiresAt } = await makeActivation(house, { db, tenantId, now }, person.id)
  const activationLink = linkTo(house, fillPath(activationPath, { token }))
  await mailActivation(db, tenantId, person, { link: activationLink, by, now })
  return { activationLink, expiresAt: expiresAt.toISOString() }
}

/** A new link for somebody whose open one is void since the account has another address or holds more. True where one was sent. */
export async function inviteWhereOutgrown(house: House, tenancy: Tenancy, id: string): Promise<boolean> {
  const [person] = await outgrownAmong(house, tenancy, [id])
  if (person !== undefined) await inviteAnew(tenancy.db, house, tenancy.tenantId, person, tenancy.now)
  return person !== undefined
}

async function mailActivation(
  db: Database,
  tenantId: string,
  person: Pick<Person, 'id' | 'username' | 'givenName' | 'familyName' | 'emailAddress'>,
  { link, by, now }: { link: string; by: string | undefined; now: Date },
): Promise<void> {
  const { name = '' } = (await findTenancy(db, tenantId)) ?? {}
  const words = mailWords.activation
  const values = { person: fullName(person), name, username: person.username }
  await queueMail(
    { db, tenantId, now },
    {
      to: { userId: person.id, emailAddress: person.emailAddress },
      kind: 'account',
      subject: message(words.subject),
      text: by === undefined ? message(words.made, values) : message(words.madeBy, { ...values, by }),
      link,
    },
  )
}
