// Looks, apart from the request, which tenancy an address may register with, and mails the link. Whether there is an account with the address already makes
// no difference here: the page that the link opens says it, to the owner of the address alone.

import { domainOfAddress } from '#areas/domains/rules.ts'
import { isDomainProved, tenancyOfDomain } from '#areas/domains/service.ts'
import { linkTo, queueMail } from '#areas/mail/service.ts'
import { findTenancy } from '#areas/tenancy/service.ts'
import { to } from '#core/contract/paths.ts'
import { forEach } from '#core/server/each.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import { makeTenantSecret, readTenantSecret } from '#core/server/secrets.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { message } from '#core/server/texts.ts'
import { registration } from '../contract.ts'
import { mailWords } from '../mail-words.ts'
import { linkHours, mostSent, mostWaiting, pauseMilliseconds, wayIn } from '../rules.ts'
import {
  countSent,
  countWaiting,
  deleteRequest,
  findNewest,
  findSettings,
  insertRegistration,
  listRequests,
  type RequestRecord,
} from './store.ts'

const requestsOfARun = 200

/** The requests go once all were answered: a run that is cut off is done again, and the pause between mails keeps it from writing twice. */
export async function sendLinks(house: House): Promise<void> {
  const requests = await listRequests(house.database, requestsOfARun)
  if (requests.length === 0) return
  await forEach(requests, async (request) => {
    const tenantId = await tenancyOf(house, request)
    if (tenantId !== undefined) await sendTo(house, tenantId, request)
  })
  for (const request of requests) await deleteRequest(house.database, request)
  if (requests.length === requestsOfARun) house.wake(registration.jobs.send)
}

async function tenancyOf(house: House, { code, email_address }: RequestRecord): Promise<string | undefined> {
  const named = code === '' ? undefined : readTenantSecret('', code)?.tenantId
  if (named !== undefined) return (await findTenancy(house.database, named))?.id
  const domain = domainOfAddress(email_address)
  return domain === undefined ? undefined : tenancyOfDomain(house.database, domain)
}

/** What the settings of the tenancy say of an address now. */
export async function wayOf(tenancy: Tenancy, emailAddress: string, byLink: boolean): Promise<'none' | 'atOnce' | 'approval'> {
  const { mode } = await findSettings(tenancy)
  const domain = domainOfAddress(emailAddress)
  return wayIn(mode, { byLink, proved: domain !== undefined && (await isDomainProved(tenancy, domain)) })
}

const sendTo = (house: House, tenantId: string, request: RequestRecord): Promise<void> =>
  house.work(tenantId, { name: 'Registration' }, async ({ db, emitFor }) => {
    const now = house.now()
    const tenancy: Tenancy = { db, tenantId, now }
    const { code } = await findSettings(tenancy)
    const byLink = code !== null && request.code === code
    // With another code, which an older address has, the domain alone does not count: the page was opened as another's.
    if (request.code !== '' && !byLink) return
    if ((await wayOf(tenancy, request.email_address, byLink)) === 'none') return
    const before = await findNewest(tenancy, request.email_key)
    if (before !== undefined && now.getTime() - before.asked_at.getTime() < pauseMilliseconds) return
    const sent = await countSent(tenancy, request.network)
    if (sent.ofNetwork >= mostSent.ofNetwork || sent.all >= mostSent.all || (await countWaiting(tenancy)) >= mostWaiting) return
    const { text: token, hash } = makeTenantSecret('', tenantId)
    const id = timeOrderedId(now)
    const added = await insertRegistration(tenancy, {
      tenant_id: tenantId,
      id,
      email_key: request.email_key,
      email_address: request.email_address,
      given_name: request.given_name,
      family_name: request.family_name,
      state: 'sent',
      by_link: byLink,
      token_hash: hash,
      asked_at: now,
      expires_at: new Date(now.getTime() + linkHours * 3_600_000),
      verified_at: null,
      decided_at: null,
      decided_by: '',
      user_id: null,
      network: request.network,
    })
    if (!added) return
    const name = (await findTenancy(db, tenantId))?.name ?? ''
    // Without the names that were typed: whoever typed them would write to others through us.
    await queueMail(tenancy, {
      to: { emailAddress: request.email_address },
      kind: 'account',
      subject: message(mailWords.finish.subject),
      text: message(mailWords.finish.text, { name, hours: linkHours }),
      link: linkTo(house, to(registration.screens.finish, {}, { tenantId, token })),
    })
    emitFor(registration)('linkSent', { registrationId: id }, id)
  })
