import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, OptionalLine, pageOf, PageQuery } from '#core/contract/shapes.ts'
import { challengeTypes } from '#standards/acme/challenge-types.ts'
import { accountStatuses, authorizationStatuses, challengeStatuses, orderStatuses } from '#standards/acme/states.ts'
import { profileName } from './rules.ts'

const Challenge = z.enum(challengeTypes)
const Port = z.number().int('Enter a whole number').min(1, 'From 1').max(65_535, 'At most 65535')
const NameServers = z.array(Line(60)).max(5, 'At most 5 name servers')
const WebAddress = z.union([z.literal(''), z.url({ protocol: /^https?$/, error: 'Enter an address that begins with https://' }).max(300)])

/** A profile (draft-ietf-acme-profiles): the name by which a client chooses a template. The first is what clients get that choose none. */
const Profile = z.object({
  name: z.string().trim().regex(profileName, 'Use small letters, digits, dots and dashes'),
  description: OptionalLine(200),
  templateId: Id,
})

/** What a directory says and demands. */
export const DirectorySettings = z.object({
  profiles: z.array(Profile).min(1, 'Offer at least one template').max(20),
  /** Only who has the key of an external account may come. */
  eabRequired: z.boolean().default(true),
  challenges: z.array(Challenge).min(1, 'Allow at least one challenge').default(['http-01', 'dns-01', 'tls-alpn-01']),
  httpPort: Port.default(80),
  tlsPort: Port.default(443),
  /** Instead of those of the installation. */
  nameServers: NameServers.default([]),
  /** Further name servers that must see the same. */
  vantagePoints: z
    .array(z.object({ name: Line(60), nameServers: NameServers.min(1, 'Name its name servers') }))
    .max(5)
    .default([]),
  /** The domains by which CAA records name this authority. None: CAA records are not read. */
  caaIdentities: z.array(Line(253)).max(5).default([]),
  authorizationDays: z.number().int('Enter a whole number').min(0, 'At least 0').max(90, 'At most 90').default(7),
  orderHours: z.number().int('Enter a whole number').min(1, 'At least 1').max(168, 'At most 168').default(24),
  renewalInformation: z.boolean().default(true),
  website: WebAddress.default(''),
  termsOfService: WebAddress.default(''),
})
export type DirectorySettings = z.output<typeof DirectorySettings>

export const DirectoryDraft = DirectorySettings.extend({ name: Line(80), enabled: z.boolean().default(true) })

const DirectoryRow = z.object({
  id: Id,
  name: z.string(),
  enabled: z.boolean(),
  /** What a client is given. */
  url: z.string(),
  templates: z.array(z.string()),
  eabRequired: z.boolean(),
  accounts: z.number().int(),
  orders: z.number().int(),
})

const AccountRow = z.object({
  id: Id,
  directoryId: Id,
  directoryName: z.string(),
  status: z.enum(accountStatuses),
  contact: z.array(z.string()),
  keyType: z.string(),
  thumbprint: z.string(),
  eabName: z.string().optional(),
  address: z.string(),
  createdAt: Instant,
  lastSeenAt: Instant,
  orders: z.number().int(),
})

const Problem = z.object({ type: z.string(), detail: z.string() })

const OrderRow = z.object({
  id: Id,
  directoryName: z.string(),
  accountId: Id,
  status: z.enum(orderStatuses),
  names: z.array(z.string()),
  profile: z.string(),
  error: Problem.optional(),
  certificateId: Id.optional(),
  createdAt: Instant,
})

/** What was seen, and from where: name servers, addresses, answers. */
export const Sighting = z.object({
  from: z.string(),
  at: Instant,
  steps: z.array(z.string()),
  problem: Problem.optional(),
})

const ChallengeView = z.object({
  type: Challenge,
  status: z.enum(challengeStatuses),
  token: z.string(),
  attempts: z.number().int(),
  validatedAt: Instant.optional(),
  error: Problem.optional(),
  evidence: z.array(Sighting),
})

const EabRow = z.object({
  id: Id,
  directoryId: Id,
  directoryName: z.string(),
  name: z.string(),
  names: z.array(z.string()),
  usesLeft: z.number().int().optional(),
  expiresAt: Instant.optional(),
  state: z.enum(['active', 'used', 'expired', 'revoked']),
  accounts: z.number().int(),
  createdAt: Instant,
  createdBy: z.string(),
})

const needs = 'acmeConfiguration'
const nameTaken = { status: 409, says: 'A directory with this name exists', field: 'name', constraint: 'acme_directories_by_name' } as const
const wire = '/acme/:publicId'

export const acme = contract({
  area: 'acme',
  title: 'ACME',
  screens: {
    config: { path: '/config/acme', needs, title: 'ACME', menu: { group: 'pki', entry: 'enrolment', tab: 'ACME', place: 10 } },
    addDirectory: { path: '/config/acme/new', needs, title: 'New ACME directory', parent: 'config', button: 'New directory' },
    editDirectory: { path: '/config/acme/edit/:id', needs, title: 'ACME directory', parent: 'config' },
    order: { path: '/config/acme/order/:id', needs, title: 'ACME order', parent: 'config' },
  },
  calls: {
    directories: {
      does: 'Lists the ACME directories of the tenancy.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchAcmeProfiles',
      needs,
      reads: true,
      input: PageQuery,
      output: pageOf(DirectoryRow),
    },
    choices: {
      does: 'Answers the templates that an ACME directory can offer.',
      method: 'GET',
      path: '/api2/PKI-v1/AcmeChoices',
      needs,
      input: z.object({}),
      output: z.object({ templates: z.array(z.object({ templateId: Id, name: z.string(), approvals: z.number().int() })) }),
    },
    directory: {
      does: 'Answers one ACME directory with its settings and version.',
      method: 'GET',
      path: '/api2/PKI-v1/AcmeProfile',
      needs,
      input: z.object({ id: Id }),
      output: DirectoryDraft.extend({
        id: Id,
        url: z.string(),
        version: z.number().int(),
        ownerName: z.string(),
        ownerMayAsk: z.boolean(),
      }),
    },
    addDirectory: {
      does: 'Adds an ACME directory, whose certificates are asked for in the name of the caller; answers its id and its address.',
      title: 'Add an ACME directory',
      method: 'POST',
      path: '/api2/PKI-v1/AcmeProfile',
      needs,
      // It asks with what its owner may do: a token gives it no more than it has itself.
      tokens: ['certSigningRequest'],
      ownTransactions: true,
      input: DirectoryDraft,
      output: z.object({ id: Id, url: z.string() }),
      done: 'The directory was added',
      failed: 'The directory was not added',
      faults: { nameTaken },
    },
    changeDirectory: {
      does: 'Replaces the settings of an ACME directory, whose certificates are asked for in the name of the caller from then on.',
      title: 'Change an ACME directory',
      method: 'PUT',
      path: '/api2/PKI-v1/AcmeProfile',
      needs,
      // It asks with what its owner may do: a token gives it no more than it has itself.
      tokens: ['certSigningRequest'],
      ownTransactions: true,
      input: DirectoryDraft.extend({ id: Id, version: z.number().int() }),
      output: z.object({ version: z.number().int() }),
      done: 'The directory was changed',
      failed: 'The directory was not changed',
      faults: { nameTaken },
    },
    removeDirectory: {
      does: 'Removes an ACME directory with its accounts, orders and keys. Certificates stay.',
      title: 'Remove an ACME directory',
      method: 'DELETE',
      path: '/api2/PKI-v1/AcmeProfile',
      needs,
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The directory was removed',
      failed: 'The directory was not removed',
    },
    accounts: {
      does: 'Lists the accounts of ACME clients.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchAcmeAccounts',
      needs,
      reads: true,
      input: PageQuery.extend({ directoryId: Id.optional(), status: z.enum(accountStatuses).optional() }),
      output: pageOf(AccountRow),
    },
    deactivateAccount: {
      does: 'Ends an account for good: it can do nothing more. Its certificates stay.',
      title: 'Deactivate an ACME account',
      method: 'POST',
      path: '/api2/PKI-v1/DeactivateAcmeAccount',
      needs,
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The account was deactivated',
      failed: 'The account was not deactivated',
      faults: { ended: { status: 409, says: 'This account has ended already' } },
    },
    orders: {
      does: 'Lists the orders of ACME clients, the newest first.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchAcmeOrders',
      needs,
      reads: true,
      input: PageQuery.extend({ directoryId: Id.optional(), accountId: Id.optional(), status: z.enum(orderStatuses).optional() }),
      output: pageOf(OrderRow),
    },
    order: {
      does: 'Answers one order with its authorisations, each challenge, and what was seen from where.',
      method: 'GET',
      path: '/api2/PKI-v1/AcmeOrder',
      needs,
      input: z.object({ id: Id }),
      output: OrderRow.extend({
        expiresAt: Instant,
        address: z.string(),
        requestId: Id.optional(),
        replaces: z.string().optional(),
        authorizations: z.array(
          z.object({
            id: Id,
            name: z.string(),
            wildcard: z.boolean(),
            status: z.enum(authorizationStatuses),
            expiresAt: Instant,
            challenges: z.array(ChallengeView),
          }),
        ),
      }),
    },
    eabs: {
      does: 'Lists the keys of external accounts, without their secrets.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchAcmeEabs',
      needs,
      reads: true,
      input: PageQuery.extend({ directoryId: Id.optional() }),
      output: pageOf(EabRow),
    },
    addEab: {
      does: 'Makes the key of an external account. The answer alone has its secret, for the client.',
      title: 'Make an ACME EAB key',
      method: 'POST',
      path: '/api2/PKI-v1/AcmeEab',
      needs,
      ownTransactions: true,
      unstored: true,
      input: z.object({
        directoryId: Id,
        name: Line(80),
        /** `example.org`, `*.example.org`, `10.0.0.0/8`. None: whatever the template allows. */
        names: z.array(Line(253)).max(100).default([]),
        /** For so many accounts; without it for as many as come. */
        uses: z.number().int('Enter a whole number').min(1, 'At least 1').max(100_000, 'At most 100000').optional(),
        expiresAt: Instant.optional(),
        /** Ends this one: whoever has it already keeps the account. */
        replaces: Id.optional(),
      }),
      output: z.object({ id: Id, kid: z.string(), hmacKey: z.string(), directoryUrl: z.string() }),
      done: 'The key was made',
      failed: 'The key was not made',
    },
    revokeEab: {
      does: 'Ends the key of an external account and every account that came with it.',
      title: 'Revoke an ACME EAB key',
      method: 'POST',
      path: '/api2/PKI-v1/RevokeAcmeEab',
      needs,
      input: z.object({ id: Id }),
      output: z.object({ accounts: z.number().int() }),
      done: 'The key was revoked',
      failed: 'The key was not revoked',
      faults: { ended: { status: 409, says: 'This key is revoked already' } },
    },
    tryName: {
      does: 'Tries what a validation would see of a name now, without an order: addresses, web server, TLS, DNS and CAA.',
      title: 'Try a name',
      method: 'POST',
      path: '/api2/PKI-v1/TryAcmeName',
      needs,
      ownTransactions: true,
      reads: true,
      watched: true,
      input: z.object({ directoryId: Id, name: Line(253) }),
      output: z.object({
        template: z.string().optional(),
        results: z.array(z.object({ what: z.string(), ok: z.boolean(), sightings: z.array(Sighting) })),
      }),
      failed: 'The name could not be tried',
    },
    commandLines: {
      does: 'Answers what to type for each known client to get a certificate from a directory.',
      method: 'GET',
      path: '/api2/PKI-v1/AcmeCommandLines',
      needs,
      input: z.object({ id: Id }),
      output: z.object({ eabRequired: z.boolean(), clients: z.array(z.object({ name: z.string(), hint: z.string(), text: z.string() })) }),
    },
  },
  endpoints: {
    wireDirectory: { method: 'GET', path: `${wire}/directory`, needs: 'public' },
    wireNonce: { method: 'GET', path: `${wire}/new-nonce`, needs: 'public' },
    wireRenewal: { method: 'GET', path: `${wire}/renewal-info/:certificate`, needs: 'public' },
    wireSignedDirectory: { title: 'Read an ACME directory', method: 'POST', path: `${wire}/directory`, needs: 'public' },
    wireSignedNonce: { title: 'Ask for a nonce of ACME', method: 'POST', path: `${wire}/new-nonce`, needs: 'public' },
    wireByGet: { method: 'GET', path: `${wire}/*`, needs: 'public' },
    wireAccount: { title: 'Ask for an ACME account', method: 'POST', path: `${wire}/new-account`, needs: 'public' },
    wireOwnAccount: { title: 'Change an ACME account', method: 'POST', path: `${wire}/account/:id`, needs: 'public' },
    wireOrders: { title: 'List orders of an ACME account', method: 'POST', path: `${wire}/account/:id/orders`, needs: 'public' },
    wireKeyChange: { title: 'Change the key of an ACME account', method: 'POST', path: `${wire}/key-change`, needs: 'public' },
    wireNewOrder: { title: 'Order by ACME', method: 'POST', path: `${wire}/new-order`, needs: 'public' },
    wireNewAuthorization: { title: 'Ask for an ACME authorisation', method: 'POST', path: `${wire}/new-authz`, needs: 'public' },
    wireOrder: { title: 'See an ACME order', method: 'POST', path: `${wire}/order/:id`, needs: 'public' },
    wireFinalize: { title: 'Finalise an ACME order', method: 'POST', path: `${wire}/order/:id/finalize`, needs: 'public' },
    wireAuthorization: { title: 'See or end an ACME authorisation', method: 'POST', path: `${wire}/authz/:id`, needs: 'public' },
    wireChallenge: { title: 'Answer an ACME challenge', method: 'POST', path: `${wire}/challenge/:id`, needs: 'public' },
    wireCertificate: { title: 'Fetch a certificate by ACME', method: 'POST', path: `${wire}/certificate/:id`, needs: 'public' },
    wireChain: { title: 'Fetch another chain by ACME', method: 'POST', path: `${wire}/certificate/:id/:chain`, needs: 'public' },
    wireRevoke: { title: 'Revoke a certificate by ACME', method: 'POST', path: `${wire}/revoke-cert`, needs: 'public' },
  },
  jobs: {
    goOn: { title: 'Go on with ACME validations and orders', every: '* * * * *' },
    tidy: { title: 'Remove ACME orders that came to nothing', every: '23 2 * * *' },
  },
  events: {
    directoryAdded: { says: 'Added an ACME directory', body: z.object({ directoryId: Id, name: z.string() }) },
    directoryChanged: { says: 'Changed an ACME directory', body: z.object({ directoryId: Id, name: z.string() }) },
    directoryRemoved: { says: 'Removed an ACME directory', body: z.object({ directoryId: Id, name: z.string() }) },
    eabAdded: { says: 'Made an ACME EAB key', body: z.object({ eabId: Id, directoryId: Id, name: z.string() }) },
    eabRevoked: { says: 'Revoked an ACME EAB key', body: z.object({ eabId: Id, name: z.string(), accounts: z.number().int() }) },
    eabReplaced: { says: 'Replaced an ACME EAB key', body: z.object({ eabId: Id, name: z.string(), by: Id }) },
    accountAdded: {
      says: 'Registered an ACME account',
      body: z.object({ accountId: Id, directoryId: Id, thumbprint: z.string(), eabId: Id.optional() }),
    },
    accountChanged: { says: 'Changed the contact of an ACME account', body: z.object({ accountId: Id }) },
    accountKeyChanged: { says: 'Changed the key of an ACME account', body: z.object({ accountId: Id, thumbprint: z.string() }) },
    accountEnded: { says: 'Ended an ACME account', body: z.object({ accountId: Id, status: z.enum(accountStatuses), reason: z.string() }) },
    ordered: { says: 'Ordered a certificate by ACME', body: z.object({ orderId: Id, accountId: Id, names: z.array(z.string()) }) },
    proven: { says: 'Proved a name by ACME', body: z.object({ authorizationId: Id, accountId: Id, name: z.string(), method: z.string() }) },
    notProven: {
      says: 'Failed to prove a name by ACME',
      body: z.object({ authorizationId: Id, accountId: Id, name: z.string(), method: z.string(), problem: z.string(), detail: z.string() }),
    },
    authorizationEnded: { says: 'Gave up an ACME authorisation', body: z.object({ authorizationId: Id, accountId: Id, name: z.string() }) },
    finalized: { says: 'Finalised an ACME order', body: z.object({ orderId: Id, accountId: Id }) },
    completed: { says: 'Completed an ACME order', body: z.object({ orderId: Id, accountId: Id, certificateId: Id }) },
    refused: {
      says: 'Refused an ACME request',
      body: z.object({ accountId: Id.optional(), orderId: Id.optional(), what: z.string(), problem: z.string(), detail: z.string() }),
    },
  },
})
