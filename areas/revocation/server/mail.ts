// The holder of a person's certificate hears that somebody else put it on hold, or released it: until then it is refused without a word.

import { inBrackets } from '#areas/certificates/rules.ts'
import { findRecord, pathFor } from '#areas/certificates/service.ts'
import { linkTo, queueMail } from '#areas/mail/service.ts'
import { findPerson } from '#areas/users/service.ts'
import type { House } from '#core/server/house.ts'
import { on, type EventDelivery, type Subscription } from '#core/server/serve.ts'
import { revocation } from '../contract.ts'

const mails = {
  held: {
    subject: 'On hold',
    did: 'was put on hold',
    follows: 'Whoever verifies it refuses it until it is released. Whoever may revoke certificates here can release it.',
  },
  released: { subject: 'Released from hold', did: 'was released from hold', follows: 'Whoever verifies it accepts it again.' },
} as const

const onEvent = (name: keyof typeof mails): Subscription =>
  on(revocation.events[name], (delivery, house) => tellHolder(house, delivery, mails[name]))

export const tellHolders: readonly Subscription[] = [onEvent('held'), onEvent('released')]

async function tellHolder(
  house: House,
  { tenantId, about, actor, actorId }: EventDelivery,
  { subject, did, follows }: (typeof mails)[keyof typeof mails],
): Promise<void> {
  await house.work(tenantId, { name: 'Revocation notices' }, async ({ db, tenancy }) => {
    const certificate = await findRecord(db, tenantId, { certId: about })
    const holderId = certificate?.holder_user_id ?? undefined
    if (certificate === undefined || certificate.entity !== 'user' || holderId === undefined || holderId === actorId) return
    const holder = await findPerson(db, tenantId, holderId)
    if (holder === undefined || !holder.enabled) return
    const text = `The certificate for ${certificate.name}${inBrackets(certificate.template_name)} ${did} by ${actor}. ${follows}`
    await queueMail(tenancy, {
      to: { userId: holder.id, emailAddress: holder.emailAddress },
      kind: 'certificateChanged',
      subject: `${subject}: ${certificate.name}`,
      text,
      link: linkTo(house, await pathFor(db, holder.id, certificate)),
    })
  })
}
