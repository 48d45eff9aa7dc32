// Protocols that begin in the clear and go on encrypted. By itself, because the console knows their names and none of their bytes.

export const startTlsKinds = ['smtp', 'imap', 'pop3', 'ftp', 'ldap', 'xmpp', 'postgresql', 'mysql'] as const
export type StartTlsKind = (typeof startTlsKinds)[number]
