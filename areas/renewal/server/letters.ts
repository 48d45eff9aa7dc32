// The mail of this room: to whoever's turn it is. That is who holds the certificate, or asked for it, or for its renewal.

import { dayText } from '#core/contract/days.ts'
import { to } from '#core/contract/paths.ts'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { myRequestPath } from '#areas/certificates/paths.ts'
import type { Renewable } from '#areas/certificates/renewing.ts'
import { linkTo, queueMail } from '#areas/mail/service.ts'
import { findPerson } from '#areas/users/service.ts'
import { renewal } from '../contract.ts'

export type Turn = 'awaitingHolder' | 'awaitingKey' | 'collect'

type Told = { tenantId: string; turn: Turn; requestId?: string; personId: string }

export async function tellOf(db: Database, house: House, certificate: Renewable, { tenantId, turn, requestId, personId }: Told): Promise<void> {
  const person = await findPerson(db, tenantId, personId)
  if (person === undefined || !person.enabled) return
  const what = `The certificate for ${certificate.name} (${certificate.template_name}) ends on ${dayText(certificate.not_after)}.`
  const letters = {
    awaitingHolder: { kind: 'certificateExpiring', subject: `Renew: ${certificate.name}`, text: `${what} Open this page and choose "Renew now". It asks whether the key stays or a new one comes in its place.` },
    awaitingKey: { kind: 'certificateExpiring', subject: `A new key is needed: ${certificate.name}`, text: `${what} It is renewed with a new key, which is yours to make: make a certificate request (CSR) from it and send it on this page.` },
    collect: { kind: 'requestDecided', subject: `Renewed, ready to collect: ${certificate.name}`, text: `${what} Its renewal is ready. Collect it with its new key; the key is made at that moment.` },
  } as const
  const path = turn === 'collect' && requestId !== undefined ? myRequestPath(certificate.entity, requestId) : to(renewal.screens.view, { certId: certificate.id })
  await queueMail(db, { tenantId, to: { userId: person.id, emailAddress: person.emailAddress }, ...letters[turn], link: linkTo(house, path) }, house.now())
}
