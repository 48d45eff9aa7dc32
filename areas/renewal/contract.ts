// When certificates are renewed, by whom, and why one was not.

import * as z from 'zod'
import { refusalKinds } from '#areas/certificates/renewal-rules.ts'
import { Reference } from '#areas/certificates/shapes.ts'
import { Finding, RequestText } from '#areas/templates/contract.ts'
import { renewalModes } from '#areas/templates/rules.ts'
import { contract, type OutputOf } from '#core/contract/contract.ts'
import { Id, Instant, PageQuery, pageOf } from '#core/contract/shapes.ts'
import { renewalPath } from './early-paths.ts'
import { renewalKeys } from './key-choices.ts'
import { renewalStates, verdictKinds } from './rules.ts'
import { renewalSteps } from './steps.ts'

const Mode = z.enum(Object.keys(renewalModes) as [keyof typeof renewalModes, ...(keyof typeof renewalModes)[]])
const State = z.enum(renewalStates)

const Neighbour = z.object({ certificateId: Id, name: z.string(), serialNumber: z.string(), notAfter: Instant })

const AttemptRow = z.object({
  renewalId: Id,
  state: State,
  reason: z.string(),
  tries: z.number().int(),
  askedBy: z.string(),
  begunAt: Instant,
  updatedAt: Instant,
  nextAttemptAt: Instant.optional(),
  requestId: Id.optional(),
})

const Verdict = z.object({ kind: z.enum(verdictKinds), says: z.string(), why: z.enum(refusalKinds).optional() })

const Step = z.enum(renewalSteps)

const Info = z.object({
  certificateId: Id,
  name: z.string(),
  serialNumber: z.string(),
  entity: z.enum(['user', 'device']),
  holder: z.string(),
  templateName: z.string(),
  notAfter: Instant,
  status: z.string(),
  /** As the template says today. */
  mode: Mode,
  /** From when on it can be renewed. */
  opensAt: Instant,
  verdict: Verdict,
  step: Step,
  /** With which keys a person can renew it, first the one that it gets where nobody says. */
  keys: z.array(z.enum(renewalKeys)),
  requestId: Id.optional(),
  /** The request is this person's own: made by them, or for them. */
  requestOwn: z.boolean().optional(),
  renews: Neighbour.optional(),
  renewedBy: Neighbour.optional(),
  attempts: z.array(AttemptRow),
})

const noSuchCertificate = { status: 404, says: 'There is no such certificate, or not for you' } as const
const tokens = ['certSigningRequest', 'certSigningRequestUser', 'selfServicePortal'] as const

export const renewal = contract({
  area: 'renewal',
  title: 'Renewal',
  screens: {
    view: { path: renewalPath, needs: 'signedIn', title: 'Renewal', parent: 'certificates.view' },
    list: {
      path: '/monitor/renewals',
      needs: 'certView',
      title: 'Renewals',
      also: 'renew, automatic renewal, expiring',
      menu: { group: 'certificates', entry: 'renewals' },
    },
  },
  calls: {
    /** For who sees certificates, who holds it, who asked for it, and who may ask for others. */
    info: {
      does: 'Answers when a certificate is renewed or why not, with which keys it can be, what was tried, and what the caller can do: for its holder, who asked for it, and who sees certificates.',
      method: 'GET',
      path: '/api2/PKI-v1/CertificateRenewal',
      needs: 'signedIn',
      tokens: [...tokens, 'certView'],
      ownTransactions: true,
      input: Reference,
      output: Info,
      failed: 'The renewal could not be read',
      faults: { noSuchCertificate },
    },
    /** A person's own that end soon, with what becomes of each: those held, and of devices those asked for. */
    ending: {
      does: 'Answers the caller’s own certificates that end soon, with what becomes of each.',
      method: 'GET',
      path: '/api2/PKI-v1/EndingCertificates',
      needs: 'signedIn',
      home: true,
      ownTransactions: true,
      input: z.object({}),
      output: z.object({ certificates: z.array(Info), /** There are others that end later. */ more: z.boolean() }),
      failed: 'The certificates that end soon could not be read',
    },
    renew: {
      does: 'Renews a certificate now, for its own key or a new one, before its time only with `early` and for who may ask for others; answers for which, and the new certificate or the request that waits.',
      title: 'Renew a certificate',
      method: 'POST',
      path: '/api2/PKI-v1/RenewCertificate',
      needs: 'signedIn',
      tokens,
      ownTransactions: true,
      /** `early`: before its time, by who may ask for others and says that this is known. `key`: which of the `keys` that the certificate's renewal names; with `csr` it is `brought`, where nothing is said the first of them. */
      input: Reference.extend({
        key: z.enum(renewalKeys, 'Choose a key').optional(),
        csr: RequestText.optional(),
        early: z.boolean().default(false),
      }),
      output: z.object({
        key: z.enum(renewalKeys),
        state: State,
        requestId: Id,
        certificateId: Id.optional(),
        reason: z.string(),
        /** What was noticed of the request, as names in it that the renewal leaves out. */ findings: z.array(Finding),
      }),
      failed: 'The certificate was not renewed',
      faults: {
        noSuchCertificate,
        notYours: { status: 403, says: 'Only its holder, who asked for it, and who may ask for others can renew it' },
        never: { status: 409, says: 'The template says that its certificates are not renewed. Ask for a new one' },
        over: { status: 409, says: 'It is not valid any more, so it is not renewed. Ask for a new one' },
        onHold: { status: 409, says: 'It is on hold. Whoever may revoke certificates here can release it, and then it can be renewed' },
        early: { status: 409, says: 'It can be renewed from {from} on' },
        already: { status: 409, says: 'It was renewed already' },
        underWay: { status: 409, says: 'Its renewal is under way already' },
        notNeeded: { status: 409, says: 'It needs no renewal. {reason}' },
        needsKey: {
          status: 409,
          says: 'Its template wants a new key, and the key is yours: send a certificate request (CSR) made from it',
        },
        asked: { status: 409, says: 'Its holder was asked for a new key on {date}, and is not asked again within a day' },
        otherKey: { status: 409, says: 'It cannot be renewed with this key. {reason}' },
        refused: { status: 409, says: 'It cannot be renewed: {reason}' },
      },
    },
    search: {
      does: 'Lists the attempts to renew certificates, by state and text, with the reasons of those that failed.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchRenewals',
      needs: 'certView',
      reads: true,
      input: PageQuery.extend({
        state: z.array(State).max(renewalStates.length).optional(),
        sort: z.enum(['name', 'notAfter', 'updatedAt']).default('updatedAt'),
        direction: z.enum(['asc', 'desc']).default('desc'),
      }),
      output: pageOf(
        AttemptRow.extend({
          certificateId: Id,
          name: z.string(),
          templateName: z.string(),
          notAfter: Instant,
          mode: Mode,
          successorId: Id.optional(),
        }),
      ).extend({ facets: z.object({ state: z.record(z.string(), z.number().int()) }) }),
      failed: 'The renewals could not be read',
    },
  },
  jobs: {
    run: { title: 'Renew certificates that end soon', every: '*/5 * * * *' },
  },
  events: {
    told: { says: 'Asked a holder to renew a certificate', body: z.object({ renewalId: Id, certificateId: Id, mode: Mode }) },
    asked: {
      says: 'Asked for the renewal of a certificate',
      body: z.object({ renewalId: Id, certificateId: Id, requestId: Id, mode: Mode }),
    },
    refused: { says: 'Could not renew a certificate', body: z.object({ renewalId: Id, certificateId: Id, reason: z.string() }) },
    failed: {
      says: 'Failed to renew a certificate',
      body: z.object({ renewalId: Id, certificateId: Id, requestId: Id, reason: z.string() }),
    },
    denied: { says: 'Denied the renewal of a certificate', body: z.object({ renewalId: Id, certificateId: Id, requestId: Id }) },
    renewed: { says: 'Renewed a certificate', body: z.object({ renewalId: Id, certificateId: Id, successorId: Id, requestId: Id }) },
    lapsed: { says: 'Found a certificate ended without renewal', body: z.object({ renewalId: Id, certificateId: Id }) },
  },
})

/** What is known of a certificate's renewal. */
export type RenewalInfo = OutputOf<typeof renewal.calls.info>
