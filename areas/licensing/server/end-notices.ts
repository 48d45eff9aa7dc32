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
import { licensing } from '../contract.ts'
import { daysLeft, dueEndNotice } from '../rules.ts'
import { endNoticesSent, insertEndNotices } from './store.ts'

const clerk = { name: 'Licence notices' }

/** A licence whose end is to be told of. `name`: what it is for, as a sentence goes on with it. */
type Ending = {
  subjectId: string
  caId: string
  templateId?: string
  licenseeId: string
  name: string
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
      { ...mailOf(those, `that ${licenseeName} has from you`), link: linkTo(house, to(licensing.screens.licences)) },
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
        { ...mailOf(those, `that you have from ${ownName}`), link: linkTo(house, to(licensing.screens.templates)) },
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
    return due === undefined ? [] : [{ ...due, subjectId: caId, caId, licenseeId, name: `the authority ${names.get(caId) ?? ''}` }]
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
        name: `the template ${template.displayName || template.templateName}`,
      })
  }
  return ending
}

const whenOf = ({ left }: Ending): string => (left === 0 ? 'today' : left === 1 ? 'tomorrow' : `in ${left} days`)

function mailOf(those: readonly Ending[], whose: string): { subject: string; text: string } {
  const [first] = those.toSorted((a, b) => a.left - b.left)
  const lines = those.map(
    (one) =>
      `The licence for ${one.name} ends ${whenOf(one)}${one.templateId === undefined ? ', and with it those for its templates' : ''}: its last day is ${one.until}.`,
  )
  return {
    subject:
      those.length === 1 && first !== undefined
        ? `Licence ends ${whenOf(first)}: ${first.name}`
        : `${those.length} licences end, the first ${first === undefined ? 'soon' : whenOf(first)}`,
    text: `This is about ${those.length === 1 ? 'a licence' : 'licences'} ${whose}.\n\n${lines.join('\n')}\n\nAfter that day nothing is issued under ${those.length === 1 ? 'it' : 'them'}, renewals included. What was issued stays valid, and can be seen and revoked.`,
  }
}

/** To those who administer the tenancy, whose row security is set. */
async function write(db: Database, tenantId: string, mail: { subject: string; text: string; link: string }, now: Date): Promise<void> {
  const readers = await peopleWhoMay(db, tenantId, licensing.screens.licences.needs)
  for (const { id: userId, emailAddress } of readers)
    await queueMail({ db, tenantId, now }, { to: { userId, emailAddress }, kind: 'licenceEnding', ...mail })
}
