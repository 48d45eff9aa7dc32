// The kinds of challenge by their names in the registry (RFC 8555 9.7.8), apart from what answers them: contracts and screens name them, too.

export const challengeTypes = ['http-01', 'dns-01', 'tls-alpn-01', 'dns-account-01', 'dns-persist-01', 'device-attest-01'] as const
export type ChallengeType = (typeof challengeTypes)[number]
