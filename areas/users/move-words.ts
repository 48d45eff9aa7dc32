// What goes over where two accounts of one person are merged, in the words in which the question before it says so.

export const moveKinds = {
  memberships: { label: 'Memberships in organisations' },
  identities: { label: 'Ways in by single sign-on' },
  directory: { label: 'The account in a directory' },
  scim: { label: 'The account at an identity provider' },
  devices: { label: 'Devices' },
} as const

export type MoveKind = keyof typeof moveKinds
export const isMoveKind = (kind: string): kind is MoveKind => kind in moveKinds
