// What the console shows: the checks as they were found last, and the forecast of what ends when.

import { licencesGiven } from '#areas/authorities/licensing.ts'
import { movedFrom } from '#areas/authorities/moved.ts'
import { countCertificates } from '#areas/certificates/service.ts'
import { licenceState } from '#areas/licensing/rules.ts'
import { wholeList } from '#areas/revocation/rules.ts'
import { endOfValidity } from '#areas/templates/rules.ts'
import { listTemplates } from '#areas/templates/service.ts'
import { listTenancies } from '#areas/tenancy/service.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import type { health } from '../contract.ts'
import { checkKinds, fitsUntil, isFinding, lifeMarks, worstState, type HealthState } from '../rules.ts'
import { allChecks, type CheckRow } from './store.ts'
import { surveyOf, type Surveyed } from './survey.ts'

type AuthorityHealth = DraftOf<{ input: (typeof health)['calls']['authority']['output'] }>
type Row = Omit<AuthorityHealth, 'warnsAt' | 'shortened' | 'cutShort' | 'crosses' | 'licences'>

const isKept = ({ finding }: CheckRow): boolean => isFinding(finding)

function presentRow(authority: Surveyed, checks: readonly CheckRow[], pkiUrl: string): Row {
  const { caId, friendlyName, kind, status, revoked, notAfter, freshness, supplied } = authority
  const whole = supplied ?? freshness?.lists.find(({ part }) => part === wholeList)?.list
  const from = movedFrom(authority, pkiUrl)
  const own = checks.filter(isKept).toSorted((a, b) => checkKinds.indexOf(a.kind) - checkKinds.indexOf(b.kind))
  return {
    caId,
    caName: friendlyName,
    kind,
    status,
    revoked,
    state: worstState(own.map(({ state }) => state)),
    checks: own.map(({ kind: check, state, finding, params, since }) => ({
      kind: check,
      state,
      finding,
      params,
      since: since.toISOString(),
    })),
    notAfter: notAfter?.toISOString(),
    nextUpdate: whole?.nextUpdate.toISOString(),
    signerUntil: freshness?.signer?.notAfter.toISOString(),
    moved: from === undefined ? undefined : { from, to: pkiUrl },
    probedAt: own.find(({ kind: check }) => check === 'ocsp')?.checked_at.toISOString(),
  }
}

const worstFirst: Record<HealthState, number> = { failing: 0, late: 1, ok: 2 }

/** Every authority of the tenancy, those in trouble first. */
export async function readHealth(db: Database, tenantId: string, pkiUrl: string, now: Date): Promise<Row[]> {
  const checks = Map.groupBy(await allChecks(db, tenantId), ({ ca_id: caId }) => caId)
  const rows = (await surveyOf(db, tenantId, now)).map((authority) => presentRow(authority, checks.get(authority.caId) ?? [], pkiUrl))
  return rows.toSorted((a, b) => worstFirst[a.state] - worstFirst[b.state] || a.caName.localeCompare(b.caName, 'en'))
}

/** One of them, with what its end means for what it issues. */
export async function readOne(
  db: Database,
  tenantId: string,
  caId: string,
  pkiUrl: string,
  now: Date,
): Promise<AuthorityHealth | undefined> {
  const [authority] = await surveyOf(db, tenantId, now, caId)
  if (authority === undefined) return undefined
  const { life } = authority
  const row = presentRow(authority, await allChecks(db, tenantId, caId), pkiUrl)
  // The stretch of the one second in which it ends.
  const span = life === undefined ? '' : `${life.notAfter.toISOString()}/${new Date(life.notAfter.getTime() + 1000).toISOString()}`
  const counted = span === '' ? 0 : await countCertificates(db, tenantId, { caId: [caId], status: ['active', 'expiring'], ends: span }, now)
  return {
    ...row,
    warnsAt: life === undefined ? [] : lifeMarks(life),
    shortened: life === undefined ? [] : await shortenedBy(db, tenantId, caId, life.notAfter, now),
    crosses: authority.crosses.map(({ subject, issuer, notAfter }) => ({ subject, issuer, notAfter: notAfter.toISOString() })),
    licences: await endingLicences(db, tenantId, caId, now),
    cutShort: { count: Math.min(counted, countedUpTo), more: counted > countedUpTo, span },
  }
}

async function endingLicences(db: Database, tenantId: string, caId: string, now: Date): Promise<AuthorityHealth['licences']> {
  const ending = (await licencesGiven(db, tenantId)).filter(
    (given) => given.caId === caId && given.term.enabled && given.term.until !== undefined,
  )
  if (ending.length === 0) return []
  const names = new Map((await listTenancies(db)).map(({ id, name }) => [id, name]))
  return ending
    .map(({ tenantId: licenseeId, term }) => ({
      tenancy: names.get(licenseeId) ?? '',
      until: term.until ?? '',
      state: licenceState(term, now),
    }))
    .toSorted((a, b) => a.until.localeCompare(b.until))
}

async function shortenedBy(db: Database, tenantId: string, caId: string, end: Date, now: Date): Promise<AuthorityHealth['shortened']> {
  const own = (await listTemplates(db, tenantId, now)).filter(
    (template) => template.caId === caId && template.enabled && template.extensions.validityPeriodUnits !== 'UNKNOWN',
  )
  return own
    .map(({ id, templateName, extensions: { validityPeriod, validityPeriodUnits } }) => ({
      templateId: id,
      templateName,
      from: fitsUntil((from) => endOfValidity(from, validityPeriod, validityPeriodUnits), end, now)?.toISOString(),
    }))
    .toSorted((a, b) => (a.from ?? '').localeCompare(b.from ?? ''))
}
