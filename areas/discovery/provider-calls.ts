// The calls about what is asked for certificates beside the network: clusters, and files that somebody uploads.

import * as z from 'zod'
import { Id, Instant, Line, OptionalLine } from '#core/contract/shapes.ts'
import { mostFileText, mostFiles, providerKinds, providerStates } from './rules.ts'

const draft = {
  name: Line(80),
  /** Of the provider's API: `https://cluster.example:6443`; of a directory `ldaps://` or, for StartTLS, `ldap://`. */
  url: Line(1_000),
  /** A namespace of the cluster, the base of a directory, a region of AWS, the tenant of Azure, or where a log is begun at. */
  scope: OptionalLine(1_000),
  /** Who asks: the distinguished name, the access key, the client. Of a log its public key. */
  account: OptionalLine(1_000),
  /** Where a client of Azure signs in; empty for the public cloud. */
  login: OptionalLine(1_000),
  /** Certificates that are trusted besides the public ones, PEM. */
  roots: z.string().max(20_000).default(''),
  /** Hours between two readings; none where it is only read by hand. */
  everyHours: z.number().int().min(0).max(8_760).default(24),
}
const kind = z.enum(providerKinds)

const faults = {
  nameTaken: { status: 409, says: 'A provider has this name already', field: 'name', constraint: 'discovery_providers_by_name' },
  refused: { status: 400, says: 'The address cannot be reached from here: {reason}', field: 'url' },
  loginRefused: { status: 400, says: 'The address cannot be reached from here: {reason}', field: 'login' },
  badScope: { status: 400, says: '{reason}', field: 'scope' },
  badAccount: { status: 400, says: '{reason}', field: 'account' },
  badUrl: { status: 400, says: 'Use ldaps://host:636, or ldap://host:389 for StartTLS', field: 'url' },
} as const
const { nameTaken: _nameTaken, ...triedFaults } = faults
const secretNeeded = {
  status: 400,
  says: 'Enter the secret anew: it is not sent to another address or for another account',
  field: 'secret',
} as const
const reading = { status: 409, says: 'It is being read: stop it first' } as const

export const providerCalls = {
  providers: {
    does: 'Lists the providers of a kind that are asked for certificates, each with its last reading. No secret is read back.',
    method: 'GET',
    path: '/api2/Monitoring-v1/DiscoveryProviders',
    needs: 'networkScanReport',
    input: z.object({ kind }),
    output: z.object({
      providers: z.array(
        z.object({
          id: Id,
          kind,
          ...draft,
          state: z.enum(providerStates),
          says: z.string(),
          found: z.number().int(),
          fresh: z.number().int(),
          changed: z.number().int(),
          refused: z.number().int(),
          startedAt: Instant.optional(),
          endedAt: Instant.optional(),
          version: z.number().int(),
        }),
      ),
    }),
  },
  addProvider: {
    does: 'Adds a provider that is asked for certificates; answers its id. Its secret is sealed and never read back.',
    title: 'Add a discovery provider',
    method: 'POST',
    path: '/api2/Monitoring-v1/DiscoveryProvider',
    needs: 'infrastructureConfig',
    input: z.object({ kind, ...draft, secret: Line(8_000).optional() }),
    output: z.object({ id: Id }),
    done: 'The provider was added',
    failed: 'The provider was not added',
    faults: { ...faults, secretNeeded: { ...secretNeeded, says: 'Enter the secret' } },
    ownTransactions: true,
  },
  changeProvider: {
    does: 'Replaces how a provider of certificates is asked; answers nothing. Another address takes the secret anew.',
    title: 'Change a discovery provider',
    method: 'PUT',
    path: '/api2/Monitoring-v1/DiscoveryProvider',
    needs: 'infrastructureConfig',
    input: z.object({ id: Id, version: z.number().int().optional(), ...draft, secret: Line(8_000).optional() }),
    output: z.object({}),
    done: 'The provider was changed',
    failed: 'The provider was not changed',
    faults: { ...faults, secretNeeded, reading },
    ownTransactions: true,
  },
  removeProvider: {
    does: 'Deletes a provider of certificates with its secret; what was found stays. Answers nothing.',
    title: 'Delete a discovery provider',
    method: 'DELETE',
    path: '/api2/Monitoring-v1/DiscoveryProvider',
    needs: 'infrastructureConfig',
    input: z.object({ id: Id }),
    output: z.object({}),
    done: 'The provider was deleted',
    failed: 'The provider was not deleted',
  },
  readProvider: {
    does: 'Begins to read a provider of certificates in the background; answers nothing. Its progress stands in the list.',
    title: 'Read a discovery provider',
    method: 'POST',
    path: '/api2/Monitoring-v1/ReadDiscoveryProvider',
    needs: 'infrastructureConfig',
    input: z.object({ id: Id }),
    output: z.object({}),
    done: 'The reading begins',
    failed: 'The reading was not begun',
    faults: { reading: { status: 409, says: 'It is being read already' } },
  },
  pauseProvider: {
    does: 'Pauses the reading of a provider after its present page, or goes on with it there; answers nothing.',
    title: 'Pause reading a discovery provider',
    method: 'POST',
    path: '/api2/Monitoring-v1/PauseDiscoveryProvider',
    needs: 'infrastructureConfig',
    input: z.object({ id: Id, paused: z.boolean() }),
    output: z.object({}),
    failed: 'The reading was not paused',
    faults: { ended: { status: 409, says: 'It is not being read' } },
  },
  tryProvider: {
    does: 'Asks a provider for its first page and keeps nothing; answers how many certificates there are and where the first ones stand. `id` lends the secret that is kept.',
    title: 'Try a discovery provider',
    method: 'POST',
    path: '/api2/Monitoring-v1/TryDiscoveryProvider',
    needs: 'infrastructureConfig',
    input: z.object({ id: Id.optional(), kind, ...draft, name: OptionalLine(80), secret: Line(8_000).optional() }),
    output: z.object({ found: z.number().int(), more: z.boolean(), places: z.array(z.string()), says: z.string() }),
    failed: 'Nothing was asked',
    faults: { ...triedFaults, secretNeeded, failed: { status: 400, says: '{reason}', field: 'url' } },
    ownTransactions: true,
  },
  stopProvider: {
    does: 'Stops the reading of a provider after its present page; what was found until then stays. Answers nothing.',
    title: 'Stop reading a discovery provider',
    method: 'POST',
    path: '/api2/Monitoring-v1/StopDiscoveryProvider',
    needs: 'infrastructureConfig',
    input: z.object({ id: Id }),
    output: z.object({}),
    done: 'The reading stops',
    failed: 'The reading was not stopped',
    faults: { ended: { status: 409, says: 'It is not being read' } },
  },
  uploadFound: {
    does: 'Lists the certificates in uploaded files as findings; answers how many, and what is wrong with a file. Private keys are never kept.',
    title: 'Upload files to discovery',
    method: 'POST',
    path: '/api2/Monitoring-v1/UploadDiscovered',
    needs: 'infrastructureConfig',
    bodyLimit: 2 * mostFileText,
    input: z
      .object({
        files: z
          .array(z.object({ name: Line(255), content: z.string().max(mostFileText, 'An upload has at most 2,000,000 characters') }))
          .min(1, 'Choose a file')
          .max(mostFiles, `Upload at most ${mostFiles} files at once`),
      })
      .refine(({ files }) => files.reduce((sum, { content }) => sum + content.length, 0) <= mostFileText, {
        path: ['files'],
        message: 'An upload has at most 2,000,000 characters',
      }),
    output: z.object({
      found: z.number().int(),
      fresh: z.number().int(),
      changed: z.number().int(),
      faults: z.array(z.object({ file: z.string(), says: z.string() })),
    }),
    failed: 'The files were not read',
  },
} as const

const body = z.object({ providerId: Id, name: z.string() })
export const providerEvents = {
  providerAdded: { says: 'Added a discovery provider', body },
  providerChanged: { says: 'Changed a discovery provider', body },
  providerRemoved: { says: 'Deleted a discovery provider', body },
  providerStarted: { says: 'Began to read a discovery provider', body },
  providerPaused: { says: 'Paused reading a discovery provider', body },
  providerResumed: { says: 'Went on reading a discovery provider', body },
  providerStopped: { says: 'Stopped reading a discovery provider', body },
  providerRead: {
    says: 'Read a discovery provider',
    body: body.extend({ state: z.string(), found: z.number().int(), fresh: z.number().int(), changed: z.number().int() }),
  },
  filesFound: {
    says: 'Uploaded files to discovery',
    body: z.object({ files: z.number().int(), found: z.number().int(), fresh: z.number().int() }),
  },
} as const
