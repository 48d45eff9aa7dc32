// Writes down what a check found, and what follows from it.

import { linkTo, queueMail } from '#areas/mail/service.ts'
import { peopleWhoMay } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import type { Emit } from '#core/server/emit.ts'
import type { House, TenancyTurn } from '#core/server/house.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { message } from '#core/server/texts.ts'
import { domains } from '../contract.ts'
import { mailWords } from '../mail-words.ts'
import { claimEnds, failuresUntilLapse, nextCheck, type DomainState } from '../rules.ts'
import { isGone, seekProof, type Outcome } from './proof.ts'
import {
  deleteDomain,
  deleteProof,
  findDomain,
  findProofs,
  insertProof,
  listDue,
  lockDomain,
  updateDomain,
  type DomainRecord,
} from './store.ts'

const clerk = { name: 'Domains' }
const checksOfATurn = 10

type Settling = {
  tenancy: Tenancy
  emit: Emit<typeof domains>
  house: House
  /** The job asks: what fails now counts towards the lapse. */ counted: boolean
}

/** `elsewhere`: another tenancy holds a proof of the domain, so that this one counts only once that is gone. */
export type Settled = { state: DomainState; elsewhere?: true }

export async function settle({ tenancy, emit, house, counted }: Settling, id: string, outcome: Outcome): Promise<Settled | undefined> {
  const { db, tenantId, now } = tenancy
  const row = await lockDomain(tenancy, id)
  if (row === undefined) return undefined
  const body = { domainId: id, name: row.name }
  const seen = { checked_at: now, seen: outcome.seen }
  // Drops a file's proof where names below were included while the check ran: a file is of one host.
  const proof = outcome.proof === 'http' && row.includes_subdomains ? undefined : outcome.proof
  if (proof !== undefined) {
    const holder = await insertProof(db, {
      name: row.name,
      tenant_id: tenantId,
      domain_id: id,
      includes_subdomains: row.includes_subdomains,
    })
    if (holder !== undefined) {
      await updateDomain(tenancy, id, { ...seen, next_check_at: nextCheck(row.state, row.failures, now) })
      return { state: row.state, elsewhere: true }
    }
    const fresh = row.state !== 'proved'
    await updateDomain(tenancy, id, {
      ...seen,
      state: 'proved',
      proof,
      failures: 0,
      next_check_at: nextCheck('proved', 0, now),
      ...(fresh ? { proved_at: now } : {}),
    })
    if (fresh) emit('proved', { ...body, proof }, id)
    return { state: 'proved' }
  }
  if (row.state === 'claimed' && counted && claimEnds(row.added_at) <= now) {
    await deleteDomain(tenancy, id)
    emit('expired', body, id)
    return undefined
  }
  const failures = row.state === 'proved' && counted ? row.failures + 1 : row.failures
  if (row.state === 'proved' && failures >= failuresUntilLapse) return lapse({ tenancy, emit, house }, row, outcome)
  await updateDomain(tenancy, id, { ...seen, failures, next_check_at: nextCheck(row.state, failures, now) })
  if (failures > row.failures && failures === 1) await tell({ tenancy, house }, row, 'missing')
  return { state: row.state }
}

async function lapse(
  { tenancy, emit, house }: Omit<Settling, 'counted'>,
  row: DomainRecord,
  { seen }: Pick<Outcome, 'seen'>,
): Promise<Settled> {
  const { db, now } = tenancy
  await deleteProof(db, row.id)
  await updateDomain(tenancy, row.id, { state: 'lapsed', failures: 0, seen, checked_at: now, next_check_at: nextCheck('lapsed', 0, now) })
  emit('lapsed', { domainId: row.id, name: row.name }, row.id)
  await tell({ tenancy, house }, row, 'lapsed')
  return { state: 'lapsed' }
}

async function tell(
  { tenancy, house }: Pick<Settling, 'tenancy' | 'house'>,
  { id, name }: DomainRecord,
  what: 'missing' | 'lapsed',
): Promise<void> {
  const { db, tenantId } = tenancy
  const { subject, text } = mailWords[what]
  for (const person of await peopleWhoMay(db, tenantId, 'manageDomains'))
    await queueMail(tenancy, {
      to: { userId: person.id, emailAddress: person.emailAddress },
      kind: 'domainProof',
      subject: message(subject, { name }),
      text: message(text, { name }),
      link: linkTo(house, to(domains.screens.view, { id })),
    })
}

/**
 * Takes the domain from another tenancy that has lost its proof without a check so far. Answers false where that proof stands, or where nobody can tell:
 * name servers that give no answer take a domain from nobody.
 */
export async function releaseHolder(house: House, name: string): Promise<boolean> {
  const [holder] = await findProofs(house.database, [name])
  if (holder === undefined) return true
  const row = await withTenancy(house, holder.tenant_id, (tenancy) => findDomain(tenancy, holder.domain_id))
  if (row === undefined) return false
  const outcome = await seekProof(house, row)
  if (!isGone(row.proof, outcome)) return false
  await house.work(holder.tenant_id, clerk, async ({ tenancy, emitFor }) => {
    const held = await lockDomain(tenancy, row.id)
    if (held?.state === 'proved') await lapse({ tenancy, emit: emitFor(domains), house }, held, outcome)
  })
  return true
}

/** Job: looks at what is due, a few of each tenancy at a time. */
export async function recheck({ house, tenantId, until }: TenancyTurn): Promise<'more' | void> {
  const due = await withTenancy(house, tenantId, (tenancy) => listDue(tenancy, checksOfATurn))
  for (const row of due) {
    if (performance.now() > until) return 'more'
    const outcome = await seekProof(house, row)
    await house.work(tenantId, clerk, ({ tenancy, emitFor }) =>
      settle({ tenancy, emit: emitFor(domains), house, counted: true }, row.id, outcome),
    )
  }
  if (due.length === checksOfATurn) return 'more'
}
