import * as z from 'zod'
import { activationPath } from '#areas/users/activation-path.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, pageOf, PageQuery } from '#core/contract/shapes.ts'
import { longestTokenDays } from './rules.ts'

const Permission = z.object({
  View: z.array(z.string()).default([]),
  Menu: z.array(z.string()).default([]),
  activeMenu: z.array(z.string()).default([]),
  api: z.array(z.string()).default([]),
  roles: z.array(z.string()).default([]),
  isManager: z.boolean().default(false),
})

/** The viewer as the specification lists it, with the tenancy that the session works in. */
export const ViewerDetails = z.object({
  username: z.string(),
  id: Id,
  allRoles: z.array(z.string()),
  allOrgs: z.array(z.string()),
  allSponsors: z.array(z.string()),
  names: z.object({ givenName: z.string(), familyName: z.string() }),
  emailAddress: z.string(),
  telephoneNumber: z.string(),
  organisation: z.string(),
  roles: z.array(z.string()),
  permission: Permission,
  membership: z.array(z.string()),
  certSerialNumbers: z.array(z.string()),
  credentials: z.array(z.string()),
  loginDetails: z.object({ failedLogins: z.number().int(), lastSuccessfulLogin: Instant.optional(), lastFailedLogin: Instant.optional() }),
  metadata: z.record(z.string(), z.string()),
  enabled: z.boolean(),
  title: z.string(),
  locality: z.string(),
  tenantId: Id,
  tenantName: z.string(),
  homeTenantId: Id,
  managed: z.array(z.object({ id: Id, name: z.string(), colour: z.string() })),
  /** Works in the management tenancy and belongs to it: sees what is of the whole installation. */
  management: z.boolean().default(false),
})

/** A code is still needed. With `qr` it is the first time: the person enrols now. */
export const FurtherAuthentication = z.object({
  further_required_auth: z.string(),
  qr: z.string().optional(),
  secret: z.string().optional(),
  recovery_codes: z.array(z.string()).optional(),
})

const Passcode = z.string().trim().min(6, 'Enter the code').max(40, 'A code has six digits')
const Password = z.string().max(1000, 'Use at most 1000 characters')
const Enrolment = z.object({
  issuer: z.string(),
  accountName: z.string(),
  secret: z.string(),
  qr: z.string(),
  recovery_codes: z.array(z.string()),
})

const SignInHistory = z.object({
  rows: z.array(z.object({ id: Id, at: Instant, name: z.string(), outcome: z.enum(['done', 'refused', 'failed']), address: z.string() })),
})

const signInFaults = {
  refused: { status: 403, says: 'Check Username and Password' },
  wrongCode: { status: 403, says: 'Failed to validate MFA token' },
  noAttempt: { status: 409, says: 'Enter your username and password first' },
} as const

export const sessions = contract({
  area: 'sessions',
  screens: {
    login: { path: '/login', needs: 'public', title: 'Sign in', shell: 'public' },
    activate: { path: activationPath, needs: 'public', title: 'Activate your account', shell: 'public' },
    account: { path: '/self/account', needs: 'signedIn', title: 'My account' },
    changePassword: { path: '/self/changePassword', needs: 'changePassword', title: 'Change password' },
    tokens: { path: '/self/tokens', needs: 'signedIn', title: 'API tokens' },
  },
  calls: {
    bootstrap: {
      method: 'GET',
      path: '/api2/IDM-v1/Bootstrap',
      needs: 'public',
      packed: true,
      input: z.object({}),
      output: z.object({
        signedIn: z.boolean(),
        viewer: ViewerDetails.optional(),
        tenancy: z.object({
          name: z.string(),
          bannerColour: z.string().optional(),
          toastTimeout: z.string().optional(),
          supportEmail: z.string(),
          salesEmail: z.string(),
        }),
        disclaimer: z.string().optional(),
        version: z.string(),
        sessionExpiresAt: Instant.optional(),
        setupNeeded: z.boolean(),
      }),
    },
    login: {
      method: 'POST',
      path: '/api2/Authentication-v1/login',
      needs: 'public',
      input: z.object({
        username: z
          .string()
          .max(200)
          .transform((name) => name.trim()),
        password: Password,
      }),
      output: z.union([z.array(ViewerDetails), FurtherAuthentication]),
      failed: 'Sign-in failed',
      faults: signInFaults,
      ownTransactions: true,
      floor: 'signIn',
    },
    TOTPAuth: {
      method: 'POST',
      path: '/api2/Authentication-v1/TOTPAuth',
      needs: 'public',
      input: z.object({ passcode: Passcode }),
      output: z.array(ViewerDetails),
      failed: 'Sign-in failed',
      faults: signInFaults,
      ownTransactions: true,
      floor: 'code',
    },
    legacyLogin: {
      method: 'GET',
      path: '/api/login',
      needs: 'signedIn',
      tokens: 'any',
      home: true,
      input: z.object({}),
      output: z.array(ViewerDetails),
    },
    legacyLogout: { method: 'POST', path: '/api/logout', needs: 'public', input: z.object({}), output: z.object({}), reads: true },
    logout: { method: 'POST', path: '/api2/Authentication-v1/logout', needs: 'public', input: z.object({}), output: z.object({}) },
    checkSession: {
      method: 'POST',
      path: '/api2/Authentication-v1/check-session',
      needs: 'signedIn',
      tokens: 'any',
      home: true,
      reads: true,
      input: z.object({}),
      output: z.object({ sessionCookies: z.array(z.object({ name: z.string(), expires: Instant })) }),
    },
    refreshSession: {
      method: 'POST',
      path: '/api2/Authentication-v1/refresh-session',
      needs: 'signedIn',
      tokens: 'any',
      home: true,
      reads: true,
      input: z.object({}),
      output: z.object({ expiresAt: Instant }),
    },
    disclaimer: {
      method: 'GET',
      path: '/api2/Authentication-v1/Disclaimer',
      needs: 'public',
      input: z.object({}),
      output: z.object({ disclaimer: z.string() }),
    },
    switchTenancy: {
      method: 'POST',
      path: '/api2/Authentication-v1/SwitchTenancy',
      /** Held at home: what one may do there, one may do in every tenancy that it manages. */
      needs: 'tenancyConfig',
      home: true,
      input: z.object({ tenantId: Id }),
      output: z.object({}),
      failed: 'The tenancy was not switched',
    },
    readActivation: {
      method: 'POST',
      path: '/api2/Authentication-v1/ReadActivationLink',
      needs: 'public',
      reads: true,
      input: z.object({ token: z.string().max(200) }),
      /** That a link has been used or has expired is an answer, not a fault. */
      output: z.discriminatedUnion('usable', [
        z.object({ usable: z.literal(true), username: z.string(), givenName: z.string(), tenancyName: z.string() }),
        z.object({ usable: z.literal(false) }),
      ]),
      floor: 'publicLink',
    },
    activate: {
      method: 'POST',
      path: '/api2/Authentication-v1/ActivateAccount',
      needs: 'public',
      input: z.object({ token: z.string().max(200), password: Password }),
      output: FurtherAuthentication,
      failed: 'The account was not activated',
      faults: { linkUsed: { status: 404, says: 'This link has been used or has expired. Ask your administrator for a new one' } },
      ownTransactions: true,
      floor: 'publicLink',
    },
    changePassword: {
      method: 'POST',
      path: '/api2/Authentication-v1/ChangePassword',
      needs: 'changePassword',
      tokens: 'never',
      home: true,
      input: z.object({ oldPassword: Password, newPassword: Password }),
      output: z.object({}),
      done: 'Your password is changed. Your other sessions and your API tokens have ended',
      failed: 'Your password was not changed',
      faults: { wrongPassword: { status: 403, says: 'This is not your password' } },
      ownTransactions: true,
      floor: 'code',
    },
    /** The newest sign-ins of one's own account, and what changed about signing in. */
    ownHistory: {
      method: 'GET',
      path: '/api2/Authentication-v1/OwnSignInHistory',
      needs: 'signedIn',
      home: true,
      input: z.object({}),
      output: SignInHistory,
      failed: 'The sign-in history could not be read',
    },
    history: {
      method: 'GET',
      path: '/api2/Authentication-v1/SignInHistory',
      needs: 'userView',
      input: z.object({ userId: Id }),
      output: SignInHistory,
      failed: 'The sign-in history could not be read',
    },
    mfaStatus: {
      method: 'GET',
      path: '/api2/Authentication-v1/MFAStatus',
      needs: 'signedIn',
      tokens: ['userView'],
      input: z.object({ userId: Id }),
      output: z.object({ isEnabled: z.boolean(), isSecretSet: z.boolean(), isRequired: z.boolean() }),
    },
    /** Starts a person's codes anew: the next sign-in shows a QR. The person's sessions and API tokens end. */
    mfaReset: {
      method: 'POST',
      path: '/api2/Authentication-v1/MFAReset',
      needs: 'userEdit',
      input: z.object({ userId: Id }),
      output: z.object({}),
      done: 'The code is reset. The next sign-in shows a new QR',
      failed: 'The code was not reset',
      faults: { beyond: { status: 403, says: 'This person holds more than you do' } },
    },
    /** A new secret for the signed-in person, valid once a code of it was given to TOTPAuth. */
    mfaEnrol: {
      method: 'POST',
      path: '/api2/Authentication-v1/MFAEnrol',
      needs: 'signedIn',
      tokens: 'never',
      home: true,
      input: z.object({ password: Password }),
      output: Enrolment,
      failed: 'The new code was not set up',
      faults: { wrongPassword: { status: 403, says: 'This is not your password' } },
      ownTransactions: true,
      unkept: true,
      floor: 'code',
    },
    searchTokens: {
      method: 'POST',
      path: '/api2/Authentication-v1/SearchTokens',
      needs: 'signedIn',
      tokens: 'never',
      home: true,
      reads: true,
      input: PageQuery,
      output: pageOf(
        z.object({
          id: Id,
          name: z.string(),
          scopes: z.array(z.string()),
          createdAt: Instant,
          expiresAt: Instant,
          lastUsedAt: Instant.optional(),
        }),
      ),
    },
    addToken: {
      method: 'POST',
      path: '/api2/Authentication-v1/Token',
      needs: 'signedIn',
      tokens: 'never',
      home: true,
      input: z.object({
        name: Line(80),
        scopes: z.array(z.string()).max(100).default([]),
        days: z.number().int().min(1).max(longestTokenDays),
        password: Password,
      }),
      output: z.object({ id: Id, token: z.string(), expiresAt: Instant }),
      failed: 'The token was not made',
      faults: {
        beyond: { status: 403, says: 'A token cannot do more than you can' },
        wrongPassword: { status: 403, says: 'This is not your password' },
      },
      ownTransactions: true,
      floor: 'code',
    },
    removeToken: {
      method: 'DELETE',
      path: '/api2/Authentication-v1/Token',
      needs: 'signedIn',
      tokens: 'never',
      home: true,
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The token is revoked',
      failed: 'The token was not revoked',
    },
  },
  events: {
    passwordAccepted: z.object({ userId: Id }),
    signedIn: z.object({ userId: Id, method: z.enum(['code', 'recoveryCode']) }),
    signInFailed: z.object({ userId: Id, step: z.enum(['password', 'code']) }),
    signedOut: z.object({ userId: Id }),
    /** `from`: the tenancy that was left. */
    switched: z.object({ userId: Id, tenantId: Id, from: Id.optional() }),
    activated: z.object({ userId: Id }),
    passwordChanged: z.object({ userId: Id }),
    codeOffered: z.object({ userId: Id }),
    codeEnrolled: z.object({ userId: Id }),
    codeReset: z.object({ userId: Id }),
    tokenAdded: z.object({ tokenId: Id, name: z.string(), scopes: z.array(z.string()) }),
    tokenRemoved: z.object({ tokenId: Id }),
  },
})
