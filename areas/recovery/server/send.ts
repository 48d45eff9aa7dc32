// Job. Looks for the people behind the addresses that were asked for, and mails them. It runs apart from the request, so that nothing that anybody outside can
// measure depends on what it finds.

import { linkTo, queueMail } from '#areas/mail/service.ts'
import { listTenancies } from '#areas/tenancy/service.ts'
import { findByEmail, holdPerson, type Person } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import { inTenant } from '#core/server/database.ts'
import { forEach } from '#core/server/each.ts'
import type { House } from '#core/server/house.ts'
import { makeTenantSecret } from '#core/server/secrets.ts'
import { message } from '#core/server/texts.ts'
import { recovery } from '../contract.ts'
import { mailWords } from '../mail-words.ts'
import { linkMinutes, pauseMilliseconds } from '../rules.ts'
import { boundTo, isHeldByPasskey } from './links.ts'
import { deleteRequest, insertLink, listRequests, newestLink } from './store.ts'

const requestsOfARun = 200

/** The requests go once all were answered: a run that is cut off is done again, and the pause between mails keeps it from writing twice. */
export async function sendLinks(house: House): Promise<void> {
  const requests = await listRequests(house.database, requestsOfARun)
  if (requests.length === 0) return
  const keys = requests.map((request) => request.email_key)
  await forEach(await listTenancies(house.database), async ({ id: tenantId, name }) => {
    const people = await inTenant(house.database, tenantId, (db) => findByEmail(db, tenantId, keys))
    for (const person of people) await sendTo(house, person, name)
  })
  for (const request of requests) await deleteRequest(house.database, request)
  if (keys.length === requestsOfARun) house.wake(recovery.jobs.send)
}

const sendTo = (house: House, { tenantId, id: userId }: Person, tenancyName: string): Promise<void> =>
  house.work(tenantId, { name: 'Forgotten passwords' }, async ({ db, emitFor }) => {
    const now = house.now()
    // Held, so that two runs at once write one mail.
    const person = await holdPerson(db, tenantId, userId)
    const bound = person && (await boundTo(db, person))
    if (person === undefined || bound === undefined) return
    const before = await newestLink(db, tenantId, userId)
    if (before !== undefined && now.getTime() - before.made_at.getTime() < pauseMilliseconds) return
    const { text: token, hash } = makeTenantSecret('', tenantId)
    const held = await isHeldByPasskey(house, db, person)
    const expiresAt = new Date(now.getTime() + linkMinutes * 60_000)
    // A link that nobody is sent is counted all the same: it keeps the pause.
    await insertLink(db, {
      tenant_id: tenantId,
      token_hash: hash,
      user_id: userId,
      made_at: now,
      expires_at: expiresAt,
      bound_to: bound,
    })
    const values = { name: person.givenName, username: person.username, tenancy: tenancyName }
    await queueMail(
      { db, tenantId, now },
      {
        to: { userId, emailAddress: person.emailAddress },
        kind: 'account',
        ...(held
          ? {
              subject: message(mailWords.passkey.subject),
              text: message(mailWords.passkey.text, values),
            }
          : {
              subject: message(mailWords.reset.subject),
              text: message(mailWords.reset.text, { ...values, minutes: linkMinutes }),
              link: linkTo(house, to(recovery.screens.reset, { token })),
            }),
      },
    )
    emitFor(recovery)(held ? 'passkeyNeeded' : 'linkSent', { userId }, userId)
  })
