import * as z from 'zod'
import { RoleChoice } from '#areas/roles/role-choice.ts'
import { Brand } from '#areas/sessions/brand-shape.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, pageOf, PageQuery } from '#core/contract/shapes.ts'
import { modes, states } from './rules.ts'

/** What the mailed link says. */
const Link = z.object({ tenantId: Id, token: z.string().max(200).default('') })

const linkFaults = {
  linkUsed: { status: 404, says: 'Failed to verify email: this link has been used, has expired, or is not whole. Register again' },
  closed: { status: 409, says: 'Failed to verify email: registration is closed for this address by now' },
} as const

export const registration = contract({
  area: 'registration',
  title: 'Registration',
  screens: {
    register: { path: '/register', needs: 'public', title: 'Register', shell: 'public' },
    finish: { path: '/finish-register', needs: 'public', title: 'Finish your registration', shell: 'public' },
    settings: {
      path: '/config/registration',
      needs: 'tenancyConfig',
      title: 'Registration',
      also: 'sign up, self-registration, create account',
      menu: { group: 'settings', entry: 'signIn', tab: 'Registration', place: 60 },
    },
    list: {
      path: '/identity/user/registrations',
      needs: 'userAdd',
      title: 'Registrations',
      also: 'who wants an account, approve a person',
      menu: { group: 'people', entry: 'users', tab: 'Registrations', place: 60 },
    },
  },
  calls: {
    register: {
      does: 'Asks for an account for an e-mail address. The answer is the same whatever comes of it; where it is open to the address, a mail with a link follows.',
      title: 'Ask for an account',
      method: 'POST',
      path: '/api2/IDM-v1/Register',
      needs: 'public',
      input: z.object({
        givenName: Line(80),
        familyName: Line(80),
        emailAddress: z
          .string()
          .trim()
          .max(254)
          .pipe(z.email('Enter an e-mail address'))
          .meta({ examples: ['ada@example.org'] }),
        /** Of the address that a tenancy hands out; empty where the domain of the e-mail address tells which tenancy it is. */
        code: z.string().trim().max(200).default(''),
      }),
      output: z.object({}),
      failed: 'The account was not asked for',
      limit: 'publicLink',
    },
    verify: {
      does: 'Proves an e-mail address by the mailed link; answers whose tenancy it is and what follows: an account at once, a decision, or neither because there is an account.',
      title: 'Verify a registration email',
      method: 'POST',
      path: '/api2/IDM-v1/VerifyRegistrationEmail',
      needs: 'public',
      input: Link,
      output: z.object({
        outcome: z.enum(['atOnce', 'approval', 'known']),
        emailAddress: z.string(),
        tenancyName: z.string(),
        brand: Brand,
        disclaimer: z.string(),
      }),
      failed: 'Failed to verify email',
      faults: linkFaults,
      limit: 'publicLink',
    },
    finish: {
      does: 'Uses the mailed link up: makes the account and answers its activation token, once, or puts the registration before those who decide.',
      title: 'Finish a registration',
      method: 'POST',
      path: '/api2/IDM-v1/FinishRegistration',
      needs: 'public',
      input: Link,
      output: z.discriminatedUnion('outcome', [
        z.object({ outcome: z.literal('active'), username: z.string(), activationToken: z.string() }),
        z.object({ outcome: z.literal('waiting') }),
      ]),
      failed: 'The registration was not finished',
      faults: {
        ...linkFaults,
        known: { status: 409, says: 'There is an account with this address already. Sign in with it', constraint: 'users_by_email' },
      },
      ownTransactions: true,
      unstored: true,
      limit: 'publicLink',
    },
    settings: {
      does: 'Answers whether people may register by themselves, how, which roles they get, and the address to hand out.',
      method: 'GET',
      path: '/api2/IDM-v1/RegistrationSettings',
      needs: 'tenancyConfig',
      input: z.object({}),
      output: z.object({
        mode: z.enum(modes),
        roleIds: z.array(Id),
        /** The roles that can be given. */
        roles: z.array(RoleChoice),
        domains: z.array(z.string()),
        address: z.string().optional(),
      }),
    },
    changeSettings: {
      does: 'Opens or closes registration and says which roles its people get: none beyond those of the caller. Answers nothing.',
      title: 'Change the registration settings',
      method: 'PUT',
      path: '/api2/IDM-v1/RegistrationSettings',
      needs: 'tenancyConfig',
      input: z.object({ mode: z.enum(modes), roleIds: z.array(Id).max(20).default([]) }),
      output: z.object({}),
      done: 'Registration settings saved',
      failed: 'The registration settings were not saved',
      faults: {
        beyond: { status: 403, says: 'You cannot give roles with more than you hold yourself: {permissions}', field: 'roleIds' },
        unknownRole: { status: 400, says: 'One of the roles does not exist', field: 'roleIds' },
      },
    },
    renewAddress: {
      does: 'Gives the registration page of the tenancy a new address; the one before ends. Answers the new one.',
      title: 'Give the registration page a new address',
      method: 'POST',
      path: '/api2/IDM-v1/RegistrationAddress',
      needs: 'tenancyConfig',
      input: z.object({}),
      output: z.object({ address: z.string() }),
      done: 'The registration page has a new address',
      failed: 'The registration page got no new address',
    },
    search: {
      does: 'Lists the registrations of the tenancy by state and text, the newest first.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchRegistrations',
      needs: 'userAdd',
      reads: true,
      input: PageQuery.extend({ state: z.enum(states).optional() }),
      output: pageOf(
        z.object({
          id: Id,
          givenName: z.string(),
          familyName: z.string(),
          emailAddress: z.string(),
          state: z.enum(states),
          askedAt: Instant,
          decidedBy: z.string(),
          userId: Id.optional(),
        }),
      ),
    },
    decide: {
      does: 'Approves or denies a registration that waits. Who is approved gets an account with the roles of the settings and a mail with the activation link.',
      title: 'Decide on a registration',
      method: 'PATCH',
      path: '/api2/IDM-v1/Registration',
      needs: 'userAdd',
      input: z.object({ id: Id, approve: z.boolean() }),
      output: z.object({ userId: Id.optional() }),
      failed: 'The registration was not decided',
      faults: {
        decided: { status: 409, says: 'This registration does not wait any more' },
        beyond: { status: 403, says: 'The settings give registered people more than you hold yourself: {permissions}' },
        emailTaken: { status: 409, says: 'Somebody here has this e-mail address already', constraint: 'users_by_email' },
      },
    },
  },
  jobs: {
    send: { title: 'Send registration links', every: '* * * * *' },
    clean: { title: 'Remove old registrations', every: '23 * * * *' },
  },
  events: {
    linkSent: { says: 'Sent a registration link', body: z.object({ registrationId: Id }) },
    verified: { says: 'Verified a registration email', body: z.object({ registrationId: Id }) },
    waits: { says: 'Asked for an account', body: z.object({ registrationId: Id }) },
    registered: { says: 'Registered', body: z.object({ registrationId: Id, userId: Id }) },
    approved: { says: 'Approved a registration', body: z.object({ registrationId: Id, userId: Id }) },
    denied: { says: 'Denied a registration', body: z.object({ registrationId: Id }) },
    settingsChanged: { says: 'Changed the registration settings', body: z.object({ mode: z.enum(modes), roles: z.array(z.string()) }) },
    addressRenewed: { says: 'Gave the registration page a new address', body: z.object({}) },
  },
})
