// Tells both sides before a licence ends: those who could give it a later end, and those who would issue nothing more. One letter for each licensee and run,
// to all who administer the tenancy, whatever ends.

import { licencesGiven } from '#areas/authorities/licensing.ts'
import { licenceRefusal, type LicenceTerm } from '#areas/authorities/rules.ts'
import { listIssuers } from '#areas/authorities/service.ts'
import { linkTo, queueMail } from '#areas/mail/service.ts'
import { listOwnTemplates, templateLicencesGiven } from '#areas/templates/service.ts'
import { findTenancy } from '#areas/tenancy/service.ts'
import { peopleWhoMay } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import { visitTenant, type Database } from '#core/server/database.ts'
import { doneEvent, writeEvents } from '#core/server/events.ts'
import type { House, TenantWork } from '#core/server/house.ts'
import type { TenancyTurn } from '#core/server/serve.ts'
import { message, type Message } from '#core/server/texts.ts'
import { licensing } from '../contract.ts'
import { mailWords } from '../mail-words.ts'
import { daysLeft, dueEndNotice } from '../rules.ts'
import { endNoticesSent, insertEndNotices } from './store.ts'

const clerk = { name: 'Licence notices' }

/** A licence whose end is to be told of. `name`: what it is for, as a sentence goes on with it. */
type Ending = {
  subjectId: string
  caId: string
  templateId?: string
  licenseeId: string
  name: Message
  until: string
  left: number
  days: number
}

/** Job: 30, 7 and 1 days before the end, each once. */
export const tellOfLicenceEnds = ({ house, tenantId }: TenancyTurn): Promise<void> =>
  house.work(tenantId, clerk, (work) => tellOfTenancy(house, work, tenantId, house.now()))

async function tellOfTenancy(house: House, { db, emitFor }: TenantWork, tenantId: string, now: Date): Promise<void> {
  const ending = await endingOf(db, tenantId, now)
  const ownName = (await findTenancy(db, tenantId))?.name ?? ''
  for (const [licenseeId, those] of Map.groupBy(ending, (one) => one.licenseeId)) {
    await insertEndNotices(
      db,
      those.map(({ subjectId, until, days }) => ({
        tenant_id: tenantId,
        subject_id: subjectId,
        licensee_id: licenseeId,
        until_day: until,
        days,
        told_at: now,
      })),
    )
    const licenseeName = (await findTenancy(db, licenseeId))?.name ?? ''
    for (const one of those) emitFor(licensing)('endNoticed', noticed(one, tenantId), one.subjectId)
    await write(
      db,
      tenantId,
      {
        ...mailOf(those, message(mailWords.given, { count: those.length, tenancy: licenseeName })),
        link: linkTo(house, to(licensing.screens.licences)),
      },
      now,
    )
    await visitTenant(db, { home: tenantId, tenantId: licenseeId }, async () => {
      await writeEvents(
        db,
        licenseeId,
        those.map((one) =>
          doneEvent(now, clerk, { area: licensing.area, name: 'endNoticed', body: noticed(one, tenantId), about: one.subjectId }),
        ),
      )
      await write(
        db,
        licenseeId,
        {
          ...mailOf(those, message(mailWords.taken, { count: those.length, tenancy: ownName })),
          link: linkTo(house, to(licensing.screens.templates)),
        },
        now,
      )
    })
  }
}

const noticed = ({ caId, templateId, licenseeId, until, days }: Ending, ownerId: string) => ({
  caId,
  ...(templateId !== undefined && { templateId }),
  ownerId,
  tenantId: licenseeId,
  until,
  days,
})

async function endingOf(db: Database, tenantId: string, now: Date): Promise<Ending[]> {
  const authorities = await licencesGiven(db, tenantId)
  const sent = authorities.length === 0 ? [] : await endNoticesSent(db, tenantId)
  const dueOf = (subjectId: string, licenseeId: string, term: LicenceTerm): { until: string; left: number; days: number } | undefined => {
    const left = daysLeft(term, now)
    if (term.until === undefined || left === undefined || licenceRefusal(term, now) !== undefined) return undefined
    const known = sent.filter((row) => row.subject_id === subjectId && row.licensee_id === licenseeId && row.until_day === term.until)
    const days = dueEndNotice(
      left,
      known.map((row) => row.days),
    )
    return days === undefined ? undefined : { until: term.until, left, days }
  }
  const names = new Map((await listIssuers(db, tenantId, now)).map(({ caId, friendlyName }) => [caId, friendlyName]))
  const ending = authorities.flatMap(({ caId, tenantId: licenseeId, term }): Ending[] => {
    const due = dueOf(caId, licenseeId, term)
    return due === undefined
      ? []
      : [{ ...due, subjectId: caId, caId, licenseeId, name: message(mailWords.authority.name, { name: names.get(caId) ?? '' }) }]
  })
  const templates = new Map((await listOwnTemplates(db, tenantId)).map((template) => [template.id, template]))
  for (const { templateId, tenantId: licenseeId, term } of await templateLicencesGiven(db, tenantId)) {
    const template = templates.get(templateId)
    const authority = authorities.find((one) => one.caId === template?.caId && one.tenantId === licenseeId)
    const due = dueOf(templateId, licenseeId, term)
    // It holds no longer than that of its authority, whose end says it for both.
    const covered =
      authority === undefined ||
      licenceRefusal(authority.term, now) !== undefined ||
      (authority.term.until !== undefined && term.until !== undefined && authority.term.until <= term.until)
    if (due !== undefined && template !== undefined && !covered)
      ending.push({
        ...due,
        subjectId: templateId,
        caId: template.caId,
        templateId,
        licenseeId,
        name: message(mailWords.template.name, { name: template.displayName || template.templateName }),
      })
  }
  return ending
}

type Letter = { subject: Message; text: readonly (Message | readonly Message[])[] }

function mailOf(those: readonly Ending[], about: Message): Letter {
  const [first] = those.toSorted((a, b) => a.left - b.left)
  const lines = those.map(({ templateId, name: what, left, until }) =>
    message(templateId === undefined ? mailWords.authorityEnds : mailWords.templateEnds, { what, left, until: new Date(until) }),
  )
  const left = first?.left ?? 0
  return {
    subject:
      those.length === 1 && first !== undefined
        ? message(mailWords.one.subject, { left, what: first.name })
        : message(mailWords.many.subject, { count: those.length, left }),
    text: [about, lines, message(mailWords.after, { count: those.length })],
  }
}

/** To those who administer the tenancy, whose row security is set. */
async function write(db: Database, tenantId: string, mail: Letter & { link: string }, now: Date): Promise<void> {
  const readers = await peopleWhoMay(db, tenantId, licensing.screens.licences.needs)
  for (const { id: userId, emailAddress } of readers)
    await queueMail({ db, tenantId, now }, { to: { userId, emailAddress }, kind: 'licenceEnding', ...mail })
}
