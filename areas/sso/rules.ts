// What both sides know of providers: presets, the rules that give roles by claims, and why a sign-in is refused.

export const mostProviders = 20
export const mostRules = 100
export const longestRuleValue = 200
/** How long somebody may take at the provider, and how long what was tried can be read. */
export const attemptMilliseconds = 10 * 60_000
export const tryMilliseconds = 60 * 60_000

export const ruleOperators = ['is', 'begins', 'contains'] as const
export type RuleOperator = (typeof ruleOperators)[number]
export type ClaimRule = { claim: string; operator: RuleOperator; value: string; roleIds: string[] }

export type Claims = Readonly<Record<string, unknown>>

/**
 * Reads a claim by its name, or by a path with dots such as Keycloak's `realm_access.roles`. Only own properties count, so that no name leads to what
 * every object has.
 */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}

/** The values of a claim as texts: a list counts by each of its elements. */
export const valuesOf = (claim: unknown): string[] =>
  [claim]
    .flat(1)
    .flatMap((one) => (typeof one === 'string' ? [one] : typeof one === 'number' || typeof one === 'boolean' ? [String(one)] : []))

const fits: Record<RuleOperator, (value: string, wanted: string) => boolean> = {
  is: (value, wanted) => value === wanted,
  begins: (value, wanted) => value.startsWith(wanted),
  contains: (value, wanted) => value.includes(wanted),
}

export const ruleMatches = ({ claim, operator, value }: Omit<ClaimRule, 'roleIds'>, claims: Claims): boolean =>
  valuesOf(claimAt(claims, claim)).some((one) => fits[operator](one, value))

/**
 * The roles that a person has after a sign-in: what rules give follows the claims each time, what somebody gave by hand stays.
 */
export function rolesAfter(current: readonly string[], rules: readonly ClaimRule[], claims: Claims): string[] {
  const ruled = new Set(rules.flatMap(({ roleIds }) => roleIds))
  const given = rules.filter((rule) => ruleMatches(rule, claims)).flatMap(({ roleIds }) => roleIds)
  return [...new Set([...current.filter((id) => !ruled.has(id)), ...given])]
}

/** Whether the provider says that it has asked for a second factor, by the values that the administrator named. */
export const isStrong = (
  { strongAcr, strongAmr }: { strongAcr: readonly string[]; strongAmr: readonly string[] },
  claims: Claims,
): boolean =>
  valuesOf(claims['acr']).some((value) => strongAcr.includes(value)) || valuesOf(claims['amr']).some((value) => strongAmr.includes(value))

/** The address, where the provider says that it has checked whose it is. Entra says so by `xms_edov`. */
export function verifiedAddress(claims: Claims): string | undefined {
  const [address] = valuesOf(claims['email'])
  const verified = ['email_verified', 'xms_edov'].some((name) => ['true', '1'].includes(valuesOf(claims[name])[0] ?? ''))
  return verified && address !== undefined && /^[^\s@<>"]{1,64}@[^\s@<>"]{1,189}$/.test(address) ? address : undefined
}

export const presetNames = ['entra', 'okta', 'google', 'keycloak', 'generic'] as const
export type PresetName = (typeof presetNames)[number]

/** What is filled in for a kind of provider; `issuer` shows where its parts go. */
export const presets: Record<
  PresetName,
  {
    label: string
    issuer: string
    scopes: string[]
    userInfo: boolean
    groupsClaim: string
    strongAmr: string[]
    strongAcr: string[]
    /** What must be set up on the provider's side besides the redirect address. */
    hint: string
  }
> = {
  entra: {
    label: 'Microsoft Entra ID',
    issuer: 'https://login.microsoftonline.com/TENANT-ID/v2.0',
    scopes: ['openid', 'profile', 'email'],
    userInfo: false,
    groupsClaim: 'groups',
    strongAmr: ['mfa'],
    strongAcr: [],
    hint: 'Register an application of one directory, and add the optional claims email, xms_edov and amr to its ID token. Groups come by their object IDs.',
  },
  okta: {
    label: 'Okta',
    issuer: 'https://DOMAIN.okta.com',
    scopes: ['openid', 'profile', 'email', 'groups'],
    userInfo: true,
    groupsClaim: 'groups',
    strongAmr: ['mfa'],
    strongAcr: [],
    hint: 'Add a web application with authorization code, and a groups claim to its ID token.',
  },
  google: {
    label: 'Google Workspace',
    issuer: 'https://accounts.google.com',
    scopes: ['openid', 'profile', 'email'],
    userInfo: false,
    groupsClaim: 'hd',
    strongAmr: [],
    strongAcr: [],
    hint: 'Create an OAuth client of the type web application. Whoever has a Google account can come: let a rule on the claim hd decide. Accounts are made in your domains alone.',
  },
  keycloak: {
    label: 'Keycloak',
    issuer: 'https://HOST/realms/REALM',
    scopes: ['openid', 'profile', 'email'],
    userInfo: false,
    groupsClaim: 'realm_access.roles',
    strongAmr: [],
    strongAcr: ['2'],
    hint: 'Create a confidential client with the standard flow and PKCE S256, and map realm roles or groups to its ID token.',
  },
  generic: {
    label: 'Another provider',
    issuer: 'https://',
    scopes: ['openid', 'profile', 'email'],
    userInfo: true,
    groupsClaim: 'groups',
    strongAmr: [],
    strongAcr: [],
    hint: 'Register a client with the authorization code flow.',
  },
}

/** Why a sign-in is refused. A person reads none of them: whoever may configure providers does. */
export const refusals = {
  state: 'The answer belongs to no sign-in that was begun here, or it was used before, or more than ten minutes passed',
  binding: 'The answer came with another browser than the one that began',
  mixUp: 'The answer came for another provider than the one that was asked',
  off: 'The provider is switched off',
  changed: 'The settings of the provider were changed meanwhile',
  declined: 'The provider declined',
  unreachable: 'The provider could not be reached',
  token: 'What the provider answered is not valid',
  claims: 'The claims are not what sign-in needs',
  userInfo: 'The userinfo endpoint answered for somebody else, or not at all',
  unknown: 'Nobody here is known by this identity, and accounts are not made',
  unverified: 'The provider gives no e-mail address, or does not say that it has checked whose it is',
  domain: 'Accounts are made in the proved domains of the provider alone, and this address is in none of them',
  addressTaken: 'Somebody here has this e-mail address, and the rules for linking are not met',
  administrator: 'Administrators are never linked by their e-mail address',
  beyond: 'The account holds more than whoever set up this provider',
  otherIdentity: 'The account is linked to another identity at this provider',
  noRule: 'No rule matches these claims',
  disabled: 'The account is disabled',
} as const
export type RefusalReason = keyof typeof refusals
export const refusalReasons = Object.keys(refusals) as [RefusalReason, ...RefusalReason[]]
