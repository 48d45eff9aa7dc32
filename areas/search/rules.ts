// What is found besides by lists of its own: the types, in the order that people look for them.

export const recordTypes = ['certificate', 'user', 'role', 'authority'] as const
export type RecordType = (typeof recordTypes)[number]

/** Plural words for a heading. */
export const recordWords: { readonly [T in RecordType]: string } = {
  certificate: 'Certificates',
  user: 'Users',
  role: 'Roles',
  authority: 'Authorities',
}

export const mostRecords = 100
export const mostViews = 200
