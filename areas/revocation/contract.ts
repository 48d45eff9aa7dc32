// Taking certificates back: asking, deciding, and the lists that tell the world.

import * as z from 'zod'
import { publicPaths } from '#areas/authorities/public-paths.ts'
import { mostCrlShards } from '#areas/authorities/rules.ts'
import { KeyAlgorithmName } from '#areas/keys/rules.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, PageQuery, pageOf, Paragraph } from '#core/contract/shapes.ts'
import { authorityCalls, authorityEvents } from './authority-calls.ts'
import { drillCalls, drillEvents, drillScreens } from './drills.ts'
import { revokeAuthorityPath, revokeOwnPath } from './early-paths.ts'
import {
  allReasons,
  answerMinutesLimits,
  actions,
  failureCodes,
  listHoursLimits,
  listStates,
  revocationStates,
  type Action,
} from './rules.ts'
import { signedByChoices } from './signing.ts'

const State = z.enum(revocationStates)
const Reason = z.enum(allReasons, 'Choose a reason')

/** One certificate by our id, by its serial number where that is unique, or by `{caId}:{serial}`. */
const CertificateReference = z.object({ certId: z.string().trim().min(1).max(200), caId: z.string().trim().max(100).optional() })

const Revocation = z.object({
  revocationId: Id,
  certificateId: Id,
  caId: Id.optional(),
  caName: z.string(),
  serialNumber: z.string(),
  subject: z.string(),
  reason: Reason,
  invalidityDate: Instant.optional(),
  note: z.string(),
  state: State,
  failureCode: z.string().optional(),
  requester: z.string(),
  requestedAt: Instant,
  decidedBy: z.string().optional(),
  decidedAt: Instant.optional(),
})
export type RevocationRow = z.infer<typeof Revocation>

const Vote = z.object({ voter: z.string(), verdict: z.enum(['approve', 'deny']), comment: z.string(), at: Instant })

const Result = z.object({
  ok: z.boolean(),
  status: State,
  /** Whether those who ask by OCSP hear of it at once. */
  online: z.boolean(),
  revocationId: Id,
  failureCode: z.string().optional(),
  /** Where the key is compromised: how many other certificates of it there are here. */
  siblings: z.number().int().optional(),
})

const PublishedList = z.object({
  /** 0 the whole, from 1 one of its parts, -1 the delta to the whole. */
  part: z.number().int(),
  number: z.number().int().optional(),
  entries: z.number().int(),
  bytes: z.number().int(),
  thisUpdate: Instant.optional(),
  nextUpdate: Instant.optional(),
  state: z.enum(listStates),
  /** Whether revocations are not on it yet that should be, or it has outlived its period. */
  due: z.boolean(),
  url: z.string(),
})

const wholeNumber = ({ least, most }: { least: number; most: number }) =>
  z.number('Enter a whole number').int('Enter a whole number').min(least, `Enter at least ${least}`).max(most, `Enter at most ${most}`)

const Settings = z.object({
  /** In so many parts the list is published besides the whole. It never becomes fewer. */
  shards: z
    .number('Enter a whole number')
    .int('Enter a whole number')
    .min(0, 'Enter 0 or more')
    .max(mostCrlShards, `Enter at most ${mostCrlShards}`),
  delta: z.boolean(),
  deltaMinutes: z.number('Enter a whole number').int('Enter a whole number').min(5, 'Enter at least 5').max(1440, 'Enter at most 1440'),
  /** A whole list and its parts are valid for so long; a delta for twice its minutes. */
  listHours: wholeNumber(listHoursLimits),
  answerMinutes: wholeNumber(answerMinutesLimits),
  responderId: z.enum(['byKey', 'byName'], 'Choose how the responder names itself'),
  signedBy: z.enum(signedByChoices, 'Choose who signs the answers'),
})

/** One that signs OCSP answers in the authority's stead. */
const Signer = z.object({
  serialNumber: z.string(),
  key: KeyAlgorithmName,
  notBefore: Instant,
  notAfter: Instant,
  /** When another takes over; absent where it ends with its authority. */
  renewsAt: Instant.optional(),
  pem: z.string(),
})

/** What an event says of a request. `note` is what was noted with it, where anything was. */
const Asked = z.object({
  revocationId: Id,
  certificateId: Id,
  caId: Id,
  serialNumber: z.string(),
  reason: Reason,
  note: z.string().optional(),
})

const notFound = { status: 404, says: 'There is no such certificate, or not for you' }
/** For who sees certificates, who holds it, and who asked for it: to others it is not there. */
const forItsPeople = { needs: 'signedIn', tokens: ['certView', 'certRevokeView', 'selfServicePortal'] } as const
/** Changing it takes more than to see it. */
const changedByItsPeople = { needs: 'signedIn', tokens: ['certRevokeView', 'selfServicePortal'] } as const
/** What the toasts say of what came of it. A revocation and a hold are one call, and whether it is done or waits stands in the answer. */
export const outcomeTexts = {
  revocation: {
    done: 'Certificate revoked',
    requested: 'Revocation requested',
    denied: 'Revocation denied',
    failed: 'The certificate was not revoked',
  },
  hold: {
    done: 'Certificate put on hold',
    requested: 'Hold requested',
    denied: 'Hold denied',
    failed: 'The certificate was not put on hold',
  },
  release: {
    done: 'Released from hold',
    requested: 'Release requested',
    denied: 'Release denied',
    failed: 'The certificate was not released',
  },
} as const satisfies Record<Action, Record<'done' | 'requested' | 'denied' | 'failed', string>>

const decided = { status: 409, says: 'This has been decided already: {how}' }

export const revocation = contract({
  area: 'revocation',
  title: 'Revocations',
  also: 'revoke, CRL, revocation list, lost card, stolen, key compromise',
  screens: {
    revoke: {
      path: '/credentials/certificates/view/:certId/revoke',
      needs: 'certView',
      title: 'Revoke certificate',
      parent: 'certificates.view',
    },
    revokeOfCa: {
      path: '/credentials/certificates/view/:caId/:certId/revoke',
      needs: 'certView',
      title: 'Revoke certificate',
      parent: 'certificates.viewOfCa',
    },
    /** The same for holders who see no certificates. */
    revokeOwn: { path: revokeOwnPath, needs: 'signedIn', title: 'Revoke certificate', parent: 'certificates.own' },
    revokeAuthority: { path: revokeAuthorityPath, needs: 'manageCAs', title: 'Revoke authority', parent: 'authorities.manage' },
    revocations: {
      path: '/credentials/certificates/revocations',
      needs: 'certRevokeView',
      title: 'Revocations',
      also: 'revoke, revoked, asked to revoke',
      menu: { group: 'certificates', entry: 'revocations', tab: 'Asked', place: 10 },
    },
    searchPending: {
      path: '/credentials/certificates/revocations/searchPending',
      needs: 'certRevokeView',
      title: 'Pending and failed revocations',
      also: 'revoke, revocations that wait',
      menu: { group: 'certificates', entry: 'revocations', tab: 'Pending and failed', place: 20 },
    },
    ...drillScreens,
    viewPending: {
      path: '/credentials/certificates/revocations/viewPending/:certId',
      needs: 'viewPendingFailedRevocations',
      title: 'Revocation',
      parent: 'searchPending',
    },
    viewPendingOfCa: {
      path: '/credentials/certificates/revocations/viewPending/:caId/:certId',
      needs: 'viewPendingFailedRevocations',
      title: 'Revocation',
      parent: 'searchPending',
    },
  },
  calls: {
    ...authorityCalls,
    ...drillCalls,
    options: {
      does: 'Answers whether a certificate can be revoked, for which reasons, and how many must agree: to who sees certificates, who asked for it, and who holds it.',
      method: 'GET',
      path: '/api2/PKI-v1/RevocationOptions',
      ...forItsPeople,
      input: CertificateReference,
      output: z.object({
        certificateId: Id,
        caId: Id.optional(),
        caName: z.string(),
        serialNumber: z.string(),
        subject: z.string(),
        validFrom: Instant,
        validTo: Instant,
        status: z.string(),
        /** None where it is revoked for key compromise; that one alone where it is revoked for good for another reason. */
        reasons: z.array(Reason),
        /** How many people must agree; 0 revokes at once. */
        approvals: z.number().int(),
        /** The one that waits for a decision. */
        pending: Id.optional(),
        pendingReason: Reason.optional(),
        /** Whether this person may take that one back. */
        mayCancel: z.boolean(),
        /** Where it was revoked already. On hold it can be revoked for good, or released; for good, its reason can still become key compromise. */
        revoked: z.object({ reason: Reason, at: Instant }).optional(),
        /** Whether this person may revoke it or put it on hold, and whether they may end its hold. */
        mayRevoke: z.boolean(),
        mayRelease: z.boolean(),
      }),
      failed: 'The certificate could not be read',
      faults: { notFound },
    },
    /**
     * For good, it ends a release that waits; a revocation that waits ends first. Of one that is revoked for good already the reason can become key compromise: the
     * day of the revocation stays.
     */
    revoke: {
      does: 'Revokes a certificate or puts it on hold: by who asked for it, who holds it, or who decides revocations. Answers whether it is done or waits for others.',
      title: 'Revoke a certificate',
      method: 'POST',
      path: '/api2/PKI-v1/RevokeCertificate',
      ...changedByItsPeople,
      input: CertificateReference.extend({
        reason: Reason,
        invalidityDate: Instant.optional(),
        note: Paragraph(2000).default(''),
        /** For what it was revoked when the caller looked, `none` where it was not: where that is another by now, nothing is done. */
        seen: z.union([Reason, z.literal('none')]).optional(),
      }),
      output: Result,
      failed: outcomeTexts.revocation.failed,
      faults: {
        notFound,
        notYours: { status: 403, says: 'Only who asked for a certificate, who holds it, and who decides revocations can revoke it' },
        notIssuedHere: { status: 409, says: failureCodes.notIssuedHere },
        alreadyRevoked: { status: 409, says: 'This certificate is revoked already' },
        revokedMeanwhile: {
          status: 409,
          says: 'This has changed since you opened it: {how}. Nothing was changed now. Look at it again, then decide',
        },
        alreadyPending: {
          status: 409,
          says: 'Somebody has asked for this already, and it waits for a decision',
          constraint: 'revocations_open',
        },
      },
    },
    /** Ends a hold. Where the template says that others must agree to a revocation, as many must agree to this. */
    release: {
      does: 'Ends a hold, or asks others to agree to it; answers whether it is done or waits.',
      title: 'Release a certificate from hold',
      method: 'POST',
      path: '/api2/PKI-v1/ReleaseCertificateFromHold',
      needs: 'certRevokeView',
      input: CertificateReference.extend({ note: Paragraph(2000).default('') }),
      output: Result,
      failed: outcomeTexts.release.failed,
      faults: {
        notFound,
        notOnHold: { status: 409, says: 'This certificate is not on hold' },
        over: { status: 409, says: 'This certificate has ended, and its hold with it. There is nothing left to release' },
        alreadyPending: { status: 409, says: 'Somebody has asked for something about it already, and that waits for a decision' },
        own: { status: 403, says: 'Somebody else put your own certificate on hold. Ask another person who decides revocations' },
      },
    },
    siblings: {
      does: 'Answers the other certificates of the same key, and how many there are in tenancies that this one manages.',
      method: 'GET',
      path: '/api2/PKI-v1/CertificateSiblings',
      needs: 'certView',
      input: CertificateReference,
      /** Certificates of the same key: at most a hundred of them. `elsewhere`: valid ones in the tenancies that this one manages. */
      output: z.object({
        certificateId: Id,
        compromised: z.boolean(),
        siblings: z.array(
          z.object({
            certificateId: Id,
            caId: Id.optional(),
            name: z.string(),
            caName: z.string(),
            serialNumber: z.string(),
            status: z.string(),
            validTo: Instant,
          }),
        ),
        total: z.number().int(),
        elsewhere: z.number().int().optional(),
      }),
      failed: 'The certificates of the same key could not be read',
      faults: { notFound },
    },
    status: {
      does: 'Answers the newest revocation of a certificate, if there is one.',
      method: 'GET',
      path: '/api2/PKI-v1/RevocationStatus',
      needs: 'certView',
      input: CertificateReference,
      output: z.object({ certificateId: Id, revocation: Revocation.optional() }),
      failed: 'The revocation status could not be read',
      faults: { notFound },
    },
    view: {
      does: 'Answers the newest revocation of a certificate with its votes, and what the caller may do about it.',
      method: 'GET',
      path: '/api2/PKI-v1/PendingRevocation',
      needs: 'viewPendingFailedRevocations',
      input: CertificateReference,
      output: Revocation.extend({
        approval: z
          .object({
            needed: z.number().int(),
            approvals: z.number().int(),
            votes: z.array(Vote),
            mayVote: z.boolean(),
            refusal: z.string().optional(),
          })
          .optional(),
        mayCancel: z.boolean(),
      }),
      failed: 'The revocation could not be read',
      faults: { notFound, noneAsked: { status: 404, says: 'No revocation of this certificate is waiting, and none has failed' } },
    },
    search: {
      does: 'Lists revocations by state and text.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchRevocations',
      needs: 'certRevokeView',
      reads: true,
      packed: true,
      input: PageQuery.extend({
        states: z.array(State).max(revocationStates.length).default([]),
        /** What was asked for. */
        actions: z.array(z.enum(actions)).max(actions.length).default([]),
        sort: z.enum(['requestedAt', 'subject', 'state']).default('requestedAt'),
        direction: z.enum(['asc', 'desc']).default('desc'),
      }),
      output: pageOf(Revocation),
      failed: 'The revocations could not be listed',
    },
    vote: {
      does: 'Agrees to a revocation or denies it; answers whether this decided it.',
      title: 'Vote on a revocation',
      method: 'POST',
      path: '/api2/PKI-v1/VoteOnRevocation',
      needs: 'certRevokeView',
      input: z.object({ revocationId: Id, verdict: z.enum(['approve', 'deny']), comment: Paragraph(2000).default('') }),
      /** `complete`: this vote decided it. */
      output: Result.extend({ complete: z.boolean(), approvals: z.number().int(), needed: z.number().int() }),
      failed: 'Your decision was not recorded',
      faults: {
        decided,
        own: { status: 403, says: 'You cannot decide your own request, or about your own certificate. Ask another approver' },
        permission: { status: 403, says: 'You do not have permission to decide this' },
        twice: { status: 409, says: 'You have voted on this already' },
      },
    },
    cancel: {
      does: 'Takes back a revocation that waits: by who asked for it, or an approver.',
      title: 'Cancel a revocation',
      method: 'POST',
      path: '/api2/PKI-v1/CancelRevocation',
      ...changedByItsPeople,
      input: z.object({ revocationId: Id }),
      output: z.object({ ok: z.boolean() }),
      done: 'The request was cancelled. The certificate stays as it is',
      failed: 'The request was not cancelled',
      faults: {
        decided,
        notYours: { status: 403, says: 'Only who asked for it, or an approver whose certificate it is not, can cancel it' },
      },
    },
    retry: {
      does: 'Tries a failed revocation again; answers how it went.',
      title: 'Try a revocation again',
      method: 'POST',
      path: '/api2/PKI-v1/RetryRevocation',
      needs: 'certRevokeView',
      input: z.object({ revocationId: Id }),
      output: Result,
      failed: 'The certificate was not revoked',
      faults: {
        notFailed: { status: 409, says: 'This has not failed' },
        askAnew: { status: 409, says: 'A release is not tried again. Ask for it anew on the page of the certificate' },
      },
    },
    lists: {
      does: 'Answers the newest revocation list of each authority with its age and state.',
      method: 'GET',
      path: '/api2/PKI-v1/RevocationLists',
      needs: 'certRevokeView',
      input: z.object({}),
      output: z.object({
        lists: z.array(
          z.object({
            caId: Id,
            caName: z.string(),
            number: z.number().int().optional(),
            entries: z.number().int(),
            thisUpdate: Instant.optional(),
            nextUpdate: Instant.optional(),
            /** The worst of its lists. */
            state: z.enum(listStates),
            /** Whether revocations are not on it yet, or it has outlived its period. */
            due: z.boolean(),
            /** Of an authority whose key is elsewhere: brought, not made here. */
            supplied: z.boolean(),
            crlUrl: z.string(),
            ocspUrl: z.string(),
          }),
        ),
      }),
      failed: 'The revocation lists could not be read',
    },
    publication: {
      does: 'Answers how an authority tells of revocations: its lists, how long they and OCSP answers are valid, and who signs the answers.',
      method: 'GET',
      path: '/api2/PKI-v1/RevocationPublication',
      needs: 'certRevokeView',
      input: z.object({ caId: Id }),
      output: z.object({
        caId: Id,
        caName: z.string(),
        ocspUrl: z.string(),
        settings: Settings,
        /** Its own key lives on a token, so that a signer's can, too. */
        onToken: z.boolean(),
        /** Who signs the answers now; the authority itself where absent. */
        signer: Signer.optional(),
        /** A signer is wanted and there is none yet, or it should have been renewed. */
        signerDue: z.boolean(),
        /** The whole first, then the delta, then the parts. */
        lists: z.array(PublishedList),
      }),
      failed: 'The revocation lists could not be read',
    },
    setPublication: {
      does: 'Sets the parts, deltas and lives of an authority’s lists, and by whom and for how long OCSP answers are signed; lists that say otherwise are made anew.',
      title: 'Change how revocations are published',
      method: 'PUT',
      path: '/api2/PKI-v1/RevocationPublication',
      needs: 'manageCAs',
      /** Who signs, and how long lists and answers are valid, stays what it was where it is left away. */
      input: Settings.partial({ signedBy: true, listHours: true, answerMinutes: true }).extend({ caId: Id }),
      output: z.object({}),
      done: 'Settings saved',
      failed: 'The settings were not saved',
    },
    /** Its key is exposed, or may be: its certificate is revoked, and another signs from now on. */
    replaceSigner: {
      does: 'Revokes the exposed signer of an authority’s OCSP answers and makes another; says whether that waits for the authority’s key.',
      title: 'Replace a signer of OCSP answers',
      method: 'POST',
      path: '/api2/PKI-v1/ReplaceOcspSigner',
      needs: 'manageCAs',
      ownTransactions: true,
      input: z.object({ caId: Id }),
      /** `waits`: the authority's key is out of reach, so the new one comes when it is back. */
      output: z.object({ waits: z.boolean() }),
      done: 'The signer was replaced',
      failed: 'The signer was not replaced',
      faults: { noSigner: { status: 409, says: 'The answers of this authority are signed by its own key' } },
    },
    makeList: {
      does: 'Makes a new revocation list now: the whole, a part, or the delta. Answers its number.',
      title: 'Create a revocation list',
      method: 'POST',
      path: '/api2/PKI-v1/MakeRevocationList',
      needs: 'certRevokeView',
      ownTransactions: true,
      input: z.object({ caId: Id, part: z.number().int().min(-1).max(mostCrlShards).default(0) }),
      output: z.object({ caId: Id, number: z.number().int() }),
      done: 'A new revocation list was published',
      failed: 'The revocation list was not made',
    },
  },
  endpoints: {
    crl: { method: 'GET', path: publicPaths.list, needs: 'public' },
    crlPart: { method: 'GET', path: publicPaths.partOfList, needs: 'public' },
    ocspPost: { title: 'Ask for the status of a certificate', method: 'POST', path: publicPaths.ocsp, needs: 'public' },
    ocspGet: { method: 'GET', path: `${publicPaths.ocsp}/*`, needs: 'public' },
    ocspEmptyGet: { method: 'GET', path: publicPaths.ocsp, needs: 'public' },
  },
  jobs: {
    lists: { title: 'Publish revocation lists that are due', every: '*/5 * * * *' },
    signers: { title: 'Renew the signers of OCSP answers', every: '*/5 * * * *' },
  },
  events: {
    ...drillEvents,
    ...authorityEvents,
    requested: { says: 'Asked for a revocation', body: Asked },
    revoked: { says: 'Revoked a certificate', body: Asked },
    holdRequested: { says: 'Asked for a hold', body: Asked },
    held: { says: 'Put a certificate on hold', body: Asked },
    releaseRequested: { says: 'Asked for a release from hold', body: Asked },
    released: { says: 'Released a certificate from hold', body: Asked.omit({ reason: true }) },
    voted: {
      says: 'Voted on a revocation, a hold or a release',
      body: z.object({ revocationId: Id, certificateId: Id, verdict: z.enum(['approve', 'deny']) }),
    },
    denied: { says: 'Denied a revocation, a hold or a release', body: z.object({ revocationId: Id, certificateId: Id }) },
    cancelled: {
      says: 'Cancelled the request for a revocation, a hold or a release',
      body: z.object({ revocationId: Id, certificateId: Id }),
    },
    failed: { says: 'Failed to revoke a certificate', body: z.object({ revocationId: Id, certificateId: Id, failureCode: z.string() }) },
    /** Written before the list is signed. */
    listRecorded: {
      says: 'Recorded a revocation list to sign',
      body: z.object({
        caId: Id,
        part: z.number().int(),
        number: z.number().int(),
        entries: z.number().int(),
        toBeSignedSha256: z.string(),
      }),
    },
    /** A list is in its last fifth, and none has followed it. */
    listEnding: {
      says: 'Found a revocation list that ends soon',
      body: z.object({ caId: Id, part: z.number().int(), number: z.number().int(), nextUpdate: Instant }),
    },
    publicationSet: { says: 'Changed how revocations are published', body: Settings.extend({ caId: Id }) },
    /** Written before its certificate is signed. */
    signerRecorded: {
      says: 'Recorded a signer of OCSP answers to certify',
      body: z.object({
        caId: Id,
        signerId: Id,
        keyId: Id,
        keyAlgorithm: KeyAlgorithmName,
        serialNumber: z.string(),
        notAfter: Instant,
      }),
    },
    signerCertified: {
      says: 'Certified a signer of OCSP answers',
      body: z.object({ caId: Id, signerId: Id, serialNumber: z.string(), sha256: z.string() }),
    },
    signerReplaced: {
      says: 'Replaced an exposed signer of OCSP answers',
      body: z.object({ caId: Id, signerId: Id, serialNumber: z.string() }),
    },
    signerKeyDestroyed: {
      says: 'Destroyed the key of an earlier signer of OCSP answers',
      body: z.object({ caId: Id, signerId: Id, keyId: Id }),
    },
  },
})
