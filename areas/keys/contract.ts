import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, pageOf, PageQuery } from '#core/contract/shapes.ts'
import { KeyAlgorithmName } from './rules.ts'
import { tokenStates, unavailableReasonNames } from './tokens.ts'

const State = z.enum(tokenStates)

const TokenRow = z.object({
  id: Id,
  name: z.string(),
  label: z.string(),
  serial: z.string(),
  manufacturer: z.string(),
  model: z.string(),
  /** The file name of its PKCS#11 module. */
  module: z.string(),
  /** What it can make and sign with. */
  algorithms: z.array(KeyAlgorithmName),
  state: State,
  stateSince: Instant,
  /** How many keys in use here live on it. */
  keys: z.number().int(),
  registeredAt: Instant,
})

const TokenFound = z.object({
  label: z.string(),
  serial: z.string(),
  manufacturer: z.string(),
  model: z.string(),
  algorithms: z.array(KeyAlgorithmName),
})

const Pin = z.string().min(1, 'Enter the PIN').max(255, 'Use at most 255 characters')
const ById = z.object({ tokenId: Id })
const gone = { outOfReach: { status: 409, says: 'The token is out of reach: {reason}' } } as const

/** Keys in software have no door of their own: they are made with what they are for, and its record names them. */
const nameFaults = {
  nameTaken: { status: 409, says: 'Another token has this name', field: 'name', constraint: 'key_tokens_by_name' },
} as const

export const keys = contract({
  area: 'keys',
  title: 'Keys',
  screens: {
    tokens: {
      path: '/crypto',
      needs: 'cryptoListTokens',
      title: 'HSM tokens',
      also: 'security module, PKCS#11, HSM',
      menu: { group: 'pki', entry: 'keys', tab: 'Tokens', place: 10 },
    },
    register: { path: '/crypto/config/create', needs: 'signedIn', title: 'Register token', parent: 'tokens' },
    edit: { path: '/crypto/config/edit/:id', needs: 'signedIn', title: 'Edit token', parent: 'token' },
    token: { path: '/keymanagement/hsm/token/:id', needs: 'HSMtokenView', title: 'HSM token', parent: 'tokens' },
  },
  calls: {
    list: {
      does: 'Lists the PKCS#11 tokens of the tenancy with their state and the number of keys on them.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchTokens',
      needs: 'cryptoListTokens',
      reads: true,
      input: PageQuery,
      output: pageOf(TokenRow),
    },
    view: {
      does: 'Answers one token with what it is, what it can do and its state.',
      method: 'GET',
      path: '/api2/PKI-v1/Token/:tokenId',
      needs: 'HSMtokenView',
      input: ById,
      output: TokenRow,
    },
    /** What the modules see now. Nobody logs in for it. */
    found: {
      does: 'Looks through the PKCS#11 modules of the installation and answers the tokens that can be registered.',
      method: 'POST',
      path: '/api2/PKI-v1/TokensFound',
      needs: 'HSMAuthenticate',
      reads: true,
      ownTransactions: true,
      input: z.object({}),
      output: z.object({
        modules: z.array(
          z.object({ module: z.string(), tokens: z.array(TokenFound), /** Why it could not be asked. */ problem: z.string() }),
        ),
      }),
      failed: 'The tokens could not be looked for',
    },
    register: {
      does: 'Registers a token for the tenancy, checked with its PIN; answers its id.',
      title: 'Register a hardware token',
      method: 'POST',
      path: '/api2/PKI-v1/Token',
      needs: 'HSMAuthenticate',
      ownTransactions: true,
      unstored: true,
      input: z.object({
        name: Line(100),
        module: Line(255),
        label: Line(32),
        serial: z.string().trim().max(16, 'Use at most 16 characters').default(''),
        pin: Pin,
      }),
      output: ById,
      done: 'Token registered',
      failed: 'The token was not registered',
      faults: {
        ...nameFaults,
        taken: { status: 409, says: 'This token is registered already', constraint: 'key_tokens_by_serial' },
      },
    },
    change: {
      does: 'Changes the name of a token or gives its PIN anew; answers its state.',
      title: 'Change a hardware token',
      method: 'PUT',
      path: '/api2/PKI-v1/Token/:tokenId',
      needs: 'HSMAuthenticate',
      ownTransactions: true,
      unstored: true,
      input: ById.extend({ name: Line(100), /** Left away, it stays what it is. */ pin: Pin.optional() }),
      output: z.object({ state: State }),
      done: 'Token changed',
      failed: 'The token was not changed',
      faults: nameFaults,
    },
    check: {
      does: 'Tries the token now and answers its state.',
      title: 'Check a hardware token',
      method: 'POST',
      path: '/api2/PKI-v1/Token/:tokenId/Check',
      needs: 'HSMAuthenticate',
      ownTransactions: true,
      input: ById,
      output: z.object({ state: State }),
      failed: 'The token could not be checked',
    },
    keysOn: {
      does: 'Answers the keys on a token, with what each belongs to.',
      method: 'POST',
      path: '/api2/PKI-v1/Token/:tokenId/Keys',
      needs: 'HSMobjectView',
      reads: true,
      ownTransactions: true,
      input: ById,
      output: z.object({
        keys: z.array(
          z.object({ objectId: z.string(), label: z.string(), algorithm: KeyAlgorithmName, keyIdentifier: z.string(), inUse: z.boolean() }),
        ),
      }),
      failed: 'The keys could not be read',
      faults: gone,
    },
    remove: {
      does: 'Takes a token off the register, where no authority needs it; what is on it stays.',
      title: 'Remove a hardware token',
      method: 'DELETE',
      path: '/api2/PKI-v1/Token/:tokenId',
      needs: 'HSMAuthenticate',
      input: ById,
      output: z.object({}),
      done: 'Token removed',
      failed: 'The token was not removed',
      faults: { inUse: { status: 409, says: 'Authorities have their keys on this token: it cannot be removed' } },
    },
  },
  jobs: {
    tokens: { title: 'Look whether the HSM tokens are there', every: '* * * * *' },
  },
  events: {
    tokenRegistered: {
      says: 'Registered a hardware token',
      body: z.object({ tokenId: Id, name: z.string(), label: z.string(), serial: z.string(), module: z.string() }),
    },
    tokenChanged: { says: 'Changed a hardware token', body: z.object({ tokenId: Id, name: z.string(), newPin: z.boolean() }) },
    tokenRemoved: {
      says: 'Removed a hardware token',
      body: z.object({ tokenId: Id, name: z.string(), label: z.string(), serial: z.string() }),
    },
    tokenUnavailable: { says: 'Lost a hardware token', body: z.object({ tokenId: Id, reason: z.enum(unavailableReasonNames) }) },
    tokenAvailable: { says: 'Found a hardware token again', body: z.object({ tokenId: Id }) },
  },
})
