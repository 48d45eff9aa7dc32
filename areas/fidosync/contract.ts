import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, pageOf, PageQuery, sortedBy } from '#core/contract/shapes.ts'
import { credentialStates } from './rules.ts'

const needs = 'viewFidoCredentials'

/** As the provider writes it: base64url without padding. */
const CredentialId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,1024}$/, 'Enter the id as the provider writes it: letters, digits, - and _')
  .meta({ examples: ['-2_GRUg2-HYz6_1YG4YRAQ2'] })

const Address = Line(200)

const Row = z.object({
  id: Id,
  credentialId: z.string(),
  /** Ours alone: providers keep the name that the person gave. */
  customName: z.string(),
  providerName: z.string(),
  markedForDeletion: z.boolean(),
  state: z.enum(credentialStates),
  /** Who has it here; nobody where the provider knows somebody whom we do not. */
  person: z.object({ id: Id, name: z.string() }).optional(),
  account: z.string(),
  model: z.string(),
  createdAt: Instant.optional(),
  seenAt: Instant,
})

const beyond = { status: 403, says: 'This person holds more than you do' } as const
const isGone = { status: 409, says: 'The provider does not have this credential any more' } as const

const provider = {
  directoryId: Line(100),
  clientId: Line(100),
  loginUrl: Address,
  graphUrl: Address,
  enabled: z.boolean(),
}

/** Why the provider was not asked, or did not do it. */
const providerFaults = {
  none: { status: 409, says: 'No provider is connected' },
  unreachable: { status: 502, says: 'The provider did not answer: {reason}' },
  signIn: { status: 502, says: 'The provider refused the application: {reason}' },
  permission: { status: 502, says: 'The provider does not let the application do this. It needs the permission {permission}' },
  busy: { status: 503, says: 'The provider asks to wait {seconds} s' },
  unreadable: { status: 502, says: 'The answer of the provider cannot be understood: {reason}' },
} as const

export const fidosync = contract({
  area: 'fidosync',
  title: 'Provider credentials',
  screens: {
    view: { path: '/credentials/fido/synced-credential/:id', needs, title: 'Provider credential', parent: 'fidoList' },
    provider: {
      path: '/config/chancery/fido-provider',
      needs: 'ssoConfig',
      title: 'Provider of passkeys',
      menu: { group: 'settings', entry: 'signIn', tab: 'Provider of passkeys', place: 25 },
      also: 'Entra, Microsoft Graph, FIDO2 sync',
    },
  },
  records: {
    fido: {
      singular: 'Provider credential',
      plural: 'Provider credentials',
      needs,
      place: 55,
      list: { menu: { group: 'cards', entry: 'passkeys', tab: 'Provider credentials', place: 20 }, also: 'FIDO2, synced passkeys, Entra' },
    },
  },
  calls: {
    search: {
      does: 'Lists the FIDO credentials that the provider has, by text and state.',
      method: 'POST',
      path: '/api2/CMS-v2/SearchFido2SyncedCredentials',
      needs,
      reads: true,
      input: PageQuery.extend({
        sort: sortedBy('account', 'createdAt', 'seenAt'),
        state: z.array(z.enum(credentialStates)).default([]),
        /** Only those of people who have no account here. */
        unknown: z.boolean().optional(),
      }),
      output: pageOf(Row),
    },
    get: {
      does: 'Answers one FIDO credential of the provider by the id that the provider gave it.',
      method: 'POST',
      path: '/api2/CMS-v2/GetFido2SyncedCredential',
      needs,
      reads: true,
      input: z.object({ credentialId: CredentialId }),
      output: Row.extend({
        aaguid: z.string(),
        attestation: z.string(),
        provider: z.string(),
        markedAt: Instant.optional(),
        markedBy: z.string(),
        /** What the last try to delete it ended with. */
        trouble: z.string(),
        lastSyncAt: Instant.optional(),
        /** The last whole sync did not find the person at the provider any more. */
        left: z.boolean(),
      }),
      failed: 'Failed to load FIDO credential',
    },
    mark: {
      does: 'Marks a FIDO credential of the provider for deletion, or takes the mark away. Nothing is deleted by it.',
      title: 'Mark a provider credential',
      method: 'POST',
      path: '/api2/CMS-v2/MarkFido2SyncedCredentialForDeletion',
      needs,
      tokens: ['userEdit'],
      input: z.object({ credentialId: CredentialId, markedForDeletion: z.boolean() }),
      output: z.object({}),
      done: 'This credential has been marked for deletion',
      failed: 'Failed to mark FIDO credential for deletion',
      faults: {
        beyond,
        isGone,
        isDeleting: { status: 409, says: 'The credential is being deleted at the provider' },
      },
    },
    rename: {
      does: 'Gives a FIDO credential of the provider a name that is kept here alone; empty takes it away.',
      title: 'Rename a provider credential',
      method: 'PATCH',
      path: '/api2/CMS-v2/RenameFido2SyncedCredential',
      needs,
      tokens: ['userEdit'],
      input: z.object({ credentialId: CredentialId, newCustomName: z.union([z.literal(''), Line(80)]) }),
      output: z.object({}),
      done: 'This credential has been renamed',
      failed: 'Failed to rename FIDO credential',
      faults: { beyond },
    },
    remove: {
      does: 'Deletes a marked FIDO credential at the provider. Where the provider cannot do it now, it is tried again until it is gone.',
      title: 'Delete a credential at the provider',
      method: 'DELETE',
      path: '/api2/CMS-v2/Fido2SyncedCredential',
      needs,
      tokens: ['userEdit'],
      ownTransactions: true,
      input: z.object({ credentialId: CredentialId }),
      output: z.object({ state: z.literal('gone') }),
      failed: 'Failed to delete FIDO credential from the provider',
      faults: {
        ...providerFaults,
        beyond,
        notMarked: { status: 409, says: 'Mark the credential for deletion first' },
      },
    },
    sync: {
      does: 'Begins to read all people and their FIDO credentials from the provider, in the background.',
      title: 'Synchronise with the provider of passkeys',
      method: 'POST',
      path: '/api2/CMS-v2/SyncFido2Credentials',
      needs,
      tokens: ['userEdit', 'ssoConfig'],
      input: z.object({}),
      output: z.object({}),
      done: 'The provider is being read',
      failed: 'The provider was not read',
      faults: { none: providerFaults.none },
    },
    provider: {
      does: 'Answers how the provider of passkeys is reached, without its secret, and how the last sync ended.',
      method: 'GET',
      path: '/api2/CMS-v2/FidoProvider',
      needs: 'ssoConfig',
      input: z.object({}),
      /** Empty where none is connected yet. */
      output: z.object({
        directoryId: z.string(),
        clientId: z.string(),
        loginUrl: z.string(),
        graphUrl: z.string(),
        enabled: z.boolean(),
        version: z.number().int(),
        hasSecret: z.boolean(),
        lastSyncAt: Instant.optional(),
        /** A sync that has begun and not ended. */
        running: z.boolean(),
        people: z.number().int(),
        credentials: z.number().int(),
        trouble: z.string(),
      }),
    },
    setProvider: {
      does: 'Says how the provider of passkeys is reached. Without a secret the one that is kept stays, unless it would go elsewhere.',
      title: 'Set the provider of passkeys',
      method: 'PUT',
      path: '/api2/CMS-v2/FidoProvider',
      needs: 'ssoConfig',
      ownTransactions: true,
      input: z.object({ ...provider, version: z.number().int().optional(), secret: z.string().min(1).max(1000).optional() }),
      output: z.object({}),
      done: 'The provider is saved',
      failed: 'The provider was not saved',
      faults: {
        secretNeeded: { status: 400, says: 'Enter the secret: it is not kept yet, or it would go to another address', field: 'secret' },
        refusedLogin: { status: 400, says: 'The address cannot be reached from here: {reason}', field: 'loginUrl' },
        refusedGraph: { status: 400, says: 'The address cannot be reached from here: {reason}', field: 'graphUrl' },
        wrongDirectory: { status: 400, says: 'Use letters, digits, dots and hyphens', field: 'directoryId' },
      },
    },
    testProvider: {
      does: 'Signs in to the provider of passkeys as saved and reads the credentials of one person; answers how many people it saw.',
      title: 'Test the provider of passkeys',
      method: 'POST',
      path: '/api2/CMS-v2/TestFidoProvider',
      needs: 'ssoConfig',
      ownTransactions: true,
      input: z.object({}),
      output: z.object({ people: z.number().int() }),
      done: 'The provider answers, and lets the application read passkeys',
      failed: 'The provider was not reached',
      faults: providerFaults,
    },
  },
  jobs: {
    sync: { title: 'Read passkeys from the provider', every: '17 * * * *' },
    deletions: { title: 'Delete marked passkeys at the provider', every: '* * * * *' },
  },
  events: {
    providerSet: { says: 'Set the provider of passkeys', body: z.object({ graphUrl: z.string(), enabled: z.boolean() }) },
    marked: { says: 'Marked a provider credential for deletion', body: z.object({ credentialId: z.string(), userId: Id.optional() }) },
    unmarked: { says: 'Took the mark from a provider credential', body: z.object({ credentialId: z.string(), userId: Id.optional() }) },
    renamed: { says: 'Renamed a provider credential', body: z.object({ credentialId: z.string(), name: z.string() }) },
    deletionBegan: {
      says: 'Began to delete a credential at the provider',
      body: z.object({ credentialId: z.string(), userId: Id.optional() }),
    },
    deleted: { says: 'Deleted a credential at the provider', body: z.object({ credentialId: z.string(), userId: Id.optional() }) },
    vanished: {
      says: 'The provider does not have a credential any more',
      body: z.object({ credentialId: z.string(), userId: Id.optional() }),
    },
    synced: { says: 'Read passkeys from the provider', body: z.object({ people: z.number().int(), credentials: z.number().int() }) },
  },
})
