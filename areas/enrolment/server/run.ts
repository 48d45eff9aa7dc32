// A rule at work: for each that it names it looks whether a certificate is due, and makes the request that is missing. Run twice it makes none twice;
// two runs at once meet at the request's key.

import { holdingsOf, requestFor, stagesOf, waitingForTemplate } from '#areas/certificates/enrolling.ts'
import { myRequestPath } from '#areas/certificates/paths.ts'
import { linkTo, queueMail } from '#areas/mail/service.ts'
import { membersOf } from '#areas/roles/service.ts'
import { rightsOf } from '#areas/users/rights.ts'
import { findPeople, searchPeople, type Person } from '#areas/users/service.ts'
import { dayText } from '#core/contract/days.ts'
import { noPermission } from '#core/contract/permissions.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { forEach } from '#core/server/each.ts'
import type { House } from '#core/server/house.ts'
import type { TenancyTurn, Viewer } from '#core/server/serve.ts'
import { message } from '#core/server/texts.ts'
import { say } from '#standards/say/say.ts'
import { enrolment } from '../contract.ts'
import { mailWords } from '../mail-words.ts'
import { isDue, requestKey } from '../rules.ts'
import { allRules, findRule, lockRule, noteRun, outcomesOf, replaceOutcomes, type OutcomeRecord, type RuleRecord } from './store.ts'

/** More than one run asks for; the next takes up the rest. */
const mostRequests = 500
const mostPeople = 5_000

type Subject = { subject: string; name: string; person?: Person }

async function subjectsOf(db: Database, rule: RuleRecord): Promise<Subject[]> {
  if (rule.entity === 'device') return rule.device_names.map((name) => ({ subject: name.toLowerCase(), name }))
  const ids = new Set<string>()
  for (const roleId of rule.role_ids) for (const id of await membersOf(db, rule.tenant_id, roleId)) ids.add(id)
  const people =
    rule.role_ids.length === 0 ? await searchPeople(db, rule.tenant_id, '', mostPeople) : await findPeople(db, rule.tenant_id, [...ids])
  return people
    .filter(({ enabled }) => enabled)
    .map((person) => ({ subject: person.id, name: `${person.givenName} ${person.familyName}`.trim(), person }))
}

/** For a person's own certificate the rule is leave to ask; a device's is asked for by the rule's maker, with what that person may do now. */
async function viewerFor(db: Database, rule: RuleRecord, person: Person | undefined): Promise<Viewer | undefined> {
  const base = { tenantId: rule.tenant_id, homeTenantId: rule.tenant_id, via: 'job' as const, credentialId: rule.id }
  if (person !== undefined)
    return { ...base, userId: person.id, username: person.username, permission: { ...noPermission, api: ['certSigningRequestUser'] } }
  const maker = await rightsOf(db, { userId: rule.made_by, homeTenantId: rule.tenant_id }, rule.tenant_id)
  if (maker?.permission.api.includes('certSigningRequest') !== true) return undefined
  return { ...base, userId: maker.person.id, username: maker.person.username, permission: maker.permission }
}

const stageTexts: Record<string, string> = {
  waiting: 'Waits for approval',
  awaitingKey: 'Ready to collect',
  approved: 'Being issued',
  reserved: 'Being issued',
  issued: 'Issued',
}

export type RunCounts = { held: number; requested: number; refused: number }

/** Runs the rule once. Not inside a transaction. */
export async function runRule(house: House, tenantId: string, ruleId: string): Promise<RunCounts | undefined> {
  const now = house.now()
  const rule = await inTenant(house.database, tenantId, (db) => findRule(db, tenantId, ruleId))
  if (rule === undefined || !rule.enabled) return undefined
  const known = await inTenant(house.database, tenantId, async (db) => ({
    subjects: await subjectsOf(db, rule),
    holdings: await holdingsOf(db, tenantId, rule.template_id, rule.entity, now),
    open: await waitingForTemplate(db, tenantId, rule.template_id),
    before: new Map((await outcomesOf(db, tenantId, ruleId)).map((outcome) => [outcome.subject, outcome])),
    maker: rule.entity === 'device' ? await viewerFor(db, rule, undefined) : undefined,
  }))
  const outcomes: OutcomeRecord[] = []
  let asked = 0
  for (const { subject, name, person } of known.subjects) {
    const holding = known.holdings.get(subject)
    const key = requestKey(rule, subject, holding?.certificateId)
    const note = (state: OutcomeRecord['state'], reason: string, requestId: string | null = null) =>
      void outcomes.push({
        tenant_id: tenantId,
        rule_id: ruleId,
        subject,
        subject_name: name,
        state,
        reason,
        request_id: requestId,
        request_key: key,
        at: now,
      })
    const last = known.before.get(subject)
    if (!isDue(holding, rule.renew_days, now)) note('held', `Valid until ${holding && dayText(holding.notAfter)}`)
    else if (rule.entity === 'user' && known.open.has(subject)) note('requested', '', known.open.get(subject) ?? null)
    else if (last?.request_key === key && last.request_id !== null) note('requested', '', last.request_id)
    else if (asked >= mostRequests) note('refused', `More than ${mostRequests} are due: the next run goes on`)
    else {
      const viewer = person === undefined ? known.maker : await inTenant(house.database, tenantId, (db) => viewerFor(db, rule, person))
      if (viewer === undefined) {
        note('refused', `${rule.made_by_name}, who made this rule, may not ask for certificates of devices now`)
        continue
      }
      asked += 1
      const values: Record<string, string[]> = rule.entity === 'device' ? { DNS: [name] } : {}
      const made = await requestFor(house, {
        tenantId,
        viewer,
        entity: rule.entity,
        templateId: rule.template_id,
        values,
        key,
        by: `Auto-enrolment (${rule.name})`,
      })
      if ('refused' in made) note('refused', made.refused)
      else {
        note('requested', '', made.requestId)
        if (made.ready && person !== undefined) await tellHolder(house, rule, person, made.requestId)
      }
    }
  }
  return house.work(tenantId, { name: 'Auto-enrolment' }, async ({ db, emitFor }) => {
    const stages = await stagesOf(
      db,
      tenantId,
      outcomes.flatMap(({ request_id }) => request_id ?? []),
    )
    const settled = outcomes.map((outcome): OutcomeRecord => {
      const found = outcome.request_id === null ? undefined : stages.get(outcome.request_id)
      if (found === undefined) return outcome
      const word = stageTexts[found.stage]
      return word === undefined
        ? {
            ...outcome,
            state: 'refused',
            reason: endText(found.stage === 'failed', found.error),
          }
        : { ...outcome, reason: word }
    })
    // Somebody deleted the rule meanwhile: what it did stays in the requests.
    if ((await lockRule(db, tenantId, ruleId)) === undefined) return undefined
    await replaceOutcomes(db, tenantId, ruleId, settled)
    await noteRun(db, tenantId, ruleId, now)
    const count = (state: OutcomeRecord['state']) => settled.filter((outcome) => outcome.state === state).length
    if (asked > 0) emitFor(enrolment)('ran', { ruleId, requested: count('requested'), refused: count('refused') }, ruleId)
    return { held: count('held'), requested: count('requested'), refused: count('refused') }
  })
}

/** Why there is no certificate, and what would bring it up again. */
const endText = (failed: boolean, reason: string): string => {
  if (reason === '')
    return failed
      ? say`Could not be issued. It is asked for again when the rule is changed`
      : say`Denied or withdrawn. It is asked for again when the rule is changed`
  return failed
    ? say`Could not be issued: ${reason}. It is asked for again when the rule is changed`
    : say`Denied or withdrawn: ${reason}. It is asked for again when the rule is changed`
}

/** The person has not asked for anything: the letter says what it is. Sent when the request is made, so once. */
async function tellHolder(house: House, rule: RuleRecord, person: Person, requestId: string): Promise<void> {
  await house.work(rule.tenant_id, { name: 'Auto-enrolment' }, async ({ tenancy }) => {
    await queueMail(tenancy, {
      to: { userId: person.id, emailAddress: person.emailAddress },
      kind: 'requestDecided',
      subject: message(mailWords.ready.subject),
      text: message(mailWords.ready.text, { rule: rule.name }),
      link: linkTo(house, myRequestPath('user', requestId)),
    })
  })
}

/** Job: every rule. */
export async function runAllRules({ house, tenantId }: TenancyTurn): Promise<void> {
  const rules = await inTenant(house.database, tenantId, (db) => allRules(db, tenantId))
  await forEach(
    rules.filter(({ enabled }) => enabled),
    ({ id }) => runRule(house, tenantId, id),
  )
}
