import * as z from 'zod'
import { CertificateText } from '#areas/authorities/certificate-text.ts'
import { CertificateClass, Finding, PlannedCertificate } from '#areas/templates/contract.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, PageQuery, Paragraph, pageOf } from '#core/contract/shapes.ts'
import { certificateStatuses, fewestPasswordCharacters, ownSorts } from './rules.ts'
import {
  Entity,
  RequestStatusName,
  RequestDraft,
  Requested,
  DecodedRequest,
  RequestRow,
  VoteRow,
  CertificateDetails,
  CertificateFilter,
  certificateSorts,
  CertificateRow,
  StatusName,
  Facets,
  Choice,
  Reference,
  CertificateInfo,
} from './shapes.ts'

const requestFaults = {
  lint: { status: 400, says: 'The certificate would not be right and was not requested' },
  notOffered: { status: 403, says: 'This template is not offered to you' },
} as const

const forItsPeople = ['certSigningRequest', 'certSigningRequestUser', 'selfServicePortal'] as const

const noSuchRequest = { status: 404, says: 'There is no such request, or not for you' }
const voteFaults = {
  closed: { status: 409, says: 'This has been decided already' },
  permission: { status: 403, says: 'You do not have permission to decide this' },
  own: { status: 403, says: 'You cannot decide your own request, one that you changed, or one for yourself. Ask another approver' },
  twice: { status: 409, says: 'You have voted on this already' },
} as const

export const certificates = contract({
  area: 'certificates',
  screens: {
    collect: { path: '/admin/certificate/collect', needs: 'collectCertificate', title: 'Collect certificate' },
    view: { path: '/credentials/certificates/view/:certId', needs: 'certView', title: 'Certificate' },
    viewOfCa: { path: '/credentials/certificates/view/:caId/:certId', needs: 'certView', title: 'Certificate' },
    approvals: {
      path: '/credentials/certificates/approvals',
      needs: 'certApprovals',
      title: 'Approvals',
      menu: { group: 'certificates', label: 'Approvals', place: 30 },
    },
    approval: { path: '/credentials/certificates/approval/:id', needs: 'certApprovals', title: 'Approval' },
    add: {
      path: '/credentials/certificates/:entity/add',
      needs: 'signedIn',
      title: 'Request a certificate',
      menu: { group: 'certificates', label: 'Request for yourself', place: 20, params: { entity: 'user' } },
    },
    own: {
      path: '/self/certificates',
      needs: 'signedIn',
      title: 'My certificates',
      menu: { group: 'certificates', label: 'My certificates', place: 15 },
    },
    mine: {
      path: '/credentials/certificates/mine',
      needs: 'signedIn',
      title: 'My requests',
      menu: { group: 'certificates', label: 'My requests', place: 23 },
    },
    uploadForUser: {
      path: '/credentials/csr/user/upload',
      needs: 'certSigningRequestUser',
      title: 'Request for a user',
      menu: { group: 'certificates', label: 'Request for a user', place: 21 },
    },
    uploadForDevice: {
      path: '/credentials/csr/device/upload',
      needs: 'certSigningRequest',
      title: 'Request for a device',
      menu: { group: 'certificates', label: 'Request for a device', place: 22 },
    },
  },
  calls: {
    check: {
      method: 'POST',
      path: '/api2/PKI-v1/CheckRequest',
      needs: 'signedIn',
      tokens: forItsPeople,
      reads: true,
      ownTransactions: true,
      input: RequestDraft.partial({ templateId: true }).extend({ entity: Entity }),
      output: z.object({
        decoded: DecodedRequest.optional(),
        planned: PlannedCertificate.optional(),
        findings: z.array(Finding),
        faults: z.array(z.object({ field: z.string(), says: z.string() })),
        issueApprovers: z.number().int(),
        /** Of those it takes, not enough others may approve here: it would wait until somebody else may. */
        tooFewApprovers: z.boolean().optional(),
      }),
    },
    request: {
      method: 'POST',
      path: '/api2/PKI-v1/CertificateRequest',
      needs: 'signedIn',
      tokens: forItsPeople,
      ownTransactions: true,
      ownKeys: true,
      input: RequestDraft.extend({ entity: Entity }),
      output: Requested,
      failed: 'The certificate was not requested',
      faults: requestFaults,
    },
    requestForUser: {
      method: 'POST',
      path: '/api2/PKI-v1/UserCertificateRequest',
      needs: 'certSigningRequestUser',
      ownTransactions: true,
      ownKeys: true,
      input: RequestDraft,
      output: Requested,
      failed: 'The certificate was not requested',
      faults: requestFaults,
    },
    requestForDevice: {
      method: 'POST',
      path: '/api2/PKI-v1/DeviceCertificateRequest',
      needs: 'certSigningRequest',
      ownTransactions: true,
      ownKeys: true,
      input: RequestDraft,
      output: Requested,
      failed: 'The certificate was not requested',
      faults: requestFaults,
    },
    edit: {
      method: 'PUT',
      path: '/api2/PKI-v1/CertificateRequest',
      needs: 'signedIn',
      tokens: forItsPeople,
      ownTransactions: true,
      input: RequestDraft.omit({ templateId: true, userId: true, username: true }).extend({ requestId: Id }),
      output: Requested,
      done: 'Request changed. Votes so far are void',
      failed: 'The request was not changed',
      faults: { ...requestFaults, closed: voteFaults.closed, noSuchRequest },
    },
    withdraw: {
      method: 'DELETE',
      path: '/api2/PKI-v1/CertificateRequest',
      needs: 'signedIn',
      tokens: forItsPeople,
      input: z.object({ requestId: Id }),
      output: z.object({ status: RequestStatusName }),
      done: 'Request withdrawn',
      failed: 'The request was not withdrawn',
      faults: { closed: voteFaults.closed, noSuchRequest },
    },
    collectKey: {
      method: 'POST',
      path: '/api2/PKI-v1/CollectKey',
      needs: 'signedIn',
      tokens: [...forItsPeople, 'collectCertificate'],
      ownTransactions: true,
      unkept: true,
      input: z.object({
        requestId: Id,
        password: z
          .string()
          .min(fewestPasswordCharacters, `Use at least ${fewestPasswordCharacters} characters`)
          .max(200, 'Use at most 200 characters'),
        /** `legacy`: for what reads nothing newer, under weaker encryption. */ form: z.enum(['modern', 'legacy']).default('modern'),
      }),
      /** `pkcs12` is base64. It is handed out once. `archived`: the template has a sealed copy of the key kept, which others can agree to recover. */
      output: z.object({
        certificateId: Id,
        caId: Id,
        serialNumber: z.string(),
        fileName: z.string(),
        pkcs12: z.string(),
        archived: z.boolean(),
      }),
      failed: 'The key was not handed out',
      faults: {
        noSuchRequest,
        underWay: {
          status: 409,
          says: 'The key is being made and handed out at this moment. If it does not reach you, collect it again in a minute',
        },
        overtaken: { status: 409, says: 'The key was not ready in time and was dropped. Collect it again' },
        notReady: { status: 409, says: 'The request is not ready: others must agree first' },
        keyGone: { status: 409, says: 'The key was handed out already. If it is lost, revoke the certificate and request another' },
        notIssued: { status: 409, says: 'The certificate could not be issued: {reason}' },
      },
    },
    requests: {
      method: 'POST',
      path: '/api2/PKI-v1/SearchCertificateRequests',
      needs: 'signedIn',
      tokens: forItsPeople,
      reads: true,
      input: PageQuery.extend({ status: RequestStatusName.optional() }),
      output: pageOf(RequestRow),
      failed: 'Your requests could not be read',
    },
    searchApprovals: {
      method: 'POST',
      path: '/api2/PKI-v1/SearchCertificateApprovals',
      needs: 'certApprovals',
      reads: true,
      input: PageQuery.extend({ status: RequestStatusName.optional(), waitingForMe: z.boolean().default(false) }),
      /** `round`: what is shown here, as bulk work wants it in `seen`. */
      output: pageOf(RequestRow.extend({ mayVote: z.boolean(), round: z.number().int() })),
      failed: 'The approvals could not be read',
    },
    approval: {
      method: 'GET',
      path: '/api2/PKI-v1/CertificateApproval',
      needs: 'certApprovals',
      input: z.object({ requestId: Id }),
      output: z.object({
        /** Name and address of who asks, empty for somebody of another tenancy. */
        request: RequestRow.extend({
          comment: z.string(),
          contactEmail: z.string(),
          requesterName: z.string(),
          requesterEmail: z.string(),
          holder: z.string(),
          error: z.string(),
        }),
        planned: PlannedCertificate,
        findings: z.array(Finding),
        csr: z.string(),
        /** It comes without a key: the requester collects key and certificate in one step, after the last approval. */
        collected: z.boolean(),
        votes: z.array(VoteRow),
        /** What is shown here: a decision names it, and does not count where the request was changed since. */
        round: z.number().int(),
        /** Why this person may not vote; absent where they may. */
        refusal: z.enum(['closed', 'permission', 'own', 'twice']).optional(),
      }),
      faults: { noSuchRequest },
    },
    decide: {
      method: 'POST',
      path: '/api2/PKI-v1/DecideCertificateRequest',
      needs: 'certApprovals',
      ownTransactions: true,
      input: z.object({
        requestId: Id,
        round: z.number().int().min(0).max(1_000_000),
        verdict: z.enum(['approve', 'deny']),
        comment: Paragraph(2000).default(''),
      }),
      output: z.object({
        requestId: Id,
        status: RequestStatusName,
        approvals: z.number().int(),
        needed: z.number().int(),
        certificateId: Id.optional(),
        error: z.string(),
      }),
      failed: 'Your decision was not recorded',
      faults: {
        noSuchRequest,
        ...voteFaults,
        changed: {
          status: 409,
          says: 'The request was changed after you opened it, and your decision was not counted. Read what it asks for now, then decide',
        },
      },
    },
    /** Somebody else issued it: in the place of the last approval the request is answered with that certificate, and nobody here decides it any more. */
    recordElsewhere: {
      method: 'POST',
      path: '/api2/PKI-v1/CertificateIssuedElsewhere',
      needs: 'certApprovals',
      input: z.object({ requestId: Id, certificate: CertificateText }),
      output: z.object({ requestId: Id, status: RequestStatusName, certificateId: Id }),
      done: 'Recorded. The requester finds the certificate with the request',
      failed: 'The certificate was not recorded',
      faults: {
        noSuchRequest,
        ...voteFaults,
        tooFew: {
          status: 409,
          says: 'It takes {needed} approvers, and {approvals} agreed so far. The last of them can record the certificate',
        },
      },
    },
    statusByRequest: {
      method: 'GET',
      path: '/certificate-request-status-by-request-id',
      needs: 'signedIn',
      tokens: [...forItsPeople, 'certView', 'certApprovals', 'collectCertificate'],
      input: z.object({ rid: Id }),
      output: CertificateDetails,
      faults: { noSuchRequest },
    },
    status: {
      method: 'GET',
      path: '/certificate-request-status',
      needs: 'signedIn',
      tokens: [...forItsPeople, 'certView', 'certApprovals', 'collectCertificate'],
      input: z.object({ tid: Id, ca: Id }),
      output: CertificateDetails,
      faults: { noSuchRequest },
    },
    search: {
      method: 'POST',
      path: '/api2/PKI-v1/SearchCertificates',
      needs: 'certView',
      reads: true,
      // A list without a text needs no transaction of its own.
      ownTransactions: true,
      packed: true,
      // Totals are counted to the end, so every page can be asked for.
      input: PageQuery.extend({
        ...CertificateFilter.shape,
        page: z.number().int().min(1).max(10_000_000).default(1),
        sort: z.enum(certificateSorts).default('issuedAt'),
        direction: z.enum(['asc', 'desc']).default('desc'),
        facets: z.boolean().default(true),
      }),
      output: pageOf(CertificateRow).extend({ facets: Facets.optional() }),
      failed: 'The certificates could not be read',
    },
    /** Those that the person holds, and those of devices that the person asked for. */
    own: {
      method: 'POST',
      path: '/api2/PKI-v1/SearchOwnCertificates',
      needs: 'signedIn',
      tokens: forItsPeople,
      reads: true,
      input: PageQuery.extend({
        status: z.array(StatusName).max(certificateStatuses.length).default([]),
        sort: z.enum(ownSorts).default('issuedAt'),
        direction: z.enum(['asc', 'desc']).default('desc'),
      }),
      output: pageOf(
        CertificateRow.extend({
          entity: Entity,
          /** What it was issued for; none of what was brought. */ requestId: Id.optional(),
          /** Another has taken its place. */ renewed: z.boolean(),
        }),
      ),
      failed: 'Your certificates could not be read',
    },
    choices: {
      method: 'GET',
      path: '/api2/PKI-v1/CertificateFilters',
      needs: 'certView',
      packed: true,
      input: z.object({}),
      output: z.object({ templates: z.array(Choice), authorities: z.array(Choice) }),
    },
    info: {
      method: 'GET',
      path: '/api2/PKI-v1/CertificateInfo',
      needs: 'certView',
      input: Reference,
      output: CertificateInfo,
      faults: { noSuchCertificate: { status: 404, says: 'There is no such certificate, or not for you' } },
    },
    /** For who sees certificates, who holds it, and who asked for it. */
    download: {
      method: 'GET',
      path: '/api2/PKI-v1/CertificateFile',
      needs: 'signedIn',
      tokens: [...forItsPeople, 'certView'],
      input: Reference.extend({ format: z.enum(['pem', 'der', 'chain', 'pkcs7', 'pkcs7Chain']) }),
      /** `content` is base64, whatever the file is. */
      output: z.object({ fileName: z.string(), mediaType: z.string(), content: z.string() }),
      failed: 'The certificate could not be downloaded',
      faults: { noSuchCertificate: { status: 404, says: 'There is no such certificate, or not for you' } },
    },
  },
  endpoints: {
    exportCertificates: { method: 'GET', path: '/api2/PKI-v1/CertificatesExport', needs: 'certView' },
    /** The rows that were selected in the list: as a POST, because ten thousand ids fit into no address. It changes nothing. */
    exportChosenCertificates: { method: 'POST', path: '/api2/PKI-v1/CertificatesExport', needs: 'certView' },
  },
  events: {
    requested: z.object({ requestId: Id, templateName: z.string(), caId: Id, class: CertificateClass }),
    edited: z.object({ requestId: Id }),
    withdrawn: z.object({ requestId: Id }),
    approved: z.object({ requestId: Id }),
    denied: z.object({ requestId: Id }),
    issuedElsewhere: z.object({ requestId: Id, certificateId: Id, sha256: z.string() }),
    reserved: z.object({ requestId: Id, caId: Id, serialNumber: z.string(), tbsSha256: z.string() }),
    /** The same for a batch of certificates that are issued at once, as nobody must agree to them. */
    reservedTogether: z.object({
      caId: Id,
      certificates: z.array(z.object({ requestId: Id, serialNumber: z.string(), tbsSha256: z.string() })),
    }),
    /** Reserved and never signed, or signed and handed to nobody: there will be no such certificates. */
    voided: z.object({ caId: Id, serialNumbers: z.array(z.string()) }),
    /** With template and what was signed where it was issued at once: then it also says that it was asked for. */
    issued: z.object({
      requestId: Id,
      certificateId: Id,
      caId: Id,
      serialNumber: z.string(),
      class: CertificateClass,
      templateName: z.string().optional(),
      tbsSha256: z.string().optional(),
    }),
    failed: z.object({ requestId: Id, reason: z.string() }),
    keyMade: z.object({ requestId: Id }),
    keyDropped: z.object({ requestId: Id, serialNumber: z.string().optional() }),
    keyCollected: z.object({ requestId: Id, certificateId: Id }),
    expiryNoticed: z.object({ certificateId: Id, days: z.number().int() }),
    exported: z.object({ rows: z.number().int() }),
  },
})
