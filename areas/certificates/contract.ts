import * as z from 'zod'
import { CertificateText } from '#areas/authorities/certificate-text.ts'
import { CertificateClass, Finding, PlannedCertificate, RefusalView } from '#areas/templates/contract.ts'
import { contract } from '#core/contract/contract.ts'
import { SelectionShape } from '#core/contract/shapes.ts'
import { Id, PageQuery, Paragraph, pageOf, Instant } from '#core/contract/shapes.ts'
import { formatNames } from './file-formats.ts'
import { certificateStatuses, fewestPasswordCharacters, mostTags, ownSorts } from './rules.ts'
import {
  Entity,
  RequestStatusName,
  RequestDraft,
  Requested,
  DecodedRequest,
  RequestRow,
  VoteRow,
  RequestStep,
  CertificateDetails,
  CertificateFilter,
  certificateSorts,
  CertificateRow,
  StatusName,
  Facets,
  Choice,
  Reference,
  SearchedCertificates,
  Tag,
  CertificateInfo,
} from './shapes.ts'

const requestFaults = {
  lint: { status: 400, says: 'The certificate would not be right and was not requested' },
  notOffered: { status: 403, says: 'This template is not offered to you' },
} as const

const forItsPeople = ['certSigningRequest', 'certSigningRequestUser', 'selfServicePortal'] as const

const noSuchCertificate = { status: 404, says: 'There is no such certificate, or not for you' } as const
const noSuchRequest = { status: 404, says: 'There is no such request, or not for you' }
const voteFaults = {
  closed: { status: 409, says: 'This has been decided already: {how}' },
  permission: { status: 403, says: 'You do not have permission to decide this' },
  own: { status: 403, says: 'You cannot decide your own request, one that you changed, or one for yourself. Ask another approver' },
  twice: { status: 409, says: 'You have voted on this already' },
} as const

/** Exact up to 10,000; `more` says that there are more. */
const Count = z.object({ count: z.number().int(), more: z.boolean() })
/** A stretch of time as the inventory's filters take it. */
const Span = z.object({ from: Instant, until: Instant, span: z.string() })

export const certificates = contract({
  area: 'certificates',
  title: 'Certificates',
  screens: {
    collect: { path: '/admin/certificate/collect', needs: 'collectCertificate', title: 'Collect certificate', parent: 'certificateList' },
    view: { path: '/credentials/certificates/view/:certId', needs: 'certView', title: 'Certificate', parent: 'certificateList' },
    viewOfCa: { path: '/credentials/certificates/view/:caId/:certId', needs: 'certView', title: 'Certificate', parent: 'certificateList' },
    compare: {
      path: '/credentials/certificates/compare',
      needs: 'certView',
      title: 'Compare certificates',
      parent: 'certificateList',
    },
    approvals: {
      path: '/credentials/certificates/approvals',
      needs: 'certApprovals',
      title: 'Approvals',
      also: 'approve, agree, reject, deny, requests that wait, pending requests',
      jumps: [{ title: 'Approve requests', also: 'agree, deny', first: 30 }],
      menu: { group: 'certificates', entry: 'requests', tab: 'Waiting for me', place: 10, more: [{ tab: 'All', query: '?tab=all' }] },
    },
    approval: { path: '/credentials/certificates/approval/:id', needs: 'certApprovals', title: 'Approval', parent: 'approvals' },
    add: {
      path: '/credentials/certificates/:entity/add',
      needs: 'signedIn',
      title: 'Request a certificate',
      also: 'new certificate, order, apply, CSR, enrol',
      first: 10,
      menu: {
        group: 'certificates',
        entry: 'request',
        tab: 'For myself',
        place: 10,
        params: { entity: 'user' },
        more: [{ tab: 'For my own device', params: { entity: 'device' } }],
      },
    },
    own: {
      path: '/self/certificates',
      needs: 'signedIn',
      title: 'My certificates',
      also: 'own certificates',
      menu: { group: 'certificates', entry: 'inventory', tab: 'Mine', place: 20 },
    },
    mine: {
      path: '/credentials/certificates/mine',
      needs: 'signedIn',
      title: 'My requests',
      also: 'where does it stand, what I asked for',
      menu: { group: 'certificates', entry: 'requests', tab: 'Mine', place: 30 },
    },
    uploadForUser: {
      path: '/credentials/csr/user/upload',
      needs: 'certSigningRequestUser',
      title: 'Request for a user',
      also: 'new certificate for a person, CSR, enrol',
      menu: { group: 'certificates', entry: 'request', tab: 'For another person', place: 20 },
    },
    uploadForDevice: {
      path: '/credentials/csr/device/upload',
      needs: 'certSigningRequest',
      title: 'Request for a device',
      also: 'new certificate for a server, TLS, CSR, enrol',
      menu: { group: 'certificates', entry: 'request', tab: 'For any device', place: 30 },
    },
  },
  records: {
    certificate: {
      singular: 'Certificate',
      plural: 'Certificates',
      needs: 'certView',
      place: 10,
      list: {
        needs: 'search',
        menu: { group: 'certificates', entry: 'inventory', tab: 'All', place: 10 },
        also: 'inventory, revoke a certificate, renew a certificate, put on hold, download, TLS, SSL',
        jumps: [
          { title: 'Revoke certificates', query: '?status=active', also: 'block, cancel, withdraw, lost, stolen', first: 40 },
          { title: 'Certificates ending soon', query: '?status=expiring', also: 'expiring, about to end' },
          { title: 'Expired certificates', query: '?status=expired' },
          { title: 'Certificates on hold', query: '?status=onHold', also: 'suspended' },
          { title: 'Revoked certificates', query: '?status=revoked' },
        ],
      },
    },
    request: { singular: 'Request', plural: 'Requests', needs: 'certApprovals' },
  },
  calls: {
    pictures: {
      does: 'Counts the certificates of the tenancy by status, those that end soon, and those issued day by day.',
      method: 'GET',
      path: '/api2/Monitoring-v1/HomeCertificates',
      needs: 'certView',
      input: z.object({}),
      output: z.object({
        statuses: z.array(Count.extend({ status: StatusName })),
        /** What ends in each of the next weeks, the revoked left out. */
        ending: z.array(Span.extend(Count.shape)),
        /** What was issued and revoked in each of the last weeks. */
        history: z.array(Span.extend({ issued: Count, revoked: Count })),
      }),
    },
    check: {
      does: 'Answers what would come out of a request: the CSR decoded, the certificate planned, findings and faults, and how many must agree. Nothing is asked for.',
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
        faults: z.array(RefusalView),
        issueApprovers: z.number().int(),
        /** Of those it takes, not enough others may approve here: it would wait until somebody else may. */
        tooFewApprovers: z.boolean().optional(),
        /** Some of those who can agree by name, and how many others can. */
        approvers: z.array(z.string()).optional(),
        otherApprovers: z.number().int().optional(),
      }),
    },
    request: {
      does: 'Asks for a certificate with a template that is open to the caller, for oneself or a device of one’s own; answers the id of the request, and id and serial number of the certificate where it was issued at once. CertificateFile and certificate-request-status-by-request-id answer the certificate itself.',
      title: 'Request a certificate',
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
      does: 'Asks for a certificate for another user; answers the id of the request, and id and serial number of the certificate where it was issued at once. CertificateFile and certificate-request-status-by-request-id answer the certificate itself.',
      title: 'Request a certificate for a user',
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
      does: 'Asks for a certificate for a device; answers the id of the request, and id and serial number of the certificate where it was issued at once. CertificateFile and certificate-request-status-by-request-id answer the certificate itself.',
      title: 'Request a certificate for a device',
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
      does: 'Changes a request that waits, by who made it or may decide it; votes so far are void. Answers where it stands.',
      title: 'Change a request',
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
      does: 'Takes back a request that the caller made, or is to hold the certificate of, while it is still open.',
      title: 'Withdraw a request',
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
      does: 'Makes the key of a granted request and the certificate for it, once, for its holder; answers both as PKCS#12 under a password.',
      title: 'Collect a key',
      method: 'POST',
      path: '/api2/PKI-v1/CollectKey',
      needs: 'signedIn',
      tokens: [...forItsPeople, 'collectCertificate'],
      ownTransactions: true,
      unstored: true,
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
      does: 'Lists the caller’s own requests.',
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
      does: 'Lists requests with how many have agreed, all of them or those that wait for the caller.',
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
      does: 'Answers one request as an approver sees it: what would be issued, findings, votes, and why the caller may not vote.',
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
        steps: z.array(RequestStep),
        /** What is shown here: a decision names it, and does not count where the request was changed since. */
        round: z.number().int(),
        /** Why this person may not vote; absent where they may. */
        refusal: z.enum(['closed', 'permission', 'own', 'twice']).optional(),
      }),
      faults: { noSuchRequest },
    },
    decide: {
      does: 'Approves a request in the round that the caller has seen, or denies it; answers where it stands, and the certificate where this was the last vote.',
      title: 'Decide a request',
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
      does: 'Answers a request with a certificate that another issuer has signed for it, which is held against the request.',
      title: 'Answer a request with a certificate of another issuer',
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
      does: 'Answers a request and, once it is issued, its certificate, by the id of the request: the requester’s, the holder’s, or with permission any.',
      method: 'GET',
      path: '/certificate-request-status-by-request-id',
      needs: 'signedIn',
      tokens: [...forItsPeople, 'certView', 'certApprovals', 'collectCertificate'],
      input: z.object({ rid: Id }),
      output: CertificateDetails,
      faults: { noSuchRequest },
    },
    status: {
      does: 'Answers a request and its certificate by the identifiers of the older programs.',
      method: 'GET',
      path: '/certificate-request-status',
      needs: 'signedIn',
      tokens: [...forItsPeople, 'certView', 'certApprovals', 'collectCertificate'],
      input: z.object({ tid: Id, ca: Id }),
      output: CertificateDetails,
      faults: { noSuchRequest },
    },
    search: {
      does: 'Lists the certificates of the tenancy by status, template, authority, dates and text, with counts for each filter.',
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
      does: 'Lists the caller’s own certificates by status and text: those held, and those of devices that the caller asked for.',
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
      does: 'Answers the templates and authorities by which the inventory can be filtered.',
      method: 'GET',
      path: '/api2/PKI-v1/CertificateFilters',
      needs: 'certView',
      packed: true,
      input: z.object({}),
      output: z.object({
        templates: z.array(Choice),
        authorities: z.array(Choice),
        tags: z.array(z.string()),
        /** Those who answer for one certificate or more. */
        owners: z.array(Choice),
      }),
    },
    downloadMany: {
      does: 'Answers the chosen certificates in one file, as text (PEM), each after a line that names it: at most 1,000.',
      method: 'POST',
      path: '/api2/PKI-v1/CertificateFiles',
      needs: 'certView',
      reads: true,
      packed: true,
      input: z.object({ selection: SelectionShape, query: SearchedCertificates.prefault({}) }),
      output: z.object({ fileName: z.string(), mediaType: z.string(), content: z.string() }),
      failed: 'The certificates could not be downloaded',
      faults: { tooMany: { status: 400, says: 'These are more than 1,000 certificates. Choose fewer' } },
    },
    assign: {
      does: 'Names the person who answers for a certificate, and its tags. What is left out stays as it is; an empty username is nobody.',
      title: 'Change owner and tags of a certificate',
      method: 'POST',
      path: '/api2/PKI-v1/AssignCertificate',
      needs: 'certUpload',
      input: z.object({
        certificateId: Id,
        /** A username of this tenancy. */
        owner: z.string().trim().max(200).optional(),
        tags: z.array(Tag).max(mostTags).optional(),
      }),
      output: z.object({ certificateId: Id }),
      done: 'Owner and tags are changed',
      failed: 'Owner and tags were not changed',
      faults: { noSuchCertificate },
    },
    markReplaced: {
      does: 'Says of a certificate that others issued that another is used in its place, so that its end concerns nobody; or takes that back.',
      title: 'Mark a certificate as replaced',
      method: 'POST',
      path: '/api2/PKI-v1/MarkCertificateReplaced',
      needs: 'certUpload',
      input: z.object({ certificateId: Id, replaced: z.boolean() }),
      output: z.object({ certificateId: Id }),
      failed: 'The certificate was not marked',
      faults: {
        noSuchCertificate,
        issuedHere: { status: 409, says: 'This certificate was issued here: it is renewed or revoked, not marked' },
      },
    },
    removeUploaded: {
      does: 'Takes a certificate that others issued out of the inventory. The audit log keeps what it was.',
      title: 'Remove an uploaded certificate',
      method: 'POST',
      path: '/api2/PKI-v1/RemoveUploadedCertificate',
      needs: 'certUpload',
      input: z.object({ certificateId: Id }),
      output: z.object({}),
      done: 'The certificate is removed',
      failed: 'The certificate was not removed',
      faults: {
        noSuchCertificate,
        issuedHere: { status: 409, says: 'This certificate was issued here and stays on record. Revoke it if it must not be used' },
        answersRequest: { status: 409, says: 'A request here was answered with this certificate, so it stays' },
      },
    },
    info: {
      does: 'Answers one certificate with its chain, whom it belongs to, and what has happened to it.',
      method: 'GET',
      path: '/api2/PKI-v1/CertificateInfo',
      needs: 'certView',
      input: Reference,
      output: CertificateInfo,
      faults: { noSuchCertificate: { status: 404, says: 'There is no such certificate, or not for you' } },
    },
    /** For who sees certificates, who holds it, and who asked for it. */
    download: {
      does: 'Answers one certificate as a file for a purpose: `server` (it and its intermediates), `clients` (the root), `chain` (everything), or alone as `pem`, `der`, `pkcs7`; with all above it as `pkcs7Chain` and, without a key, `pkcs12`. For who sees certificates, who holds it, and who asked for it. CertificatePem answers the text itself.',
      method: 'GET',
      path: '/api2/PKI-v1/CertificateFile',
      needs: 'signedIn',
      tokens: [...forItsPeople, 'certView'],
      input: Reference.extend({ format: z.enum(formatNames) }),
      /** `content` is base64, whatever the file is. */
      output: z.object({ fileName: z.string(), mediaType: z.string(), content: z.string() }),
      failed: 'The certificate could not be downloaded',
      faults: {
        noSuchCertificate: { status: 404, says: 'There is no such certificate, or not for you' },
        noRoot: { status: 409, says: 'The root above this certificate is not known here. Ask its issuer for it' },
      },
    },
  },
  endpoints: {
    /** As `download`, answered as text: `?certId=...&format=server`. */
    certificatePem: {
      method: 'GET',
      path: '/api2/PKI-v1/CertificatePem',
      needs: 'signedIn',
      tokens: [...forItsPeople, 'certView'],
    },
    exportCertificates: { method: 'GET', path: '/api2/PKI-v1/CertificatesExport', needs: 'certView' },
    /** The rows that were selected in the list: as a POST, because ten thousand ids fit into no address. It changes nothing. */
    exportChosenCertificates: {
      title: 'Export chosen certificates',
      method: 'POST',
      path: '/api2/PKI-v1/CertificatesExport',
      needs: 'certView',
    },
  },
  jobs: {
    finish: { title: 'Issue what was agreed to', every: '* * * * *' },
    counts: { title: 'Add up how many certificates there are', every: '* * * * *' },
    words: { title: 'Make older certificates findable by organisation and SHA-1 fingerprint', every: '* * * * *' },
    traits: { title: 'Find out the key, usages and findings of older certificates', every: '* * * * *' },
    expiry: { title: 'Send mail about certificates that end soon', every: '17 * * * *' },
  },
  events: {
    requested: {
      says: 'Requested a certificate',
      body: z.object({ requestId: Id, templateName: z.string(), caId: Id, class: CertificateClass }),
    },
    edited: { says: 'Changed a request', body: z.object({ requestId: Id }) },
    withdrawn: { says: 'Withdrew a request', body: z.object({ requestId: Id }) },
    approved: { says: 'Approved a request', body: z.object({ requestId: Id }) },
    denied: { says: 'Denied a request', body: z.object({ requestId: Id }) },
    issuedElsewhere: {
      says: 'Answered a request with a certificate of another issuer',
      body: z.object({ requestId: Id, certificateId: Id, sha256: z.string() }),
    },
    reserved: {
      says: 'Recorded what is to be signed',
      body: z.object({ requestId: Id, caId: Id, serialNumber: z.string(), tbsSha256: z.string() }),
    },
    /** The same for a batch of certificates that are issued at once, as nobody must agree to them. */
    reservedTogether: {
      says: 'Reserved serials, hashes of what is signed on record',
      body: z.object({
        caId: Id,
        certificates: z.array(z.object({ requestId: Id, serialNumber: z.string(), tbsSha256: z.string() })),
      }),
    },
    /** Reserved and never signed, or signed and handed to nobody: there will be no such certificates. */
    voided: { says: 'Released serials that were not used', body: z.object({ caId: Id, serialNumbers: z.array(z.string()) }) },
    /** With template and what was signed where it was issued at once: then it also says that it was asked for. */
    issued: {
      says: 'Issued a certificate',
      body: z.object({
        requestId: Id,
        certificateId: Id,
        caId: Id,
        serialNumber: z.string(),
        class: CertificateClass,
        templateName: z.string().optional(),
        tbsSha256: z.string().optional(),
      }),
    },
    failed: { says: 'Failed to issue a certificate', body: z.object({ requestId: Id, reason: z.string() }) },
    keyMade: { says: 'Made a key to collect', body: z.object({ requestId: Id }) },
    keyDropped: { says: 'Deleted a key that nobody collected', body: z.object({ requestId: Id, serialNumber: z.string().optional() }) },
    keyCollected: { says: 'Collected a key', body: z.object({ requestId: Id, certificateId: Id }) },
    expiryNoticed: { says: 'Sent mail about an expiry', body: z.object({ certificateId: Id, days: z.number().int() }) },
    assigned: {
      says: 'Changed owner or tags of a certificate',
      body: z.object({ certificateId: Id, owner: z.string(), tags: z.array(z.string()) }),
    },
    markedReplaced: { says: 'Marked a certificate as replaced, or no more', body: z.object({ certificateId: Id, replaced: z.boolean() }) },
    removed: {
      says: 'Removed an uploaded certificate',
      body: z.object({ certificateId: Id, subject: z.string(), sha256: z.string() }),
    },
    exported: { says: 'Exported certificates', body: z.object({ rows: z.number().int() }) },
  },
})
