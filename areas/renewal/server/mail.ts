// Sends the mail of renewal: to the person who must act next, and to the holder or requester when somebody else has renewed the certificate.

import { myRequestPath } from '#areas/certificates/paths.ts'
import { areOfOneKey, type Renewable } from '#areas/certificates/renewing.ts'
import { inBrackets, keeperOf, whoseIs } from '#areas/certificates/rules.ts'
import { linkTo, queueMail } from '#areas/mail/service.ts'
import { findPerson } from '#areas/users/service.ts'
import { dayText } from '#core/contract/days.ts'
import { to } from '#core/contract/paths.ts'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { renewal } from '../contract.ts'

export type Turn = 'awaitingHolder' | 'awaitingKey' | 'collect'

type Notice = { tenantId: string; turn: Turn; requestId?: string; personId: string }

export async function tellOf(
  db: Database,
  house: House,
  certificate: Renewable,
  { tenantId, turn, requestId, personId }: Notice,
): Promise<void> {
  const person = await findPerson(db, tenantId, personId)
  if (person === undefined || !person.enabled) return
  const what = `The certificate for ${certificate.name}${inBrackets(certificate.template_name)} ends on ${dayText(certificate.not_after)}.`
  const mails = {
    awaitingHolder: {
      kind: 'certificateExpiring',
      subject: `Renew: ${certificate.name}`,
      text: `${what} Open this page and choose "Renew now". It asks whether the key stays or a new one comes in its place.`,
    },
    awaitingKey: {
      kind: 'certificateExpiring',
      subject: `A new key is needed: ${certificate.name}`,
      text: `${what} It is renewed with a new key, which is yours to make: make a certificate request (CSR) from it and send it on this page.`,
    },
    collect: {
      kind: 'requestDecided',
      subject: `Renewed, ready to collect: ${certificate.name}`,
      text: `${what} Its renewal is ready. Collect it with its new key; the key is made at that moment.`,
    },
  } as const
  const path =
    turn === 'collect' && requestId !== undefined
      ? myRequestPath(certificate.entity, requestId)
      : to(renewal.screens.view, { certId: certificate.id })
  await queueMail(
    { db, tenantId, now: house.now() },
    { to: { userId: person.id, emailAddress: person.emailAddress }, ...mails[turn], link: linkTo(house, path) },
  )
}

type Renewed = { tenantId: string; by: string; requesterId: string; successorId: string }

/** Who had a certificate hears that somebody else renewed it: the holder always, and whoever asked for a device's where the key is another, which the device has not got yet. */
export async function tellRenewed(
  db: Database,
  house: House,
  certificate: Renewable,
  { tenantId, by, requesterId, successorId }: Renewed,
): Promise<void> {
  const personId = keeperOf(whoseIs(certificate))
  if (personId === undefined || personId === requesterId) return
  const sameKey = await areOfOneKey(db, tenantId, certificate.id, successorId)
  if (sameKey && certificate.entity === 'device') return
  const person = await findPerson(db, tenantId, personId)
  if (person === undefined || !person.enabled) return
  await queueMail(
    { db, tenantId, now: house.now() },
    {
      to: { userId: person.id, emailAddress: person.emailAddress },
      kind: 'certificateChanged',
      subject: `Renewed by ${by}: ${certificate.name}`,
      text: `The certificate for ${certificate.name}${inBrackets(certificate.template_name)} was renewed by ${by}, with ${sameKey ? 'the same key' : 'a new key'}. The one before is valid until ${dayText(certificate.not_after)}.`,
      link: linkTo(house, to(renewal.screens.view, { certId: certificate.id })),
    },
  )
}
