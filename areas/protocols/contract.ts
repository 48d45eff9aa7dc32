import * as z from 'zod'
import { AskedValue, ValuesTyped } from '#areas/templates/contract.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, pageOf, PageQuery } from '#core/contract/shapes.ts'
import { lineLengths, protocolNames, secretStates, transactionKinds, transactionStates } from './rules.ts'

const Protocol = z.enum(protocolNames)

/** What a profile says and demands. Each protocol looks at its own. */
export const ProfileSettings = z.object({
  /** Whoever holds a certificate of this profile's template may ask for the next with it. */
  renewal: z.boolean().default(true),
  /** EST: of the base64 in answers. 0 is one line. */
  lineLength: z.union(lineLengths.map((length) => z.literal(length))).default(0),
  /** EST: keys may be made here (RFC 7030 4.4). */
  serverKeys: z.boolean().default(false),
  /** CMP: a client that asks for it need not confirm. */
  implicitConfirmation: z.boolean().default(true),
  /** CMP: what is not confirmed by then is revoked. */
  confirmationMinutes: z.number().int('Enter a whole number').min(1, 'At least 1').max(1440, 'At most 1440').default(60),
})
export type ProfileSettings = z.output<typeof ProfileSettings>

export const ProfileDraft = ProfileSettings.extend({
  name: Line(80),
  enabled: z.boolean().default(true),
  templateId: Id,
})

const ProfileRow = z.object({
  id: Id,
  protocol: Protocol,
  name: z.string(),
  enabled: z.boolean(),
  /** What a client is given. */
  url: z.string(),
  templateName: z.string(),
  issued: z.number().int(),
})

const SecretRow = z.object({
  id: Id,
  protocol: Protocol,
  profileName: z.string(),
  name: z.string(),
  reference: z.string(),
  names: z.array(z.string()),
  /** For certificates of the person who made it. */
  personal: z.boolean(),
  state: z.enum(secretStates),
  usesLeft: z.number().int().optional(),
  /** Whether the page behind its link was used. Absent where it has none. */
  revealed: z.boolean().optional(),
  expiresAt: Instant,
  createdAt: Instant,
  createdBy: z.string(),
})

const TransactionRow = z.object({
  id: Id,
  protocol: Protocol,
  profileName: z.string(),
  /** As the client calls it. */
  transactionId: z.string(),
  kind: z.enum(transactionKinds),
  state: z.enum(transactionStates),
  subject: z.string(),
  /** What the client was told, by the word of its protocol and in a sentence. */
  code: z.string(),
  reason: z.string(),
  requestId: Id.optional(),
  certificateId: Id.optional(),
  address: z.string(),
  createdAt: Instant,
  updatedAt: Instant,
})

const NewSecret = z.object({
  profileId: Id,
  name: Line(80),
  /** By source, the names that it is good for. None: whatever the template allows. */
  names: ValuesTyped,
  hours: z.number().int('Enter a whole number').min(1, 'At least 1').max(8760, 'At most 8760').default(24),
})

/** Base64 of what a TPM or its manufacturer made. */
const TpmBytes = z
  .string()
  .max(16_000)
  .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'Enter base64')

const Address = Line(200)

/** An application at Microsoft Entra, and where Microsoft is: elsewhere in national clouds. */
const Intune = {
  directoryId: Line(100),
  clientId: Line(100),
  loginUrl: Address,
  graphUrl: Address,
  resourceUrl: Address,
  enabled: z.boolean(),
}

const needs = 'manageIntuneScepAuthConfiguration'
const nameTaken = {
  status: 409,
  says: 'A profile of this protocol with this name exists',
  field: 'name',
  constraint: 'enrolment_profiles_by_name',
} as const
const gone = { status: 404, says: 'This link is not valid, or not any more. Ask whoever gave it to you for another one' } as const

const scep = '/scep/:publicId'
const est = '/.well-known/est/:publicId'
const prefixed = '/est/:publicId/.well-known/est'

export const protocolRoom = contract({
  area: 'protocols',
  title: 'Enrolment protocols',
  also: 'SCEP, EST, CMP, XCEP, WSTEP, Windows, routers, phones, printers, MDM',
  screens: {
    scep: { path: '/config/scep', needs, title: 'SCEP', menu: { group: 'pki', entry: 'enrolment', tab: 'SCEP', place: 20 } },
    addScep: { path: '/config/scep/new', needs, title: 'New SCEP profile', parent: 'scep', button: 'New SCEP profile' },
    intune: {
      path: '/config/scep/edit/:id/intune',
      needs,
      title: 'Intune',
      also: 'Microsoft Intune, Entra, MDM',
      parent: 'editScep',
      button: 'Intune',
    },
    editScep: { path: '/config/scep/edit/:id', needs, title: 'SCEP profile', parent: 'scep' },
    windows: {
      path: '/config/chancery/windows',
      needs,
      title: 'Windows enrolment',
      also: 'XCEP, WSTEP, CEP, CES, group policy, certreq, auto-enrolment',
      parent: 'enrolment.rules',
      button: 'Windows enrolment',
    },
    addWindows: {
      path: '/config/chancery/windows/new',
      needs,
      title: 'New Windows profile',
      parent: 'windows',
      button: 'New Windows profile',
    },
    editWindows: { path: '/config/chancery/windows/edit/:id', needs, title: 'Windows profile', parent: 'windows' },
    windowsPassword: {
      path: '/credentials/certificates/windows/request',
      needs: 'certSigningRequestUser',
      title: 'Request by Windows',
      also: 'certmgr, certreq, enrolment password',
      menu: { group: 'certificates', entry: 'request', tab: 'Windows', place: 47 },
    },
    tpmAttempts: {
      path: '/pki/tpm-key-attestation/attempts',
      needs: 'autoEnrollTemplateRules',
      title: 'Attestations by TPMs',
      parent: 'licensing.attestation',
      button: 'Attestations by TPMs',
    },
    est: { path: '/config/chancery/est', needs, title: 'EST', menu: { group: 'pki', entry: 'enrolment', tab: 'EST', place: 22 } },
    addEst: { path: '/config/chancery/est/new', needs, title: 'New EST profile', parent: 'est', button: 'New EST profile' },
    editEst: { path: '/config/chancery/est/edit/:id', needs, title: 'EST profile', parent: 'est' },
    cmp: { path: '/config/chancery/cmp', needs, title: 'CMP', menu: { group: 'pki', entry: 'enrolment', tab: 'CMP', place: 24 } },
    addCmp: { path: '/config/chancery/cmp/new', needs, title: 'New CMP profile', parent: 'cmp', button: 'New CMP profile' },
    editCmp: { path: '/config/chancery/cmp/edit/:id', needs, title: 'CMP profile', parent: 'cmp' },
    requestChallenge: {
      path: '/credentials/certificates/scep/request',
      needs: 'certScep',
      title: 'Request by SCEP',
      also: 'challenge, one-time password, router',
      menu: { group: 'certificates', entry: 'request', tab: 'SCEP', place: 45 },
    },
    retrieveChallenge: { path: '/retrieveSCEPChallenge/:id', needs: 'public', title: 'SCEP challenge', shell: 'public' },
  },
  calls: {
    profiles: {
      does: 'Lists the profiles of an enrolment protocol.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchEnrolmentProfiles',
      needs,
      reads: true,
      input: PageQuery.extend({ protocol: Protocol }),
      output: pageOf(ProfileRow),
    },
    choices: {
      does: 'Answers the templates that a profile of an enrolment protocol can stand for.',
      method: 'GET',
      path: '/api2/PKI-v1/EnrolmentProfileChoices',
      needs,
      input: z.object({ protocol: Protocol.optional() }),
      output: z.object({
        templates: z.array(
          z.object({
            templateId: Id,
            name: z.string(),
            approvals: z.number().int(),
            /** Whether certificates say which template they are of, so that Windows knows for which it has one. */
            identified: z.boolean(),
          }),
        ),
      }),
    },
    profile: {
      does: 'Answers one profile of an enrolment protocol with its settings and version.',
      method: 'GET',
      path: '/api2/PKI-v1/EnrolmentProfile',
      needs,
      input: z.object({ id: Id }),
      output: ProfileDraft.extend({
        id: Id,
        protocol: Protocol,
        url: z.string(),
        version: z.number().int(),
        ownerName: z.string(),
        ownerMayAsk: z.boolean(),
      }),
    },
    addProfile: {
      does: 'Adds a profile of an enrolment protocol, whose certificates are asked for in the name of the caller; answers its id and its address.',
      title: 'Add a profile of an enrolment protocol',
      method: 'POST',
      path: '/api2/PKI-v1/EnrolmentProfile',
      needs,
      // It asks with what its owner may do: a token gives it no more than it has itself.
      tokens: ['certSigningRequest'],
      input: ProfileDraft.extend({ protocol: Protocol }),
      output: z.object({ id: Id, url: z.string() }),
      done: 'The profile was added',
      failed: 'The profile was not added',
      faults: { nameTaken },
    },
    changeProfile: {
      does: 'Replaces the settings of a profile of an enrolment protocol, whose certificates are asked for in the name of the caller from then on.',
      title: 'Change a profile of an enrolment protocol',
      method: 'PUT',
      path: '/api2/PKI-v1/EnrolmentProfile',
      needs,
      // It asks with what its owner may do: a token gives it no more than it has itself.
      tokens: ['certSigningRequest'],
      input: ProfileDraft.extend({ id: Id, version: z.number().int() }),
      output: z.object({ version: z.number().int() }),
      done: 'The profile was changed',
      failed: 'The profile was not changed',
      faults: { nameTaken },
    },
    removeProfile: {
      does: 'Removes a profile of an enrolment protocol with its secrets and transactions. Certificates stay.',
      title: 'Remove a profile of an enrolment protocol',
      method: 'DELETE',
      path: '/api2/PKI-v1/EnrolmentProfile',
      needs,
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The profile was removed',
      failed: 'The profile was not removed',
    },
    intune: {
      does: 'Answers how Microsoft Intune is asked about the challenges of a SCEP profile, without the secret.',
      method: 'GET',
      path: '/api2/PKI-v1/ScepIntune',
      needs,
      input: z.object({ id: Id }),
      output: z.object({
        ...Intune,
        /** Empty until Intune is set. */
        directoryId: z.string(),
        clientId: z.string(),
        profileName: z.string(),
        hasSecret: z.boolean(),
        version: z.number().int(),
        /** Why notices to Intune do not arrive. */
        trouble: z.string(),
      }),
    },
    setIntune: {
      does: 'Says how Microsoft Intune is asked about the challenges of a SCEP profile. Without a secret the one that is kept stays, unless it would go elsewhere.',
      title: 'Set Intune for a SCEP profile',
      method: 'PUT',
      path: '/api2/PKI-v1/ScepIntune',
      needs,
      ownTransactions: true,
      input: z.object({ ...Intune, id: Id, version: z.number().int(), secret: z.string().min(1).max(1000).optional() }),
      output: z.object({}),
      done: 'Intune is saved',
      failed: 'Intune was not saved',
      faults: {
        secretNeeded: { status: 400, says: 'Enter the secret: it is not kept yet, or it would go to another address', field: 'secret' },
        wrongDirectory: { status: 400, says: 'Use letters, digits, dots and hyphens', field: 'directoryId' },
        refusedLogin: { status: 400, says: 'The address cannot be reached from here: {reason}', field: 'loginUrl' },
        refusedGraph: { status: 400, says: 'The address cannot be reached from here: {reason}', field: 'graphUrl' },
        refusedResource: { status: 400, says: 'The address cannot be reached from here: {reason}', field: 'resourceUrl' },
      },
    },
    removeIntune: {
      does: 'Ends that Microsoft Intune is asked about the challenges of a SCEP profile, and forgets the secret of the application.',
      title: 'Remove Intune from a SCEP profile',
      method: 'DELETE',
      path: '/api2/PKI-v1/ScepIntune',
      needs,
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'Intune was removed',
      failed: 'Intune was not removed',
    },
    testIntune: {
      does: 'Signs in as saved and finds the service of Microsoft Intune for SCEP; answers where it is.',
      title: 'Test Intune',
      method: 'POST',
      path: '/api2/PKI-v1/TestIntune',
      needs,
      ownTransactions: true,
      input: z.object({ id: Id }),
      output: z.object({ host: z.string() }),
      done: 'Intune answers, and lets the application in',
      failed: 'Intune was not reached',
      faults: { noAnswer: { status: 502, says: 'Intune cannot be asked now: {reason}' } },
    },
    transactions: {
      does: 'Lists what clients of an enrolment protocol asked for and what they were told, the newest first.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchEnrolmentTransactions',
      needs,
      reads: true,
      input: PageQuery.extend({ protocol: Protocol, state: z.enum(transactionStates).optional() }),
      output: pageOf(TransactionRow),
    },
    commandLines: {
      does: 'Answers what to type for each known client to enrol by a profile of an enrolment protocol.',
      method: 'GET',
      path: '/api2/PKI-v1/EnrolmentCommandLines',
      needs,
      input: z.object({ id: Id }),
      output: z.object({
        template: z.string(),
        /** How many must agree before its clients get anything. */
        approvals: z.number().int(),
        ownerName: z.string(),
        clients: z.array(z.object({ name: z.string(), hint: z.array(z.string()), text: z.string() })),
      }),
    },
    secretChoices: {
      does: 'Answers the profiles of an enrolment protocol that a secret can be made for, and the names that each asks for.',
      method: 'GET',
      path: '/api2/PKI-v1/EnrolmentSecretChoices',
      needs: 'certScep',
      input: z.object({ protocol: Protocol }),
      output: z.object({
        profiles: z.array(z.object({ profileId: Id, name: z.string(), url: z.string(), template: z.string(), asks: z.array(AskedValue) })),
      }),
    },
    secrets: {
      does: 'Lists the challenges and shared secrets of an enrolment protocol, without what is secret.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchEnrolmentSecrets',
      needs: 'certScep',
      reads: true,
      input: PageQuery.extend({ protocol: Protocol }),
      output: pageOf(SecretRow),
    },
    addChallenge: {
      does: 'Makes a SCEP challenge for one certificate of these names; answers the link behind which it is shown once.',
      title: 'Make a SCEP challenge',
      method: 'POST',
      path: '/api2/PKI-v1/ScepChallenge',
      needs: 'certScep',
      unstored: true,
      input: NewSecret,
      output: z.object({ id: Id, link: z.string(), expiresAt: Instant }),
      done: 'The challenge was made',
      failed: 'The challenge was not made',
    },
    addSecret: {
      does: 'Makes a secret by which clients enrol by a profile. The answer alone has it, for the client.',
      title: 'Make an enrolment secret',
      method: 'POST',
      path: '/api2/PKI-v1/EnrolmentSecret',
      needs: 'certScep',
      unstored: true,
      input: NewSecret.extend({
        /** For so many certificates; without it for as many as come. */
        uses: z.number().int('Enter a whole number').min(1, 'At least 1').max(100_000, 'At most 100000').optional(),
      }),
      output: z.object({ id: Id, reference: z.string(), secret: z.string(), url: z.string(), expiresAt: Instant }),
      done: 'The secret was made',
      failed: 'The secret was not made',
    },
    ownPasswordChoices: {
      does: 'Answers the Windows profiles by which the caller can have a certificate of their own.',
      method: 'GET',
      path: '/api2/PKI-v1/OwnEnrolmentPasswordChoices',
      needs: 'certSigningRequestUser',
      input: z.object({}),
      output: z.object({ profiles: z.array(z.object({ profileId: Id, name: z.string(), template: z.string(), url: z.string() })) }),
    },
    addOwnPassword: {
      does: 'Makes a password by which the caller gets one certificate of their own at a Windows profile. The answer alone has it.',
      title: 'Make an own enrolment password',
      method: 'POST',
      path: '/api2/PKI-v1/OwnEnrolmentPassword',
      needs: 'certSigningRequestUser',
      unstored: true,
      input: z.object({ profileId: Id }),
      output: z.object({
        id: Id,
        reference: z.string(),
        secret: z.string(),
        url: z.string(),
        expiresAt: Instant,
        commands: z.array(z.object({ name: z.string(), text: z.string() })),
      }),
      done: 'The password was made',
      failed: 'The password was not made',
    },
    endSecret: {
      does: 'Ends a challenge or shared secret of an enrolment protocol: nobody enrols with it any more.',
      title: 'End an enrolment secret',
      method: 'DELETE',
      path: '/api2/PKI-v1/EnrolmentSecret',
      needs: 'certScep',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The secret was ended',
      failed: 'The secret was not ended',
      faults: { ended: { status: 409, says: 'This secret has ended already' } },
    },
    prepareTpm: {
      does: 'Begins to attest a key by a TPM: takes its endorsement key with the certificate of the manufacturer and an attestation key, and answers a secret for this TPM alone, as TPM2B_ID_OBJECT and TPM2B_ENCRYPTED_SECRET, with the data that the attestation must hold.',
      title: 'Begin to attest a key by a TPM',
      method: 'POST',
      path: '/api2/PKI-v1/PrepareTpmAttestation',
      needs: 'certSigningRequest',
      ownTransactions: true,
      unstored: true,
      input: z.object({
        templateId: Id,
        /** TPM2B_PUBLIC */
        ekPublic: TpmBytes,
        /** DER */
        ekCertificate: TpmBytes,
        /** What stands between it and the root, DER. */
        chain: z.array(TpmBytes).max(8).default([]),
        akPublic: TpmBytes,
      }),
      output: z.object({ attemptId: Id, credential: z.string(), qualifyingData: z.string(), expiresAt: Instant }),
      failed: 'The attestation was not begun',
      faults: {
        akUnfit: { status: 422, says: 'The attestation key is not a restricted signing key that stays in its TPM', field: 'akPublic' },
        ekUnfit: {
          status: 422,
          says: 'This is not an endorsement key: it must decrypt, be restricted and stay in its TPM',
          field: 'ekPublic',
        },
        ekOther: { status: 422, says: 'The certificate is of another endorsement key', field: 'ekCertificate' },
        ekPurpose: { status: 422, says: 'The certificate is not for an endorsement key (2.23.133.8.1)', field: 'ekCertificate' },
        ekUntrusted: { status: 422, says: 'The certificate leads to no root that is accepted for this template', field: 'ekCertificate' },
      },
    },
    finishTpm: {
      does: 'Ends the attestation of a key by a TPM and asks for its certificate: takes the secret that the TPM gave out and what the attestation key certified; answers the certificate where nobody must agree.',
      title: 'Request a certificate for a key that a TPM attests',
      method: 'POST',
      path: '/api2/PKI-v1/FinishTpmAttestation',
      needs: 'certSigningRequest',
      ownTransactions: true,
      unstored: true,
      input: z.object({
        attemptId: Id,
        secret: TpmBytes,
        /** TPM2B_PUBLIC of the key to certify */
        keyPublic: TpmBytes,
        /** TPMS_ATTEST of TPM2_Certify */
        attestation: TpmBytes,
        /** TPMT_SIGNATURE */
        signature: TpmBytes,
        values: ValuesTyped,
      }),
      output: z.object({ requestId: Id, certificateId: Id.optional(), certificates: z.string().optional() }),
      failed: 'The certificate was not requested',
      faults: {
        gone: { status: 409, says: 'This attestation is not known, was used, or has taken longer than 5 minutes. Begin again' },
        secretWrong: {
          status: 422,
          says: 'The TPM did not give out the secret: it is not the one of this endorsement key, or does not hold this attestation key',
          field: 'secret',
        },
        keyUnfit: { status: 422, says: 'The key was not made in its TPM, or may leave it', field: 'keyPublic' },
        attestationOther: { status: 422, says: 'The attestation is about another key', field: 'attestation' },
        qualifyingOther: { status: 422, says: 'The attestation was not made for this request', field: 'attestation' },
        signatureWrong: { status: 422, says: 'The attestation is not signed by the attestation key', field: 'signature' },
      },
    },
    tpmAttempts: {
      does: 'Lists what machines showed by their TPMs, and why it was refused, the newest first.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchTpmAttempts',
      needs: 'autoEnrollTemplateRules',
      reads: true,
      input: PageQuery,
      output: pageOf(
        z.object({
          id: Id,
          requester: z.string(),
          manufacturer: z.string(),
          ekSha256: z.string(),
          state: z.enum(['begun', 'requested', 'refused']),
          reason: z.string(),
          requestId: Id.optional(),
          address: z.string(),
          createdAt: Instant,
        }),
      ),
    },
    challengePage: {
      does: 'Answers for whom a SCEP challenge is and where it is used, to whoever has its link. It shows nothing secret and spends nothing.',
      title: 'See the page of a SCEP challenge',
      method: 'POST',
      path: '/api2/PKI-v1/ScepChallengePage',
      needs: 'public',
      reads: true,
      watched: true,
      input: z.object({ id: Line(200) }),
      output: z.object({
        tenancyName: z.string(),
        bannerColour: z.string(),
        supportEmail: z.string(),
        name: z.string(),
        url: z.string(),
        names: z.array(z.string()),
        expiresAt: Instant,
      }),
      failed: 'The challenge could not be read',
      faults: { gone },
      limit: 'publicLink',
    },
    revealChallenge: {
      does: 'Shows a SCEP challenge, once, to whoever has its link.',
      title: 'Retrieve a SCEP challenge',
      method: 'POST',
      path: '/api2/PKI-v1/RevealScepChallenge',
      needs: 'public',
      unstored: true,
      input: z.object({ id: Line(200) }),
      output: z.object({ challenge: z.string(), url: z.string(), commands: z.array(z.object({ name: z.string(), text: z.string() })) }),
      failed: 'The challenge was not shown',
      faults: { gone },
      limit: 'publicLink',
    },
  },
  endpoints: {
    scepGet: { method: 'GET', path: scep, needs: 'public' },
    scepPost: { title: 'Enrol by SCEP', method: 'POST', path: scep, needs: 'public' },
    // Many clients add this by themselves (RFC 8894 4.1).
    scepProgramGet: { method: 'GET', path: `${scep}/pkiclient.exe`, needs: 'public' },
    scepProgramPost: { title: 'Enrol by SCEP (pkiclient.exe)', method: 'POST', path: `${scep}/pkiclient.exe`, needs: 'public' },
    estCaCertificates: { method: 'GET', path: `${est}/cacerts`, needs: 'public' },
    estAttributes: { method: 'GET', path: `${est}/csrattrs`, needs: 'public' },
    estEnrol: { title: 'Enrol by EST', method: 'POST', path: `${est}/simpleenroll`, needs: 'public' },
    estRenew: { title: 'Renew by EST', method: 'POST', path: `${est}/simplereenroll`, needs: 'public' },
    estServerKey: { title: 'Enrol by EST with a key made here', method: 'POST', path: `${est}/serverkeygen`, needs: 'public' },
    // Clients that know no label put the whole path behind their address, as strongSwan does.
    estPrefixedCaCertificates: { method: 'GET', path: `${prefixed}/cacerts`, needs: 'public' },
    estPrefixedAttributes: { method: 'GET', path: `${prefixed}/csrattrs`, needs: 'public' },
    estPrefixedEnrol: { title: 'Enrol by EST (without a label)', method: 'POST', path: `${prefixed}/simpleenroll`, needs: 'public' },
    estPrefixedRenew: { title: 'Renew by EST (without a label)', method: 'POST', path: `${prefixed}/simplereenroll`, needs: 'public' },
    cmpPost: { title: 'Enrol by CMP', method: 'POST', path: '/.well-known/cmp/p/:publicId', needs: 'public' },
    // What group policy names, and where its answer leads (MS-XCEP, MS-WSTEP).
    windowsPolicies: { title: 'Ask for enrolment policies of Windows', method: 'POST', path: '/xcep/:publicId', needs: 'public' },
    windowsEnrol: { title: 'Enrol by Windows', method: 'POST', path: '/wstep/:publicId', needs: 'public' },
    estFull: { title: 'Ask for full CMC by EST', method: 'POST', path: `${est}/fullcmc`, needs: 'public' },
  },
  jobs: {
    goOn: { title: 'Go on with enrolments by protocol', every: '*/5 * * * *' },
    tidy: { title: 'Remove enrolments that came to nothing', every: '41 2 * * *' },
  },
  events: {
    profileAdded: {
      says: 'Added a profile of an enrolment protocol',
      body: z.object({ profileId: Id, protocol: z.string(), name: z.string() }),
    },
    profileChanged: { says: 'Changed a profile of an enrolment protocol', body: z.object({ profileId: Id, name: z.string() }) },
    profileRemoved: { says: 'Removed a profile of an enrolment protocol', body: z.object({ profileId: Id, name: z.string() }) },
    registrarRecorded: {
      says: 'Recorded the key of an enrolment profile',
      body: z.object({ profileId: Id, registrarId: Id, caId: Id, serialNumber: z.string() }),
    },
    registrarCertified: {
      says: 'Certified the key of an enrolment profile',
      body: z.object({ profileId: Id, registrarId: Id, caId: Id, serialNumber: z.string(), sha256: z.string() }),
    },
    intuneSet: {
      says: 'Set Intune for a SCEP profile',
      body: z.object({ profileId: Id, directoryId: z.string(), clientId: z.string(), enabled: z.boolean() }),
    },
    intuneRemoved: { says: 'Removed Intune from a SCEP profile', body: z.object({ profileId: Id }) },
    secretAdded: { says: 'Made an enrolment secret', body: z.object({ secretId: Id, profileId: Id, name: z.string() }) },
    secretShown: { says: 'Showed a SCEP challenge', body: z.object({ secretId: Id, name: z.string() }) },
    secretEnded: { says: 'Ended an enrolment secret', body: z.object({ secretId: Id, name: z.string() }) },
    tpmPrepared: { says: 'Began to attest a key by a TPM', body: z.object({ attemptId: Id, templateId: Id, ekSha256: z.string() }) },
    tpmAttested: { says: 'Attested a key by a TPM', body: z.object({ attemptId: Id, ekSha256: z.string(), requestId: Id }) },
    tpmRefused: { says: 'Refused a key that a TPM shall attest', body: z.object({ attemptId: Id, reason: z.string() }) },
    enrolled: {
      says: 'Enrolled by protocol',
      body: z.object({ profileId: Id, transaction: z.string(), kind: z.string(), certificateId: Id }),
    },
    refused: {
      says: 'Refused an enrolment by protocol',
      body: z.object({ profileId: Id, transaction: z.string(), code: z.string(), reason: z.string() }),
    },
  },
})
