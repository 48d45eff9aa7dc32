// What is to happen in the demonstration's past: which certificates, for whom or what, when, and how each ended.

import type { CertificateDraft } from '#areas/templates/plan.ts'
import { planCertificate } from '#areas/templates/plan.ts'
import { keyKinds, type Entity, type KeyKindName } from '#areas/templates/rules.ts'
import type { Template } from '#areas/templates/service.ts'
import { fullName } from '#areas/users/service.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import type { Chance } from './chance.ts'
import { fates, openShares, peopleShare, revocationReasons, type Fate, type OpenKind } from './estate.ts'
import type { FoundTenancy, Member } from './found.ts'
import { isOwnKey } from './keys.ts'

export type Wanted = {
  tenancy: FoundTenancy
  template: Template
  entity: Entity
  holder: Member | undefined
  requester: Member
  draft: CertificateDraft
  typed: Record<string, string[]>
  key: KeyKindName
  name: string
}

export type PlannedRevocation = { at: Date; reason: RevocationReason; note: string }
export type PlannedCertificate = Wanted & { at: Date; revocation: PlannedRevocation | undefined }
export type PlannedRequest = Wanted & { at: Date; kind: OpenKind }
export type History = { certificates: PlannedCertificate[]; requests: PlannedRequest[]; retiredAt: Date }

const day = 86_400_000
const daysOf = ({ extensions: { validityPeriod, validityPeriodUnits } }: Template): number =>
  validityPeriod * (validityPeriodUnits === 'YEARS' ? 365 : validityPeriodUnits === 'MONTHS' ? 30.4 : 1)

/** `began` is when the first certificate may have been issued. */
export function planHistory(tenancies: readonly FoundTenancy[], count: number, began: Date, now: Date, chance: Chance): History {
  const retiredAt = new Date(now.getTime() - 200 * day)
  const span = { oldest: (now.getTime() - began.getTime()) / day, retired: 200 }
  const weights = tenancies.map((tenancy) => ({ tenancy, weight: tenancy.plan.share }))
  const certificates = Array.from({ length: count }, (): PlannedCertificate => {
    const wanted = wish(chance.weighted(weights).tenancy, chance)
    const { fate } = chance.weighted(fates)
    const at = inWorkingHours(new Date(now.getTime() - ageFor(fate, wanted, span, chance) * day), now)
    return { ...wanted, at, revocation: fate === 'revoked' ? revocationAfter(at, wanted, now, chance) : undefined }
  })
  const requests = Object.entries(openShares).flatMap(([kind, share]) =>
    Array.from({ length: Math.max(1, Math.round((count * share) / 1000)) }, () =>
      openRequest(kind as OpenKind, tenancies, weights, now, chance),
    ),
  )
  return { certificates: certificates.sort((a, b) => a.at.getTime() - b.at.getTime()), requests, retiredAt }
}

/** In days. Where a kind of certificate lives too long for its fate, the nearest age that it can have. */
function ageFor(fate: Fate, { template, tenancy }: Wanted, span: { oldest: number; retired: number }, chance: Chance): number {
  const life = daysOf(template)
  const youngest = template.caId === tenancy.retiredCaId ? span.retired + 1 : 0.1
  const [from, to] = {
    active: [0, life - 33],
    expiring: [life - 27, life - 2],
    expired: [life + 2, span.oldest],
    revoked: [3, life * 1.4],
  }[fate] as [number, number]
  const low = Math.min(Math.max(from, youngest), span.oldest - 1)
  const high = Math.max(low, Math.min(to, span.oldest))
  return low + chance.number() * (high - low)
}

/** People ask by day. */
function inWorkingHours(at: Date, now: Date): Date {
  const moved = new Date(at)
  moved.setUTCHours(8 + (at.getUTCHours() % 10))
  return moved < now ? moved : at
}

function revocationAfter(at: Date, { template, key }: Wanted, now: Date, chance: Chance): PlannedRevocation {
  const end = Math.min(now.getTime() - 3_600_000, at.getTime() + daysOf(template) * day)
  const { reason, note } = chance.weighted(revocationReasons.filter((one) => one.reason !== 'keyCompromise' || isOwnKey(key)))
  return { at: chance.between(new Date(at.getTime() + day / 4), new Date(Math.max(end, at.getTime() + day / 2))), reason, note }
}

function openRequest(
  kind: OpenKind,
  tenancies: readonly FoundTenancy[],
  weights: readonly { tenancy: FoundTenancy; weight: number }[],
  now: Date,
  chance: Chance,
): PlannedRequest {
  const fits: Record<OpenKind, (wanted: Wanted) => boolean> = {
    waiting: ({ template }) => template.issueApprovers > 0,
    denied: ({ template }) => template.issueApprovers > 0,
    withdrawn: ({ template }) => template.issueApprovers > 0,
    // Agreed to, with a key that the server makes when its owner comes for it.
    awaitingKey: ({ entity, template }) => entity === 'user' && template.issueApprovers < 2,
    // Only what asks an authority that has stopped.
    failed: ({ template, tenancy }) => template.caId === tenancy.retiredCaId,
  }
  const among =
    kind === 'failed'
      ? tenancies.filter(({ retiredCaId }) => retiredCaId !== undefined).map((tenancy) => ({ tenancy, weight: 1 }))
      : weights
  const oldest = { waiting: 9, awaitingKey: 12, denied: 500, withdrawn: 300, failed: 190 }[kind]
  for (;;) {
    const wanted = wish(chance.weighted(among).tenancy, chance)
    if (fits[kind](wanted))
      return { ...wanted, kind, at: chance.between(new Date(now.getTime() - oldest * day), new Date(now.getTime() - day / 8)) }
  }
}

function wish(tenancy: FoundTenancy, chance: Chance): Wanted {
  return chance.number() < peopleShare ? personWish(tenancy, chance) : thingWish(tenancy, chance)
}

function personWish(tenancy: FoundTenancy, chance: Chance): Wanted {
  const holder = chance.pick(tenancy.members.filter(({ activated }) => activated))
  const { name } = chance.weighted([
    { name: 'User', weight: 70 },
    { name: 'RemoteAccess', weight: 26 },
    { name: 'CodeSigning', weight: 4 },
  ])
  // Most people ask for themselves; code signing is asked for by those who administer.
  const requester =
    name === 'CodeSigning'
      ? chance.pick(membersOf(tenancy, 'administrator'))
      : chance.number() < 0.7
        ? holder
        : chance.pick(membersOf(tenancy, 'requester'))
  const record = { CommonName: [fullName(holder)], Email: [holder.emailAddress] }
  return planned(tenancy, name, {
    entity: 'user',
    holder,
    requester,
    key: chance.pick(['P-256', 'P-256', 'RSA-2048'] as const),
    record,
    typed: {},
    name: fullName(holder),
  })
}

function thingWish(tenancy: FoundTenancy, chance: Chance): Wanted {
  const { template, name: pattern, key } = chance.weighted(tenancy.plan.families)
  const name = `${pattern.replace(/#/g, () => String(chance.below(10))).replace('@', chance.pick(tenancy.plan.places))}.${tenancy.plan.domain}`
  const typed = { CommonName: [name], DNS: template === 'TLSServer' && chance.below(4) === 0 ? [name, `static-${name}`] : [name] }
  return planned(tenancy, template, {
    entity: 'device',
    holder: undefined,
    requester: chance.pick(membersOf(tenancy, 'requester')),
    key,
    record: {},
    typed,
    name,
  })
}

type Parts = Pick<Wanted, 'entity' | 'holder' | 'requester' | 'key' | 'name'> & {
  record: Record<string, string[]>
  typed: Record<string, string[]>
}

function planned(tenancy: FoundTenancy, templateName: string, { record, typed, ...parts }: Parts): Wanted {
  const template = tenancy.templates.get(templateName)
  if (template === undefined) throw new Error(`${tenancy.plan.name} has no template ${templateName}`)
  const made = planCertificate(template, { entity: parts.entity, key: parts.key, keyText: keyKinds[parts.key].label, record, typed })
  if ('faults' in made) throw new Error(`${templateName} for ${parts.name}: ${made.faults.map(({ says }) => says).join(', ')}`)
  return { tenancy, template, ...parts, typed, draft: made.draft }
}

export function membersOf({ members, plan }: FoundTenancy, role: Member['role']): Member[] {
  const found = members.filter((member) => member.role === role)
  if (found.length === 0) throw new Error(`${plan.name} has nobody who is ${role}`)
  return found
}
