// The rooms, ground floor first. A room may use only rooms listed before it.

export const order = [
  'audit',
  'tenancy',
  'mail',
  'roles',
  'users',
  'domains',
  'branding',
  'organisations',
  'sponsors',
  'sessions',
  'passkeys',
  'questions',
  'recovery',
  'registration',
  'keys',
  'configuration',
  'sso',
  'authorities',
  'templates',
  'licensing',
  'approvals',
  'archive',
  'bulk',
  'profiles',
  'certificates',
  'enrolment',
  'portal',
  'revocation',
  'renewal',
  'imports',
  'decoder',
  'acme',
  'ordering',
  'tickets',
  'workflow',
  'search',
  'visualiser',
  'reporting',
  'health',
  'jobs',
  'preferences',
  'selfservice',
  'home',
  'setup',
] as const

declare module '#core/contract/area.ts' {
  interface Register {
    areas: (typeof order)[number]
  }
}
