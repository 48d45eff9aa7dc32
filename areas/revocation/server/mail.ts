// The holder of a person's certificate hears that somebody else put it on hold, or released it: until then it is refused without a word.

import { inBrackets } from '#areas/certificates/rules.ts'
import { findRecord, pathFor } from '#areas/certificates/service.ts'
import { linkTo, queueMail } from '#areas/mail/service.ts'
import { findPerson } from '#areas/users/service.ts'
import type { House } from '#core/server/house.ts'
import { on, type EventDelivery, type Subscription } from '#core/server/serve.ts'
import { message } from '#core/server/texts.ts'
import { revocation } from '../contract.ts'
import { mailWords } from '../mail-words.ts'

const onEvent = (name: keyof typeof mailWords): Subscription =>
  on(revocation.events[name], (delivery, house) => tellHolder(house, delivery, mailWords[name]))

export const tellHolders: readonly Subscription[] = [onEvent('held'), onEvent('released')]

async function tellHolder(
  house: House,
  { tenantId, about, actor, actorId }: EventDelivery,
  { subject, text }: (typeof mailWords)[keyof typeof mailWords],
): Promise<void> {
  await house.work(tenantId, { name: 'Revocation notices' }, async ({ db, tenancy }) => {
    const certificate = await findRecord(db, tenantId, { certId: about })
    const holderId = certificate?.holder_user_id ?? undefined
    if (certificate === undefined || certificate.entity !== 'user' || holderId === undefined || holderId === actorId) return
    const holder = await findPerson(db, tenantId, holderId)
    if (holder === undefined || !holder.enabled) return
    const { name } = certificate
    await queueMail(tenancy, {
      to: { userId: holder.id, emailAddress: holder.emailAddress },
      kind: 'certificateChanged',
      subject: message(subject, { name }),
      text: message(text, { name, template: inBrackets(certificate.template_name), by: actor }),
      link: linkTo(house, await pathFor(db, holder.id, certificate)),
    })
  })
}
