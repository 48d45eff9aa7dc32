import * as z from 'zod'
import { Brand } from '#areas/sessions/brand-shape.ts'
import { signInFaults, ViewerDetails } from '#areas/sessions/contract.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line } from '#core/contract/shapes.ts'
import { mappings, presentPath, refusalReasons } from './rules.ts'

const PolicyFields = z.object({
  enabled: z.boolean(),
  /** Authorities of the tenancy whose certificates sign in. */
  authorities: z.array(Id).max(50),
  mapping: z.enum(mappings),
  /** The certificate stands for both factors, as where its key is on a card with a PIN. */
  strong: z.boolean(),
})

export const mtls = contract({
  area: 'mtls',
  title: 'Certificate sign-in',
  screens: {
    policy: {
      path: '/config/chancery/certificate-sign-in',
      needs: 'ssoConfig',
      title: 'Certificate sign-in',
      menu: { group: 'settings', entry: 'signIn', tab: 'Certificates', place: 40 },
      also: 'smartcard, mutual TLS, client certificate, UPN, SID',
    },
    arrival: { path: '/login/certificate', needs: 'public', title: 'Certificate sign-in', shell: 'public' },
  },
  endpoints: {
    /** Reached through a proxy that asks for the certificate; the own listener answers the same path. */
    present: { method: 'GET', path: presentPath, needs: 'public' },
  },
  calls: {
    policy: {
      does: 'Answers whose certificates sign in to the tenancy, and the authorities to choose from.',
      method: 'GET',
      path: '/api2/IDM-v1/CertificateSignIn',
      needs: 'ssoConfig',
      input: z.object({}),
      output: PolicyFields.extend({
        version: z.number().int(),
        choices: z.array(z.object({ caId: Id, name: z.string(), usable: z.boolean() })),
        /** Where browsers show their certificate; nothing where the installation has no such address. */
        address: z.string().optional(),
      }),
    },
    changePolicy: {
      does: 'Changes whose certificates sign in; whoever came by a certificate is signed out. Answers nothing.',
      title: 'Change certificate sign-in',
      method: 'PUT',
      path: '/api2/IDM-v1/CertificateSignIn',
      needs: 'ssoConfig',
      tokens: 'never',
      input: PolicyFields.extend({ version: z.number().int() }),
      output: z.object({}),
      done: 'Certificate sign-in is saved',
      failed: 'Certificate sign-in was not saved',
      faults: {
        unknownAuthority: { status: 400, says: 'One of the authorities does not exist, or is revoked', field: 'authorities' },
        noAuthority: { status: 400, says: 'Choose an authority', field: 'authorities' },
      },
    },
    certificates: {
      does: 'Lists the certificates of a user, and whether each signs in: one’s own, or with `userView` those of another user.',
      method: 'POST',
      path: '/api2/IDM-v1/SignInCertificates',
      needs: 'signedIn',
      tokens: ['userView'],
      reads: true,
      input: z.object({ userId: Id }),
      output: z.object({
        rows: z.array(
          z.object({
            id: Id,
            name: z.string(),
            authority: z.string(),
            serialNumber: z.string(),
            validTo: Instant,
            /** Why it does not sign in. */
            refusal: z.enum(refusalReasons).optional(),
          }),
        ),
      }),
    },
    offered: {
      does: 'Answers whether people can sign in by a certificate here.',
      method: 'GET',
      path: '/api2/Authentication-v1/CertificateSignIn',
      needs: 'public',
      input: z.object({}),
      output: z.object({ offered: z.boolean() }),
    },
    begin: {
      does: 'Begins a sign-in by certificate; answers where the browser shows it, bound to this browser. Nothing where there is no such address.',
      title: 'Begin certificate sign-in',
      method: 'POST',
      path: '/api2/Authentication-v1/BeginCertificateSignIn',
      needs: 'public',
      ownTransactions: true,
      input: z.object({ redirect: z.string().max(2000).default('') }),
      output: z.object({ url: z.string().optional() }),
      failed: 'Certificate sign-in did not begin',
      limit: 'begin',
    },
    finish: {
      does: 'Ends a sign-in by certificate: opens the session, or says what is needed besides, or refuses.',
      title: 'Finish certificate sign-in',
      method: 'POST',
      path: '/api2/Authentication-v1/FinishCertificateSignIn',
      needs: 'public',
      ownTransactions: true,
      unstored: true,
      input: z.object({
        state: Line(200),
        /** From the fragment of the arrival page: only the browser that showed the certificate has it. */
        ticket: z.string().max(200),
      }),
      output: z.discriminatedUnion('outcome', [
        z.object({ outcome: z.literal('signedIn'), viewers: z.array(ViewerDetails), redirect: z.string() }),
        z.object({
          outcome: z.literal('code'),
          brand: Brand,
          redirect: z.string(),
          /** The first time: the person sets a code up now. */
          enrolment: z.object({ qr: z.string(), otpauth: z.string(), secret: z.string(), recovery_codes: z.array(z.string()) }).optional(),
        }),
        z.object({ outcome: z.literal('refused'), reference: z.string() }),
      ]),
      failed: 'Certificate sign-in failed',
      faults: { passkeyNeeded: signInFaults.passkeyNeeded },
      limit: 'publicLink',
    },
  },
  jobs: {
    clean: { title: 'Forget unfinished sign-ins by certificate', every: '27 * * * *' },
  },
  events: {
    policyChanged: { says: 'Changed certificate sign-in', body: PolicyFields },
    accepted: { says: 'Was known by a certificate', body: z.object({ userId: Id, certificateId: Id }) },
    refused: {
      says: 'Refused a sign-in by certificate',
      body: z.object({ certificateId: Id.optional(), reason: z.string(), reference: z.string() }),
    },
  },
})
