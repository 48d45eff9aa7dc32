import * as z from 'zod'
import { ViewerDetails } from '#areas/sessions/contract.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line } from '#core/contract/shapes.ts'
import { Aaguid, Base64url } from './rules.ts'

const Passkey = z.object({
  id: Id,
  customName: z.string(),
  credentialId: z.string(),
  createdAt: Instant,
  lastUsedAt: Instant.optional(),
  /** Synced passkeys are on all devices of the person; others never leave theirs. */
  synced: z.boolean(),
  /** The name of the model where metadata knows it. */
  model: z.string().optional(),
  icon: z.string().optional(),
  /** Whether a statement of the manufacturer proves the model. */
  proved: z.boolean(),
  aaguid: z.string(),
  /** The host that it works at. */
  host: z.string(),
  worksHere: z.boolean(),
  blocked: z.boolean(),
  /** Why the policy of the tenancy does not let it sign in. */
  refusedFor: z.enum(['synced', 'model', 'unproved', 'compromised']).optional(),
})

const Passkeys = z.object({
  registeredCredentials: z.array(Passkey),
  displayName: z.string(),
  username: z.string(),
  /** For telling the browser which passkeys there are; only for one’s own. */
  userHandle: z.string().optional(),
})

const Assertion = z.object({
  id: Base64url(1400),
  type: z.literal('public-key'),
  rawId: Base64url(1400),
  response: z.object({
    clientDataJSON: Base64url(8000),
    authenticatorData: Base64url(4000),
    signature: Base64url(8000),
    userHandle: Base64url(100),
  }),
})

const PolicyFields = z.object({ deviceBound: z.boolean(), models: z.array(Aaguid).max(500) })
const Model = z.object({ aaguid: z.string(), name: z.string(), icon: z.string(), compromised: z.boolean(), provable: z.boolean() })

const lenient = 'Browsers and their libraries add what they know besides, such as clientExtensionResults'

export const passkeys = contract({
  area: 'passkeys',
  title: 'Passkeys',
  screens: {
    /** `me` stands for the own account. */
    list: {
      path: '/credentials/fido/passkeys/:userID',
      needs: 'signedIn',
      title: 'Passkeys',
      menu: { group: 'cards', entry: 'passkeys', tab: 'My passkeys', place: 10, params: { userID: 'me' } },
      also: 'FIDO2, WebAuthn, security key',
    },
    policy: {
      path: '/config/chancery/passkeys',
      needs: 'tenancyConfig',
      title: 'Passkey policy',
      menu: { group: 'settings', entry: 'signIn', tab: 'Passkeys', place: 20 },
      also: 'FIDO2, WebAuthn, AAGUID, metadata',
    },
  },
  endpoints: {
    prepareAuthentication: {
      method: 'POST',
      path: '/api2/Authentication-v1/PrepareFido2Authentication',
      needs: 'public',
      title: 'Ask for a passkey challenge',
    },
    relatedOrigins: { method: 'GET', path: '/.well-known/webauthn', needs: 'public' },
  },
  calls: {
    signIn: {
      does: 'Checks what a passkey signed over a challenge of PrepareFido2Authentication; opens the session and answers who is signed in.',
      title: 'Sign in with a passkey',
      method: 'POST',
      path: '/api2/Authentication-v1/FinishFido2Authentication',
      needs: 'public',
      lenient,
      bodyLimit: 64 * 1024,
      input: Assertion,
      output: z.array(ViewerDetails),
      failed: 'Sign-in failed',
      faults: {
        unknown: { status: 404, says: 'This passkey is not known here any more. Sign in another way, and remove it from your device' },
        refused: { status: 403, says: 'This passkey was not accepted' },
        policy: { status: 403, says: 'Your organisation does not accept this kind of passkey any more. Sign in another way' },
        blocked: {
          status: 403,
          says: 'This passkey is blocked, because there may be a copy of it. Sign in another way and register a new one',
        },
      },
      ownTransactions: true,
      limit: 'signIn',
    },
    prepareProof: {
      does: 'Answers what a browser needs to ask one of the caller’s passkeys for a proof of who the caller is.',
      method: 'POST',
      path: '/api2/Authentication-v1/PrepareFido2Proof',
      needs: 'signedIn',
      tokens: 'never',
      home: true,
      reads: true,
      input: z.object({}),
      output: z.object({ credentialRequestOptionsJson: z.string() }),
      failed: 'You were not confirmed',
      faults: { none: { status: 409, says: 'You have no passkey' } },
    },
    prove: {
      does: 'Takes what a passkey signed over the challenge of PrepareFido2Proof; for five minutes the session may change how the caller signs in.',
      title: 'Confirm who one is by a passkey',
      method: 'POST',
      path: '/api2/Authentication-v1/FinishFido2Proof',
      needs: 'signedIn',
      tokens: 'never',
      home: true,
      lenient,
      bodyLimit: 64 * 1024,
      input: Assertion,
      output: z.object({}),
      failed: 'You were not confirmed',
      faults: { refused: { status: 403, says: 'This passkey was not accepted' } },
      ownTransactions: true,
      limit: 'code',
    },
    prepare: {
      does: 'Begins the registration of a passkey for the caller; answers the options that the browser passes to the authenticator.',
      title: 'Begin to register a passkey',
      method: 'POST',
      path: '/api2/Authentication-v1/PrepareFido2Registration',
      needs: 'signedIn',
      tokens: 'never',
      home: true,
      input: z.object({ userId: Id }),
      output: Passkeys.extend({ credentialCreationOptionsJson: z.string() }),
      failed: 'Failed to create a new passkey',
      faults: {
        notYours: { status: 403, says: 'A passkey is registered by the person who holds it' },
        enough: { status: 409, says: 'You have as many passkeys as one person may. Delete one first' },
      },
    },
    register: {
      does: 'Registers the passkey that answered the options of PrepareFido2Registration; answers all passkeys of the caller.',
      title: 'Register a passkey',
      method: 'POST',
      path: '/api2/Authentication-v1/FinishFido2Registration',
      needs: 'signedIn',
      tokens: 'never',
      home: true,
      bodyLimit: 96 * 1024,
      input: z.object({ credentialCreationResponseJson: z.string().max(64 * 1024), customName: Line(80) }),
      output: Passkeys,
      done: 'Successfully created a new passkey',
      failed: 'Failed to create a new passkey',
      faults: {
        unreadable: { status: 400, says: 'This is not the answer of an authenticator', field: 'credentialCreationResponseJson' },
        refused: { status: 403, says: 'This passkey was not accepted' },
        synced: { status: 403, says: 'Your organisation accepts only passkeys that never leave their device, such as security keys' },
        model: { status: 403, says: 'Your organisation does not accept this model' },
        unproved: {
          status: 403,
          says: 'Your organisation accepts only devices whose manufacturer vouches for the model, and this one does not prove it',
        },
        compromised: { status: 403, says: 'The manufacturer reports that this model is not secure' },
        taken: { status: 409, says: 'This passkey is registered already', constraint: 'passkeys_by_credential' },
        enough: { status: 409, says: 'You have as many passkeys as one person may. Delete one first' },
      },
      ownTransactions: true,
      limit: 'code',
    },
    list: {
      does: 'Lists the passkeys of a user: one’s own, or with `userView` those of another of the tenancy.',
      method: 'POST',
      path: '/api2/Authentication-v1/ListFido2RegisteredCredentials',
      needs: 'signedIn',
      tokens: ['userView'],
      reads: true,
      input: z.object({ userId: Id }),
      output: Passkeys,
      failed: 'Failed to retrieve the list of passkeys',
    },
    rename: {
      does: 'Renames a passkey of one’s own, or with `userEdit` of another user; answers all passkeys of that user.',
      title: 'Rename a passkey',
      method: 'POST',
      path: '/api2/Authentication-v1/RenameFido2RegisteredCredential',
      needs: 'signedIn',
      tokens: ['userEdit'],
      input: z.object({ userId: Id, id: Id, newCustomName: Line(80) }),
      output: Passkeys,
      failed: 'Failed to rename the specified',
      faults: { beyond: { status: 403, says: 'This person holds more than you do' } },
    },
    remove: {
      does: 'Deletes a passkey of one’s own, or with `userEdit` of another user; answers the passkeys that are left. Nobody deletes the own last strong factor.',
      title: 'Delete a passkey',
      method: 'POST',
      path: '/api2/Authentication-v1/DeleteFido2RegisteredCredential',
      needs: 'signedIn',
      tokens: 'never',
      input: z.object({ userId: Id, id: Id }),
      output: Passkeys,
      failed: 'Failed to delete the specified passkey',
      faults: {
        beyond: { status: 403, says: 'This person holds more than you do' },
        last: { status: 409, says: 'Without this passkey only the password would be left. Set up a sign-in code or another passkey first' },
      },
    },
    policy: {
      does: 'Answers which passkeys the tenancy accepts, the models that imported metadata knows, and how many passkeys the policy refuses.',
      method: 'GET',
      path: '/api2/Authentication-v1/PasskeyPolicy',
      needs: 'tenancyConfig',
      input: z.object({}),
      output: PolicyFields.extend({
        version: z.number().int(),
        known: z.array(Model),
        refused: z.number().int(),
        registered: z.number().int(),
      }),
    },
    changePolicy: {
      does: 'Changes which passkeys the tenancy accepts; what is registered and refused by it does not sign in any more.',
      title: 'Change the passkey policy',
      method: 'PUT',
      path: '/api2/Authentication-v1/PasskeyPolicy',
      needs: 'tenancyConfig',
      tokens: 'never',
      input: PolicyFields.extend({ version: z.number().int() }),
      output: z.object({ refused: z.number().int() }),
      done: 'The passkey policy is saved',
      failed: 'The passkey policy was not saved',
      faults: {
        unknownModel: { status: 400, says: 'The metadata does not know one of these models. Import it first', field: 'models' },
        unprovable: { status: 400, says: 'Import metadata first: without it no device can prove what it is', field: 'deviceBound' },
      },
    },
    importMetadata: {
      does: 'Imports statements about models: the signed list of the FIDO Alliance, one metadata statement, or a list of them. Answers how many.',
      title: 'Import authenticator metadata',
      method: 'POST',
      path: '/api2/Authentication-v1/ImportFidoMetadata',
      needs: 'tenancyConfig',
      tokens: 'never',
      bodyLimit: 16 * 1024 * 1024,
      input: z.object({
        metadata: z
          .string()
          .min(2, 'Choose a file')
          .max(15 * 1024 * 1024),
      }),
      output: z.object({ models: z.number().int() }),
      done: 'The metadata is imported',
      failed: 'The metadata was not imported',
      faults: {
        unreadable: { status: 400, says: 'This is no metadata: {reason}', field: 'metadata' },
        older: { status: 409, says: 'This is list {no}, and list {last} is imported already. Download the newest one', field: 'metadata' },
      },
      ownTransactions: true,
    },
  },
  jobs: { clean: { title: 'Forget challenges that were answered', every: '27 * * * *' } },
  events: {
    registered: {
      says: 'Registered a passkey',
      body: z.object({ userId: Id, passkeyId: Id, name: z.string(), synced: z.boolean(), aaguid: z.string(), attestation: z.string() }),
    },
    renamed: { says: 'Renamed a passkey', body: z.object({ userId: Id, passkeyId: Id, name: z.string() }) },
    removed: { says: 'Deleted a passkey', body: z.object({ userId: Id, passkeyId: Id, name: z.string() }) },
    refused: { says: 'A passkey was refused', body: z.object({ userId: Id, passkeyId: Id.optional(), reason: z.string() }) },
    counterFell: { says: 'The counter of a synced passkey fell', body: z.object({ userId: Id, passkeyId: Id }) },
    blocked: { says: 'Blocked a passkey that may have been copied', body: z.object({ userId: Id, passkeyId: Id }) },
    backupChanged: {
      says: 'A passkey was backed up, or is not any more',
      body: z.object({ userId: Id, passkeyId: Id, backedUp: z.boolean() }),
    },
    policyChanged: { says: 'Changed the passkey policy', body: z.object({ deviceBound: z.boolean(), models: z.array(z.string()) }) },
    metadataImported: { says: 'Imported authenticator metadata', body: z.object({ models: z.number().int() }) },
  },
})
