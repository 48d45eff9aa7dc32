// Where a role is used beside the people who have it: what names it keeps it from being deleted.

export const roleUses = {
  parts: { label: 'Given in parts of the organisations' },
  providers: { label: 'Rules of single sign-on' },
  groups: { label: 'Groups of an identity provider' },
  directories: { label: 'Groups of a directory' },
  registration: { label: 'Given at registration' },
  enrolment: { label: 'Rules of auto-enrolment' },
  applications: { label: 'Applications that it owns' },
} as const
