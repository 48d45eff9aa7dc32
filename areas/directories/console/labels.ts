// The words for what a plan holds and how a run stands.

export const changeLabels = {
  new: { of: 'active', label: 'New' },
  changed: { of: 'draft', label: 'Changed' },
  enabled: { of: 'active', label: 'Enabled again' },
  disabled: { of: 'disabled', label: 'Disabled in the directory' },
  missing: { of: 'warning', label: 'Missing in the directory' },
  conflict: { of: 'failed', label: 'Conflict' },
} as const

export const runLabels = {
  planned: { of: 'pending', label: 'Waits for approval' },
  held: { of: 'onHold', label: 'Held' },
  running: { of: 'issuing', label: 'Running' },
  done: { of: 'done', label: 'Done' },
  failed: { of: 'failed', label: 'Failed' },
  discarded: { of: 'cancelled', label: 'Discarded' },
} as const

export const kindLabels = { ldap: { label: 'LDAP' }, activeDirectory: { label: 'Active Directory' }, entra: { label: 'Entra ID' } } as const

export const actionLabels = {
  create: { label: 'Create an account' },
  update: { label: 'Write attributes' },
  enable: { label: 'Enable the account' },
  disable: { label: 'Disable the account' },
  move: { label: 'Move the account' },
  join: { label: 'Add to a group' },
  leave: { label: 'Remove from a group' },
  delete: { label: 'Delete the account' },
} as const

export const trialLabels = {
  connect: { label: 'Reach the server' },
  encrypt: { label: 'Encrypt the connection' },
  signIn: { label: 'Sign in' },
  base: { label: 'Find the base' },
  filter: { label: 'Read people by the filter' },
} as const

export const writeLabels = {
  planned: { of: 'pending', label: 'Planned' },
  running: { of: 'issuing', label: 'Begun' },
  done: { of: 'done', label: 'Done' },
  failed: { of: 'failed', label: 'Failed' },
} as const
