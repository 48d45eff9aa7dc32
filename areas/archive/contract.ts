import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, pageOf, PageQuery, Paragraph } from '#core/contract/shapes.ts'
import { recoveryStates } from './rules.ts'

const ArchivedKey = z.object({
  archivedKeyId: Id,
  certificateId: Id,
  name: z.string(),
  subject: z.string(),
  caName: z.string(),
  serialNumber: z.string(),
  holder: z.string(),
  templateName: z.string(),
  keyKind: z.string(),
  notAfter: Instant,
  archivedAt: Instant,
  approvers: z.number().int(),
})

const Recovery = z.object({
  recoveryId: Id,
  name: z.string(),
  holder: z.string(),
  serialNumber: z.string(),
  requester: z.string(),
  reason: z.string(),
  state: z.enum(recoveryStates),
  requestedAt: Instant,
  decidedBy: z.string(),
  approvals: z.number().int(),
  needed: z.number().int(),
  mayVote: z.boolean(),
  /** The viewer asked for it, and it can be fetched now. */
  mayFetch: z.boolean(),
})

export const archive = contract({
  area: 'archive',
  title: 'Key archive',
  also: 'escrow, lost key, recover a key',
  screens: {
    keys: {
      path: '/pki/key-archive',
      needs: 'manageCAs',
      title: 'Key archive',
      menu: { group: 'pki', entry: 'archive', tab: 'Keys', place: 10 },
    },
    recoveries: {
      path: '/pki/key-archive/recoveries',
      needs: 'certApprovals',
      title: 'Key recoveries',
      also: 'recover a key, lost key, escrow',
      menu: { group: 'pki', entry: 'archive', tab: 'Recoveries', place: 20 },
    },
  },
  calls: {
    search: {
      does: 'Lists the archived keys of the tenancy, never the keys themselves, with how many must agree to a recovery.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchArchivedKeys',
      needs: 'manageCAs',
      reads: true,
      input: PageQuery,
      output: pageOf(ArchivedKey),
    },
    recoveries: {
      does: 'Lists the recoveries that were asked for, with their state and whether the caller may decide or fetch.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchKeyRecoveries',
      needs: 'certApprovals',
      reads: true,
      input: PageQuery,
      output: pageOf(Recovery),
    },
    /** Those that the viewer asked for. */
    own: {
      does: 'Answers the recoveries that the caller has asked for.',
      method: 'GET',
      path: '/api2/PKI-v1/KeyRecoveries',
      needs: 'manageCAs',
      input: z.object({}),
      output: z.object({ recoveries: z.array(Recovery) }),
    },
    request: {
      does: 'Asks for the recovery of an archived key, with a reason; answers its id and how many must agree.',
      title: 'Ask for an archived key',
      method: 'POST',
      path: '/api2/PKI-v1/KeyRecovery',
      needs: 'manageCAs',
      input: z.object({ archivedKeyId: Id, reason: Line(500) }),
      output: z.object({ recoveryId: Id, needed: z.number().int() }),
      done: 'Recovery asked for',
      failed: 'The recovery was not asked for',
      faults: { open: { status: 409, says: 'You have asked for this key already', constraint: 'key_recoveries_open' } },
    },
    vote: {
      does: 'Agrees to a recovery or denies it; answers its state then.',
      title: 'Vote on the recovery of a key',
      method: 'POST',
      path: '/api2/PKI-v1/VoteOnKeyRecovery',
      needs: 'certApprovals',
      input: z.object({ recoveryId: Id, verdict: z.enum(['approve', 'deny']), comment: Paragraph(2000).default('') }),
      output: z.object({ state: z.enum(recoveryStates), approvals: z.number().int(), needed: z.number().int() }),
      failed: 'Your decision was not recorded',
      faults: {
        closed: { status: 409, says: 'This has been decided already: {how}' },
        own: { status: 403, says: 'You cannot decide your own request. Ask another approver' },
        permission: { status: 403, says: 'You do not have permission to decide this' },
        twice: { status: 409, says: 'You have voted on this already' },
      },
    },
    fetch: {
      does: 'Hands out a recovered key once, to whoever asked for it, as PKCS#12 under a password of their choice.',
      title: 'Fetch an archived key',
      method: 'POST',
      path: '/api2/PKI-v1/RecoverKey',
      needs: 'manageCAs',
      ownTransactions: true,
      unstored: true,
      input: z.object({ recoveryId: Id, password: z.string().min(8, 'Use at least 8 characters').max(200, 'Use at most 200 characters') }),
      /** `pkcs12` is base64; it is handed out once. */
      output: z.object({ fileName: z.string(), pkcs12: z.string() }),
      failed: 'The key was not recovered',
      faults: {
        notAgreed: { status: 409, says: 'This recovery is not agreed to' },
        lapsed: { status: 409, says: 'Nobody fetched the key within a day, so the agreement has lapsed. Ask again' },
        fetched: { status: 409, says: 'This key was fetched already. Ask again' },
      },
    },
  },
  events: {
    archived: { says: 'Archived a key', body: z.object({ archivedKeyId: Id, certificateId: Id, serialNumber: z.string() }) },
    recoveryRequested: {
      says: 'Asked for an archived key',
      body: z.object({ recoveryId: Id, archivedKeyId: Id, certificateId: Id, reason: z.string() }),
    },
    recoveryVoted: {
      says: 'Voted on the recovery of a key',
      body: z.object({ recoveryId: Id, certificateId: Id, verdict: z.enum(['approve', 'deny']) }),
    },
    recovered: { says: 'Recovered an archived key', body: z.object({ recoveryId: Id, archivedKeyId: Id, certificateId: Id }) },
  },
})
