// What both sides know of passkeys at a provider.

/** `deleting` until the provider says that it is gone; `gone` rows stay for the record. */
export const credentialStates = ['present', 'marked', 'deleting', 'gone'] as const
export type CredentialState = (typeof credentialStates)[number]

export const stateLabels: Readonly<Record<CredentialState, { label: string; kind: string }>> = {
  present: { label: 'Present', kind: 'active' },
  marked: { label: 'Marked for deletion', kind: 'warning' },
  deleting: { label: 'Being deleted', kind: 'pending' },
  gone: { label: 'Deleted', kind: 'disabled' },
}

/** Microsoft Graph puts so many requests into one. */
export const batchSize = 20
/** So many people are asked for at once: a page is begun again where it was left. */
export const pageSize = 200
export const mostRetries = 5
export const longestWaitSeconds = 60

/** What a provider needs of us: reading and deleting of passkeys, and reading of people. */
export const neededPermissions = ['UserAuthMethod-Passkey.ReadWrite.All', 'User.Read.All'] as const
export const defaultAddresses = { loginUrl: 'https://login.microsoftonline.com', graphUrl: 'https://graph.microsoft.com' } as const
