// What goes with an account that is deleted, in the words in which the question before it says so.

export const removalKinds = {
  memberships: { label: 'Memberships in organisations' },
  partRoles: { label: 'Roles in parts of the organisations' },
  tokens: { label: 'API tokens' },
} as const

export type RemovalKind = keyof typeof removalKinds
