import * as z from 'zod'
import { defaultYears } from '#areas/authorities/rules.ts'
import { KeyAlgorithmName } from '#areas/keys/rules.ts'
import { Colour, defaultColour, newTenancyPath } from '#areas/tenancy/rules.ts'
import { Username } from '#areas/users/rules.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, OptionalLine } from '#core/contract/shapes.ts'

const Administrator = z.object({
  username: Username,
  givenName: Line(80),
  familyName: Line(80),
  emailAddress: z.email('Enter an e-mail address').max(254),
})

const SupportEmail = z.union([z.literal(''), z.email('Enter an e-mail address').max(254)]).default('')

const Years = z.number('Enter a whole number').int('Enter a whole number').min(1, 'At least 1').max(50, 'At most 50')

/** A root and an issuing authority below it. */
export const AuthorityDraft = z.object({
  /** `offline`: the root is somewhere else, and the request of the issuing authority is taken to it. */
  root: z.enum(['here', 'offline']).default('here'),
  organisation: Line(64),
  country: z.union([z.literal(''), z.string().regex(/^[A-Z]{2}$/, 'Enter two capital letters')]).default(''),
  /** Of a root that is made here. */
  rootName: Line(64).default('Root CA'),
  issuingName: Line(64),
  algorithm: KeyAlgorithmName.default('P-256'),
  /** The issuing authority's where absent. */
  rootAlgorithm: KeyAlgorithmName.optional(),
  rootYears: Years.default(defaultYears.root),
  /** Never beyond the end of the root. */
  issuingYears: Years.default(defaultYears.subordinate),
})

export type AuthorityDraft = z.output<typeof AuthorityDraft>

export const SetupDraft = z.object({
  tenancyName: Line(100),
  bannerColour: Colour.default(defaultColour),
  supportEmail: SupportEmail,
  administrator: Administrator.extend({ password: z.string().max(1000) }),
  authority: AuthorityDraft.optional(),
})

const setupFaults = {
  linkUsed: { status: 404, says: 'This set-up link has been used or has expired. Start Chancery again for a new one' },
  nameTaken: { status: 409, says: 'A tenancy with this name exists', field: 'name', constraint: 'tenancies_by_name' },
  usernameTaken: { status: 409, says: 'This username is taken', field: 'administrator.username' },
} as const

export const setup = contract({
  area: 'setup',
  title: 'Set-up',
  screens: {
    bootstrap: { path: '/bootstrapmode', needs: 'public', title: 'Set up Chancery', shell: 'public' },
    addTenancy: { path: newTenancyPath, needs: 'tenancyConfig', title: 'New tenancy', parent: 'tenancy.list' },
  },
  calls: {
    check: {
      does: 'Says whether a set-up link is good, to whoever has it.',
      method: 'POST',
      path: '/api2/IDM-v1/CheckSetupLink',
      needs: 'public',
      reads: true,
      input: z.object({ token: z.string().max(200) }),
      /** That a link has been used or has expired is an answer, not a fault. */
      output: z.discriminatedUnion('usable', [
        z.object({ usable: z.literal(true), pkiUrl: z.string(), expiresAt: Instant }),
        z.object({ usable: z.literal(false) }),
      ]),
      limit: 'publicLink',
    },
    /** What is wrong with a password, before the last step; `says` is empty where nothing is. */
    judgePassword: {
      does: 'Says what is wrong with a password for the first administrator; it is kept nowhere.',
      method: 'POST',
      path: '/api2/IDM-v1/JudgeSetupPassword',
      needs: 'public',
      reads: true,
      input: z.object({ token: z.string().max(200), password: z.string().max(1000), own: z.array(z.string().max(200)).max(5).default([]) }),
      output: z.object({ says: z.string() }),
      faults: setupFaults,
      limit: 'publicLink',
    },
    run: {
      does: 'Sets the installation up, once, by its link: the first tenancy, its administrator and, where wanted, its authorities. Answers the second factor, once.',
      title: 'Set up Chancery',
      method: 'POST',
      path: '/api2/IDM-v1/Setup',
      needs: 'public',
      input: SetupDraft.extend({ token: z.string().max(200) }),
      output: z.object({
        tenancyId: Id,
        userId: Id,
        authorities: z.array(z.object({ caId: Id, name: z.string() })),
        /** What was not made, in words; empty when all went well. */
        problem: z.string(),
        qr: z.string(),
        otpauth: z.string(),
        secret: z.string(),
        recovery_codes: z.array(z.string()),
      }),
      failed: 'Chancery was not set up',
      faults: setupFaults,
      ownTransactions: true,
      limit: 'publicLink',
    },
    addTenancy: {
      does: 'Makes a managed tenancy with its first administrator; answers their ids and the activation link. In the management tenancy only.',
      title: 'Create a tenancy',
      method: 'POST',
      path: '/api2/IDM-v1/Tenancy',
      needs: 'tenancyConfig',
      home: true,
      input: z.object({
        name: Line(100),
        bannerColour: Colour.default(defaultColour),
        supportEmail: SupportEmail,
        /** Stands in the list of allowed domains from the beginning, to be proved there. */
        domain: OptionalLine(253),
        administrator: Administrator,
      }),
      output: z.object({ oid: Id, userId: Id, activationLink: z.string(), expiresAt: Instant, postCompletionAction: z.string() }),
      done: 'The tenancy was created',
      failed: 'The tenancy was not created',
      faults: {
        ...setupFaults,
        notADomain: { status: 400, says: 'Enter a domain such as example.com', field: 'domain' },
        notManagement: { status: 403, says: 'Only the management tenancy creates tenancies' },
      },
    },
  },
  events: {
    done: { says: 'Set up Chancery', body: z.object({ tenancyId: Id }) },
    templatesMade: { says: 'Created the default templates', body: z.object({ caId: Id, templates: z.array(z.string()) }) },
    tenancyAdded: { says: 'Created the tenancy', body: z.object({ tenancyId: Id, userId: Id, domain: z.string().optional() }) },
    administratorAdded: { says: 'Added the first administrator', body: z.object({ tenancyId: Id, userId: Id }) },
    /** Somebody of the management tenancy came in; `switchId` is the event in the log that they came from. */
    visited: { says: 'Came in from another tenancy', body: z.object({ switchId: Id }) },
    /** Somebody of the management tenancy went out again. */
    left: { says: 'Went back to another tenancy', body: z.object({ switchId: Id }) },
    restored: { says: 'Restored a backup', body: z.object({ backupMadeAt: Instant, checkpoint: z.string() }) },
  },
})
