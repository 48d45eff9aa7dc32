// The names of the algorithms of TSIG, apart from what signs: contracts and screens name them, too.

export const tsigAlgorithmNames = ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'] as const
export type TsigAlgorithm = (typeof tsigAlgorithmNames)[number]
