// What kind of certificate it is: its key, where it came from, what the checks found, and what it may be used for. One number says all of that, so that the
// counters can count by it and a filter is a comparison of numbers. The places in the lists are stored: a new value goes to the end.

import { extendedUsages, keyKinds, type ExtendedUsageName, type KeyKindName } from '#areas/templates/rules.ts'

export const keyNames = [
  'other',
  'weakRSA',
  'RSA-2048',
  'RSA-3072',
  'RSA-4096',
  'RSA-8192',
  'P-256',
  'P-384',
  'P-521',
  'Ed25519',
  'Ed448',
  'brainpoolP256r1',
  'brainpoolP384r1',
  'brainpoolP512r1',
  'secp256k1',
  'ML-DSA-44',
  'ML-DSA-65',
  'ML-DSA-87',
  'SLH-DSA-SHA2-128s',
  'SLH-DSA-SHA2-128f',
  'SLH-DSA-SHA2-192s',
  'SLH-DSA-SHA2-192f',
  'SLH-DSA-SHA2-256s',
  'SLH-DSA-SHA2-256f',
  'SLH-DSA-SHAKE-128s',
  'SLH-DSA-SHAKE-128f',
  'SLH-DSA-SHAKE-192s',
  'SLH-DSA-SHAKE-192f',
  'SLH-DSA-SHAKE-256s',
  'SLH-DSA-SHAKE-256f',
  'X25519',
  'X448',
  'ML-KEM-512',
  'ML-KEM-768',
  'ML-KEM-1024',
] as const satisfies readonly (KeyKindName | 'other' | 'weakRSA')[]
export type KeyName = (typeof keyNames)[number]

export const sources = ['requested', 'renewal', 'rule', 'uploaded', 'acme'] as const
export type Source = (typeof sources)[number]

export const lintResults = ['clean', 'warnings', 'errors'] as const
export type LintResult = (typeof lintResults)[number]

export const usageNames = [
  'none',
  'other',
  'serverAuth',
  'clientAuth',
  'codeSigning',
  'emailProtection',
  'ipsecEndSystem',
  'ipsecTunnel',
  'ipsecUser',
  'timeStamping',
  'microsoftSmartcardLogon',
  'pkinitKdc',
  'OCSPSigning',
  'documentSigning',
] as const satisfies readonly (ExtendedUsageName | 'none' | 'other')[]
export type UsageName = (typeof usageNames)[number]

export type Traits = { key: KeyName; source: Source; lint: LintResult; usages: UsageName[] }

export const keyLabel = (name: KeyName): string =>
  name === 'other' ? 'Another key' : name === 'weakRSA' ? 'RSA below 2048' : keyKinds[name].label
export const usageLabelOf = (name: UsageName): string =>
  name === 'none' ? 'No extended usage' : name === 'other' ? 'Another usage' : extendedUsages[name].label
export const sourceLabels: Record<Source, string> = {
  requested: 'Requested here',
  renewal: 'Renewed here',
  rule: 'Enrolled by a rule',
  uploaded: 'Uploaded',
  acme: 'Ordered by ACME',
}
export const lintLabels: Record<LintResult, string> = { clean: 'No problems found', warnings: 'Warnings', errors: 'Errors' }

/** Of each part, where its bits begin and how many values fit. What is 0 in the part of the key is not known yet. */
export const traitPlaces = { key: 0, source: 8, lint: 12, usages: 16 } as const
export const traitMasks = { key: 0xff, source: 0xf, lint: 0xf } as const

/** The number of a value in its part; of a usage, its bit. */
export const keyCode = (name: KeyName): number => keyNames.indexOf(name) + 1
export const sourceCode = (name: Source): number => sources.indexOf(name)
export const lintCode = (name: LintResult): number => lintResults.indexOf(name)
export const usageBit = (name: UsageName): number => 2 ** usageNames.indexOf(name)

export const traitsNumber = ({ key, source, lint, usages }: Traits): number =>
  keyCode(key) +
  sourceCode(source) * 2 ** traitPlaces.source +
  lintCode(lint) * 2 ** traitPlaces.lint +
  [...new Set<UsageName>(usages.length === 0 ? ['none'] : usages)].reduce((sum, name) => sum + usageBit(name), 0) * 2 ** traitPlaces.usages

/** Undefined for a certificate that has not been looked at yet, as those of before this was kept. */
export function readTraits(traits: number): Traits | undefined {
  const key = keyNames[(traits & traitMasks.key) - 1]
  if (key === undefined) return undefined
  const bits = Math.floor(traits / 2 ** traitPlaces.usages)
  return {
    key,
    source: sources[(traits >>> traitPlaces.source) & traitMasks.source] ?? 'requested',
    lint: lintResults[(traits >>> traitPlaces.lint) & traitMasks.lint] ?? 'clean',
    usages: usageNames.filter((name) => Math.floor(bits / usageBit(name)) % 2 === 1),
  }
}

export type TraitFilter = {
  key?: readonly KeyName[] | undefined
  source?: readonly Source[] | undefined
  usage?: readonly UsageName[] | undefined
  lint?: readonly LintResult[] | undefined
}

export const traitFilterNames = ['key', 'source', 'usage', 'lint'] as const

/** Whether a certificate with these traits is among those that one of the filters asks for. */
export const fitsTrait = (traits: number, name: (typeof traitFilterNames)[number], filter: TraitFilter): boolean => {
  const wanted: readonly string[] = filter[name] ?? []
  return wanted.length === 0 || traitValues(traits, name).some((value) => wanted.includes(value))
}

export function traitValues(traits: number, name: (typeof traitFilterNames)[number]): readonly string[] {
  const read = readTraits(traits)
  return read === undefined ? [] : name === 'usage' ? read.usages : [read[name]]
}

/** Of a certificate that cannot be read. */
export const unreadableTraits = traitsNumber({ key: 'other', source: 'requested', lint: 'errors', usages: ['other'] })
