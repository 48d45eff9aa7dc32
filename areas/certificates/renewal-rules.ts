// Whether a certificate can be renewed as things are: what is in its way, a sentence each, and whether the names would stay. Pure.

import type { CertificateDraft } from '#areas/templates/plan.ts'
import { isSource, type Extensions } from '#areas/templates/rules.ts'

/**
 * What is in the way of a renewal. `external`: it was not issued here. `end`: its authority ends too soon for a new one to be of use. `soon`: this one has
 * nearly as long to go as a new one would have. `policy`: lint, or what else the template refuses.
 */
export const refusalKinds = [
  'external',
  'revoked',
  'onHold',
  'template',
  'authority',
  'end',
  'soon',
  'holder',
  'key',
  'names',
  'policy',
] as const
export type RefusalKind = (typeof refusalKinds)[number]

/** `says` is a clause: what speaks of it ends the sentence. */
export type RenewalRefusal = { kind: RefusalKind; says: string }

/** Each renewal is for a key that was in no certificate before. */
export const wantsNewKey = ({ extensions }: { extensions: Pick<Extensions, 'renewalMode'> }): boolean =>
  extensions.renewalMode === 'AUTOMATIC_NEW_KEY'

export type NamedBy = {
  draft: Pick<CertificateDraft, 'subject' | 'sans'>
  extensions: Pick<Extensions, 'certificateSubjects' | 'certificateSans'>
}

/**
 * A renewal says the same of the same holder. What the template itself adds or drops is its own affair; what comes from the person's record or was
 * asked for must be as it was. Undefined where it is.
 */
export function namesChanged(before: NamedBy, after: NamedBy): { was: string; is: string } | undefined {
  const [then, now] = [fromHolder(before), fromHolder(after)]
  for (const [field, values] of then) {
    const others = now.get(field)
    if (others === undefined) continue
    const [was, is] = [shown(values), shown(others)]
    if (was.toLowerCase() !== is.toLowerCase()) return { was, is }
  }
  return undefined
}

const shown = (values: readonly string[]): string => values.toSorted().join(', ')

/** By field, the names that are not the template's own words; only fields that the template fills from somewhere. */
function fromHolder({ draft, extensions }: NamedBy): Map<string, string[]> {
  const entries = [
    ...extensions.certificateSubjects.map(({ subjectField, fieldValue }) => ({ field: `subject ${subjectField}`, fieldValue })),
    ...extensions.certificateSans.map(({ sanField, fieldValue }) => ({ field: `name ${sanField}`, fieldValue })),
  ]
  const names = [
    ...draft.subject.map(({ field, value }) => ({ field: `subject ${field}`, value })),
    ...draft.sans.map(({ sanField, value }) => ({ field: `name ${sanField}`, value })),
  ]
  const found = new Map<string, string[]>()
  for (const { field, fieldValue } of entries) {
    if (!isSource(fieldValue)) continue
    const fixed = new Set(
      entries.filter((entry) => entry.field === field && !isSource(entry.fieldValue)).map((entry) => entry.fieldValue.toLowerCase()),
    )
    found.set(
      field,
      names.filter((name) => name.field === field && !fixed.has(name.value.toLowerCase())).map(({ value }) => value),
    )
  }
  return found
}

const kindOfField: Record<string, RefusalKind> = { csr: 'key', key: 'key', userId: 'holder', username: 'holder', templateId: 'template' }

/** Turns what a request was refused for into what is in the way of a renewal. `linted`: the codes of what lint found. */
export function refusalOf(
  faults: readonly { code?: string; field: string; says: string }[],
  linted: readonly string[] = [],
): RenewalRefusal {
  const [first] = faults
  const lint = faults.some(({ code }) => code !== undefined && linted.includes(code))
  const kind =
    first === undefined || lint ? 'policy' : (kindOfField[first.field] ?? (first.field.startsWith('values') ? 'names' : 'policy'))
  return { kind, says: clause(faults.map(({ says }) => says).join('; ') || 'the request was refused') }
}

/** A sentence as a clause of another. */
export const clause = (text: string): string => text.replace(/\.$/, '')
