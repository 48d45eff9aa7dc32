import * as z from 'zod'
import { RoleChoice } from '#areas/roles/role-choice.ts'
import { Brand } from '#areas/sessions/brand-shape.ts'
import { signInFaults, ViewerDetails } from '#areas/sessions/contract.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, OptionalLine } from '#core/contract/shapes.ts'
import { longestRuleValue, mostRules, presetNames, refusalReasons, ruleOperators } from './rules.ts'

const ClaimName = Line(120)
const Rule = z.object({
  claim: ClaimName,
  operator: z.enum(ruleOperators),
  value: Line(longestRuleValue),
  roleIds: z.array(Id).max(20),
})

const ProviderFields = z.object({
  name: Line(80),
  preset: z.enum(presetNames).default('generic'),
  issuer: Line(500),
  clientId: Line(300),
  clientAuthentication: z.enum(['secret', 'none']).default('secret'),
  scopes: z.array(Line(100)).max(20).default(['openid', 'profile', 'email']),
  /** Reads the userinfo endpoint too, for claims that the ID token lacks. */
  userInfo: z.boolean().default(false),
  /** Shows a button on the sign-in page of the installation’s first tenancy. */
  listed: z.boolean().default(false),
  /** E-mail domains whose people sign in here; they count once the tenancy has proved them. */
  domains: z.array(Line(253)).max(50).default([]),
  /** Links accounts that exist by the verified address, in the proved domains above. */
  linkByAddress: z.boolean().default(false),
  /** Makes an account at the first sign-in, for verified addresses in the proved domains above. */
  createAccounts: z.boolean().default(false),
  /** Only people for whom a rule matches sign in. */
  requireRule: z.boolean().default(false),
  claims: z
    .object({ username: ClaimName, givenName: ClaimName, familyName: ClaimName })
    .default({ username: 'preferred_username', givenName: 'given_name', familyName: 'family_name' }),
  rules: z.array(Rule).max(mostRules).default([]),
  /** Whether people give their sign-in code as well: `strong` where these values say that the provider asked for a second factor. */
  secondFactor: z.enum(['ask', 'waive']).default('ask'),
  strongAcr: z.array(Line(200)).max(20).default([]),
  strongAmr: z.array(Line(60)).max(20).default([]),
})

/** What is sent besides: left empty, the stored secret stays. It is never read back. */
const ClientSecret = OptionalLine(500)

const ProviderRow = z.object({
  id: Id,
  name: z.string(),
  preset: z.enum(presetNames),
  issuer: z.string(),
  enabled: z.boolean(),
  people: z.number().int(),
  lastSignInAt: Instant.optional(),
})

const Reason = z.enum(refusalReasons)
const Judgement = z.object({
  /** Where the account is known or would be made. */
  account: z.object({ outcome: z.enum(['known', 'link', 'create']), userId: Id.optional(), username: z.string() }).optional(),
  /** In the order of the rules. */
  rules: z.array(z.object({ claim: z.string(), operator: z.enum(ruleOperators), value: z.string(), matched: z.boolean() })),
  roles: z.array(z.string()),
  strong: z.boolean(),
  refusal: Reason.optional(),
  /** What the provider or the library said. */
  detail: z.string(),
})

const Tried = z.object({
  providerId: Id,
  providerName: z.string(),
  begunAt: Instant,
  endedAt: Instant.optional(),
  claims: z.array(z.object({ name: z.string(), value: z.string() })),
  judgement: Judgement.optional(),
})

const PublicId = Line(40)

const Identity = z.object({
  id: Id,
  providerId: Id,
  providerName: z.string(),
  /** What the provider calls the person. */
  subject: z.string(),
  name: z.string(),
  linkedAt: Instant,
  lastUsedAt: Instant.optional(),
})

const configFaults = {
  nameTaken: { status: 409, says: 'A provider with this name exists', field: 'name', constraint: 'sso_providers_by_name' },
  issuer: { status: 400, says: '{reason}', field: 'issuer' },
  secretNeeded: { status: 400, says: 'Enter the client secret', field: 'clientSecret' },
  unknownRole: { status: 400, says: 'One of the roles does not exist any more', field: 'rules' },
  beyond: { status: 403, says: 'A rule gives a role that holds more than you do', field: 'rules' },
  administrators: { status: 400, says: 'Administrators are named by hand: no rule gives this role', field: 'rules' },
  domain: { status: 400, says: '{domain} is no domain such as example.com', field: 'domains' },
} as const

export const sso = contract({
  area: 'sso',
  title: 'Single sign-on',
  screens: {
    list: {
      path: '/config/SsoConfig',
      needs: 'ssoConfig',
      title: 'Single sign-on',
      menu: { group: 'settings', entry: 'signIn', tab: 'Single sign-on', place: 30 },
      also: 'SSO, OIDC, OpenID Connect, Entra, Okta, Google, Keycloak',
    },
    add: { path: '/config/SsoConfig/add', needs: 'ssoConfig', title: 'New provider', parent: 'list' },
    view: { path: '/config/SsoConfig/:id', needs: 'ssoConfig', title: 'Sign-in provider', parent: 'list' },
    edit: { path: '/config/SsoConfig/:id/edit', needs: 'ssoConfig', title: 'Edit provider', parent: 'view' },
    tried: { path: '/config/SsoConfig/:id/try/:tryId', needs: 'ssoConfig', title: 'Tried sign-in', parent: 'view' },
    portal: { path: '/oidc/portal/:provider', needs: 'public', title: 'Single sign-on', shell: 'public' },
  },
  calls: {
    providers: {
      does: 'Lists the sign-in providers of the tenancy, with how many people sign in by each.',
      method: 'GET',
      path: '/api2/IDM-v1/SsoProviders',
      needs: 'ssoConfig',
      input: z.object({}),
      output: z.object({ rows: z.array(ProviderRow), mostProviders: z.number().int() }),
    },
    provider: {
      does: 'Answers one provider with its redirect address. The client secret is never answered.',
      method: 'GET',
      path: '/api2/IDM-v1/SsoProvider',
      needs: 'ssoConfig',
      input: z.object({ id: Id }),
      output: ProviderFields.extend({
        id: Id,
        version: z.number().int(),
        enabled: z.boolean(),
        publicId: z.string(),
        redirectUri: z.string(),
        secretSetAt: Instant.optional(),
        people: z.number().int(),
        lastSignInAt: Instant.optional(),
        domainStates: z.array(z.object({ domain: z.string(), proved: z.boolean() })),
      }),
    },
    choices: {
      does: 'Answers the roles that rules of the caller may give, and the redirect address that providers want to know.',
      method: 'GET',
      path: '/api2/IDM-v1/SsoChoices',
      needs: 'ssoConfig',
      input: z.object({}),
      output: z.object({ roles: z.array(RoleChoice), redirectUriPrefix: z.string() }),
    },
    add: {
      does: 'Adds a provider, switched off until somebody switches it on; answers its id.',
      title: 'Add a sign-in provider',
      method: 'POST',
      path: '/api2/IDM-v1/SsoProvider',
      needs: 'ssoConfig',
      ownTransactions: true,
      input: ProviderFields.extend({ clientSecret: ClientSecret }),
      output: z.object({ id: Id }),
      done: 'The provider was added. Try it, then switch it on',
      failed: 'The provider was not added',
      faults: { ...configFaults, tooMany: { status: 409, says: 'A tenancy has at most {most} providers' } },
    },
    change: {
      does: 'Replaces the settings of a provider; answers nothing. An empty secret keeps the stored one.',
      title: 'Change a sign-in provider',
      method: 'PUT',
      path: '/api2/IDM-v1/SsoProvider',
      needs: 'ssoConfig',
      tokens: 'never',
      ownTransactions: true,
      input: ProviderFields.extend({ id: Id, version: z.number().int(), clientSecret: ClientSecret }),
      output: z.object({}),
      done: 'The provider was changed',
      failed: 'The provider was not changed',
      faults: configFaults,
    },
    remove: {
      does: 'Removes a provider; whoever signed in by it is signed out, and their accounts stay. Answers nothing.',
      title: 'Remove a sign-in provider',
      method: 'DELETE',
      path: '/api2/IDM-v1/SsoProvider',
      needs: 'ssoConfig',
      tokens: 'never',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The provider was removed',
      failed: 'The provider was not removed',
    },
    setEnabled: {
      does: 'Switches a provider on or off; off, whoever signed in by it is signed out at once. Answers nothing.',
      title: 'Switch a sign-in provider',
      method: 'POST',
      path: '/api2/IDM-v1/SsoProviderState',
      needs: 'ssoConfig',
      tokens: 'never',
      input: z.object({ id: Id, enabled: z.boolean() }),
      output: z.object({}),
      failed: 'The provider was not switched',
    },
    discover: {
      does: 'Reads what a provider says of itself at its issuer, and its keys; answers what sign-in needs of it.',
      method: 'POST',
      path: '/api2/IDM-v1/DiscoverSsoProvider',
      needs: 'ssoConfig',
      tokens: 'never',
      reads: true,
      ownTransactions: true,
      input: z.object({ issuer: Line(500) }),
      output: z.object({
        issuer: z.string(),
        authorizationEndpoint: z.string(),
        tokenEndpoint: z.string(),
        userInfoEndpoint: z.string(),
        algorithms: z.array(z.string()),
        scopes: z.array(z.string()),
        claims: z.array(z.string()),
        keys: z.number().int(),
        /** Answers name the issuer (RFC 9207). */
        namesIssuer: z.boolean(),
        pkce: z.boolean(),
      }),
      failed: 'The provider was not reached',
      faults: { issuer: configFaults.issuer },
    },
    try: {
      does: 'Begins a sign-in that opens no session and changes nothing; answers where the browser goes. SsoTry tells what came of it.',
      title: 'Try a sign-in provider',
      method: 'POST',
      path: '/api2/IDM-v1/TrySsoProvider',
      needs: 'ssoConfig',
      tokens: 'never',
      ownTransactions: true,
      input: z.object({ id: Id }),
      output: z.object({ url: z.string(), tryId: Id }),
      failed: 'The sign-in was not tried',
      faults: { unreachable: { status: 502, says: '{reason}' } },
    },
    readTry: {
      does: 'Answers the claims of a sign-in that the caller tried, the rules that matched and why it would be refused.',
      method: 'GET',
      path: '/api2/IDM-v1/SsoTry',
      needs: 'ssoConfig',
      input: z.object({ id: Id }),
      /** Nothing where it is not kept any more. */
      output: z.object({ tried: Tried.optional() }),
    },
    refusals: {
      does: 'Lists the last sign-ins by a provider that were refused, and why.',
      method: 'POST',
      path: '/api2/IDM-v1/SsoRefusals',
      needs: 'ssoConfig',
      reads: true,
      input: z.object({ id: Id }),
      output: z.object({
        rows: z.array(z.object({ id: Id, at: Instant, reason: Reason, detail: z.string(), name: z.string(), reference: z.string() })),
      }),
    },
    identities: {
      does: 'Lists the identities at providers by which a user signs in: one’s own, or with `userView` those of another user.',
      method: 'POST',
      path: '/api2/IDM-v1/SsoIdentities',
      needs: 'signedIn',
      tokens: ['userView'],
      reads: true,
      input: z.object({ userId: Id }),
      output: z.object({ rows: z.array(Identity) }),
    },
    removeIdentity: {
      does: 'Removes an identity of a user, who does not sign in by it any more; answers nothing.',
      title: 'Remove a sign-in identity',
      method: 'DELETE',
      path: '/api2/IDM-v1/SsoIdentity',
      needs: 'userEdit',
      tokens: 'never',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The identity was removed',
      failed: 'The identity was not removed',
      faults: { beyond: { status: 403, says: 'This person holds more than you do' } },
    },
    offered: {
      does: 'Answers the providers that the sign-in page shows a button for.',
      method: 'GET',
      path: '/api2/Authentication-v1/SsoProviders',
      needs: 'public',
      input: z.object({}),
      output: z.object({ providers: z.array(z.object({ id: z.string(), name: z.string() })), byAddress: z.boolean() }),
    },
    homeRealm: {
      does: 'Answers the provider for the domain of an e-mail address; the same whether or not somebody has the address.',
      method: 'POST',
      path: '/api2/Authentication-v1/HomeRealm',
      needs: 'public',
      reads: true,
      input: z.object({ emailAddress: Line(254) }),
      output: z.object({ provider: z.object({ id: z.string(), name: z.string() }).optional() }),
      limit: 'publicLink',
    },
    begin: {
      does: 'Begins a sign-in by a provider; answers where the browser goes, and binds the answer to this browser. Nothing where no such provider is on.',
      title: 'Begin single sign-on',
      method: 'POST',
      path: '/api2/Authentication-v1/BeginSso',
      needs: 'public',
      ownTransactions: true,
      input: z.object({ provider: PublicId, redirect: z.string().max(2000).default(''), again: z.boolean().default(false) }),
      output: z.object({ begun: z.object({ url: z.string(), name: z.string() }).optional() }),
      failed: 'Single sign-on did not begin',
      faults: {
        unreachable: { status: 502, says: 'The provider cannot be reached now. Try again in a moment, or sign in another way' },
      },
      limit: 'begin',
    },
    finish: {
      does: 'Takes what the provider sent with the browser; opens the session, or says what is needed besides, or refuses.',
      title: 'Finish single sign-on',
      method: 'POST',
      path: '/api2/Authentication-v1/FinishSso',
      needs: 'public',
      ownTransactions: true,
      unstored: true,
      bodyLimit: 32 * 1024,
      input: z.object({ provider: PublicId, response: z.string().max(16_000) }),
      output: z.discriminatedUnion('outcome', [
        z.object({ outcome: z.literal('signedIn'), viewers: z.array(ViewerDetails), redirect: z.string() }),
        z.object({
          outcome: z.literal('code'),
          brand: Brand,
          redirect: z.string(),
          /** The first time: the person sets a code up now. */
          enrolment: z.object({ qr: z.string(), otpauth: z.string(), secret: z.string(), recovery_codes: z.array(z.string()) }).optional(),
        }),
        z.object({ outcome: z.literal('tried'), providerId: Id, tryId: Id }),
        z.object({ outcome: z.literal('refused'), provider: z.string(), reference: z.string() }),
      ]),
      failed: 'Single sign-on failed',
      faults: { passkeyNeeded: signInFaults.passkeyNeeded },
      limit: 'publicLink',
    },
  },
  jobs: {
    clean: { title: 'Forget unfinished sign-ins by providers', every: '17 * * * *' },
  },
  events: {
    added: { says: 'Added a sign-in provider', body: z.object({ providerId: Id, name: z.string(), issuer: z.string() }) },
    changed: {
      says: 'Changed a sign-in provider',
      body: z.object({ providerId: Id, name: z.string(), issuer: z.string(), secretChanged: z.boolean() }),
    },
    removed: { says: 'Removed a sign-in provider', body: z.object({ providerId: Id, name: z.string() }) },
    enabled: { says: 'Switched on a sign-in provider', body: z.object({ providerId: Id, name: z.string() }) },
    disabled: { says: 'Switched off a sign-in provider', body: z.object({ providerId: Id, name: z.string() }) },
    tried: { says: 'Tried a sign-in provider', body: z.object({ providerId: Id }) },
    accepted: { says: 'Was known by a sign-in provider', body: z.object({ userId: Id, providerId: Id }) },
    linked: {
      says: 'Linked an account to a sign-in provider',
      body: z.object({ userId: Id, providerId: Id, subject: z.string(), by: z.enum(['address', 'firstSignIn']) }),
    },
    unlinked: { says: 'Removed a sign-in identity', body: z.object({ userId: Id, providerId: Id, subject: z.string() }) },
    refused: {
      says: 'Refused a sign-in by a provider',
      body: z.object({ providerId: Id, reason: z.string(), detail: z.string(), name: z.string(), reference: z.string() }),
    },
  },
})
