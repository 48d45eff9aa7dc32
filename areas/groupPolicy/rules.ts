// What the settings of a group policy mean, and in what two readings of one differ.

export const stores = ['Root', 'CA', 'TrustedPublisher', 'Disallowed'] as const
export type Store = (typeof stores)[number]
export const sides = ['computer', 'user'] as const
export type Side = (typeof sides)[number]
export const verdicts = ['current', 'ended', 'foreign', 'mismatch'] as const
export type Verdict = (typeof verdicts)[number]
export const enrolments = ['full', 'partial', 'off'] as const
export type Enrolment = (typeof enrolments)[number]
export const findings = ['password', 'unreadableCertificate'] as const
export type Finding = (typeof findings)[number]

export type Setting = { area: string; path: string; name: string; value: string }

export const policyStates = ['enabled', 'userDisabled', 'computerDisabled', 'disabled'] as const
export type PolicyState = (typeof policyStates)[number]
export type PolicyLink = { path: string; order: number; enabled: boolean; enforced: boolean }

export const stateWords: Readonly<Record<PolicyState, { label: string; status: string }>> = {
  enabled: { label: 'In force', status: 'active' },
  userDisabled: { label: 'Its settings of users are switched off', status: 'warning' },
  computerDisabled: { label: 'Its settings of computers are switched off', status: 'warning' },
  disabled: { label: 'Switched off', status: 'disabled' },
}

/** The flags of a groupPolicyContainer ([MS-GPOL] 2.2.2). */
export const stateOf = (flags: number): PolicyState => policyStates[flags & 3] ?? 'enabled'

/** What a gPLink says ([MS-GPOL] 2.2.2): the last one comes first, 1 switches a link off, 2 enforces it. */
export function linksIn(path: string, gPLink: string): (PolicyLink & { guid: string })[] {
  const found = [...gPLink.matchAll(/\[LDAP:\/\/cn=\{([0-9a-f-]{36})\},[^;\]]*;(\d{1,9})\]/gi)]
  return found.map(([, guid = '', options = '0'], at) => ({
    guid: guid.toLowerCase(),
    path,
    order: found.length - at,
    enabled: (Number(options) & 1) === 0,
    enforced: (Number(options) & 2) !== 0,
  }))
}

/** Where the files stand below the share of the domain; undefined for every other server, which must not get a sign-in of ours. */
export function sysvolFolder(place: string, { domain, guid }: { domain: string; guid: string }): string | undefined {
  const wanted = `\\\\${domain}\\sysvol\\${domain}\\policies\\{${guid}}`
  return place.toLowerCase().replace(/\\+$/, '') === wanted ? `${domain}\\Policies\\{${guid.toUpperCase()}}` : undefined
}

export const verdictWords: Readonly<Record<Verdict, { label: string; status: string }>> = {
  current: { label: 'Ours, and valid', status: 'active' },
  ended: { label: 'Ours, expired or revoked', status: 'expired' },
  foreign: { label: 'Not one of ours', status: 'unknown' },
  mismatch: { label: 'Stands under the thumbprint of another certificate', status: 'failed' },
}

export const enrolmentWords: Readonly<Record<Enrolment, { label: string; status: string }>> = {
  full: { label: 'Enrols, renews, and follows templates', status: 'active' },
  partial: { label: 'Enrols, but does not renew or follow templates', status: 'warning' },
  off: { label: 'Switched off', status: 'disabled' },
}

export const storeWords: Readonly<Record<Store, { label: string }>> = {
  Root: { label: 'Trusted roots' },
  CA: { label: 'Intermediate authorities' },
  TrustedPublisher: { label: 'Trusted publishers' },
  Disallowed: { label: 'Not trusted' },
}

export const findingWords: Readonly<Record<Finding, { label: string }>> = {
  password: { label: 'It holds a password that everybody in the domain can read. Change that password and delete the setting.' },
  unreadableCertificate: { label: 'A certificate in it cannot be read.' },
}

/** By key and name in small letters. */
export const knownSettings: Readonly<Record<string, { label: string }>> = {
  'software\\policies\\microsoft\\cryptography\\autoenrollment\\aepolicy': { label: 'Certificates are enrolled by themselves' },
  'software\\policies\\microsoft\\cryptography\\policyservers\\flags': { label: 'Which enrolment servers count' },
  'software\\policies\\microsoft\\systemcertificates\\authroot\\disablerootautoupdate': {
    label: 'Roots are not fetched from Windows Update',
  },
  'system access\\minimumpasswordlength': { label: 'Shortest password' },
  'system access\\maximumpasswordage': { label: 'Days until a password ends' },
  'system access\\minimumpasswordage': { label: 'Days before a password may be changed' },
  'system access\\passwordcomplexity': { label: 'Passwords of several kinds of characters' },
  'system access\\passwordhistorysize': { label: 'Passwords that are not used again' },
  'system access\\lockoutbadcount': { label: 'Wrong passwords until an account is locked' },
  'system access\\cleartextpassword': { label: 'Passwords are stored so that they can be read' },
  'machine\\software\\microsoft\\windows\\currentversion\\policies\\system\\scforceoption': { label: 'Signing in takes a smartcard' },
  'machine\\software\\microsoft\\windows nt\\currentversion\\winlogon\\scremoveoption': {
    label: 'What happens when the smartcard is taken out',
  },
}

export const wordOf = ({ path, name }: Pick<Setting, 'path' | 'name'>): { label: string } | undefined =>
  knownSettings[`${path}\\${name}`.toLowerCase()]

/** AEPolicy of [MS-CAESO]: 0x8000 switches it off, 7 is all of it. */
export const enrolmentOf = (value: number): Enrolment => ((value & 0x8000) !== 0 ? 'off' : (value & 7) === 7 ? 'full' : 'partial')

export type Change = { path: string; name: string; before?: string; after?: string }

/** What a newer reading has otherwise. */
export function changesBetween(before: readonly Setting[], after: readonly Setting[]): Change[] {
  const key = ({ area, path, name }: Setting) => `${area}\n${path}\n${name}`
  const old = new Map(before.map((setting) => [key(setting), setting]))
  const now = new Map(after.map((setting) => [key(setting), setting]))
  const added = [...now].flatMap(([at, { path, name, value }]) => {
    const was = old.get(at)
    if (was === undefined) return [{ path, name, after: value }]
    return was.value === value ? [] : [{ path, name, before: was.value, after: value }]
  })
  const gone = [...old].flatMap(([at, { path, name, value }]) => (now.has(at) ? [] : [{ path, name, before: value }]))
  return [...added, ...gone]
}
