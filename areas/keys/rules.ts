// The kinds of key that can be made here. One table: what people call them, how long they count as strong, whether signing is quick enough
// to be done in place, and whether today's clients know them. Keys that sign can be an authority's; keys that only exchange keys are for
// holders of certificates.

import * as z from 'zod'

type Row = {
  label: string
  /** RSA and EC have many sizes; every other algorithm is a family of its own, by its name in standards/ */
  family: string
  bits: number
  securityBits: number
  /** signed with in place; the others in the thread pool */
  quick: boolean
  /** what verifies it: every client of today, some of them, or only what knows post-quantum algorithms */
  clients: 'all' | 'some' | 'postQuantum'
  hint: string
}

const rsa = { family: 'RSA', quick: false, clients: 'all' } as const
const ec = { family: 'EC', quick: true, clients: 'all' } as const
const rareEc = { family: 'EC', quick: false, clients: 'some' } as const
const postQuantum = { quick: false, clients: 'postQuantum' } as const
const small = 'Post-quantum by hashes alone. Signatures take about a second.'
const fast = 'Post-quantum by hashes alone. Quicker to sign with, and twice as large.'

export const keyAlgorithms = {
  'RSA-2048': { ...rsa, label: 'RSA 2048', bits: 2048, securityBits: 112, hint: 'Understood by everything. Not recommended beyond 2030.' },
  'RSA-3072': { ...rsa, label: 'RSA 3072', bits: 3072, securityBits: 128, hint: 'Understood by everything, slower to sign with.' },
  'RSA-4096': { ...rsa, label: 'RSA 4096', bits: 4096, securityBits: 140, hint: 'For long-lived roots that old devices must trust.' },
  'P-256': { ...ec, label: 'EC P-256', bits: 256, securityBits: 128, hint: 'Small and quick, understood by everything current.' },
  'P-384': {
    ...ec,
    quick: false,
    label: 'EC P-384',
    bits: 384,
    securityBits: 192,
    hint: 'Stronger than P-256, asked for by some governments.',
  },
  'P-521': {
    ...rareEc,
    label: 'EC P-521',
    bits: 521,
    securityBits: 256,
    hint: 'The strongest of the NIST curves. Browsers do not accept it in servers.',
  },
  Ed25519: {
    label: 'Ed25519',
    family: 'Ed25519',
    bits: 256,
    securityBits: 128,
    quick: true,
    clients: 'all',
    hint: 'The quickest. Browsers and Windows do not accept it yet.',
  },
  Ed448: {
    label: 'Ed448',
    family: 'Ed448',
    bits: 456,
    securityBits: 224,
    quick: false,
    clients: 'some',
    hint: 'Stronger than Ed25519, and known to fewer clients.',
  },
  brainpoolP256r1: {
    ...rareEc,
    label: 'EC Brainpool P256r1',
    bits: 256,
    securityBits: 128,
    hint: 'A European curve, asked for by German authorities.',
  },
  brainpoolP384r1: {
    ...rareEc,
    label: 'EC Brainpool P384r1',
    bits: 384,
    securityBits: 192,
    hint: 'A European curve, asked for by German authorities.',
  },
  brainpoolP512r1: {
    ...rareEc,
    label: 'EC Brainpool P512r1',
    bits: 512,
    securityBits: 256,
    hint: 'A European curve, asked for by German authorities.',
  },
  secp256k1: {
    ...rareEc,
    label: 'EC secp256k1',
    bits: 256,
    securityBits: 128,
    hint: 'The curve of the blockchains. Browsers do not know it.',
  },
  'ML-DSA-44': {
    ...postQuantum,
    label: 'ML-DSA-44',
    family: 'ML-DSA-44',
    bits: 10_496,
    securityBits: 128,
    hint: 'Post-quantum. A certificate takes about 4 KB.',
  },
  'ML-DSA-65': {
    ...postQuantum,
    label: 'ML-DSA-65',
    family: 'ML-DSA-65',
    bits: 15_616,
    securityBits: 192,
    hint: 'Post-quantum, the usual choice. A certificate takes about 6 KB.',
  },
  'ML-DSA-87': {
    ...postQuantum,
    label: 'ML-DSA-87',
    family: 'ML-DSA-87',
    bits: 20_736,
    securityBits: 256,
    hint: 'Post-quantum, the strongest of ML-DSA, asked for by CNSA 2.0.',
  },
  'SLH-DSA-SHA2-128s': {
    ...postQuantum,
    label: 'SLH-DSA-SHA2-128s',
    family: 'SLH-DSA-SHA2-128s',
    bits: 256,
    securityBits: 128,
    hint: small,
  },
  'SLH-DSA-SHA2-128f': {
    ...postQuantum,
    label: 'SLH-DSA-SHA2-128f',
    family: 'SLH-DSA-SHA2-128f',
    bits: 256,
    securityBits: 128,
    hint: fast,
  },
  'SLH-DSA-SHA2-192s': {
    ...postQuantum,
    label: 'SLH-DSA-SHA2-192s',
    family: 'SLH-DSA-SHA2-192s',
    bits: 384,
    securityBits: 192,
    hint: small,
  },
  'SLH-DSA-SHA2-192f': {
    ...postQuantum,
    label: 'SLH-DSA-SHA2-192f',
    family: 'SLH-DSA-SHA2-192f',
    bits: 384,
    securityBits: 192,
    hint: fast,
  },
  'SLH-DSA-SHA2-256s': {
    ...postQuantum,
    label: 'SLH-DSA-SHA2-256s',
    family: 'SLH-DSA-SHA2-256s',
    bits: 512,
    securityBits: 256,
    hint: small,
  },
  'SLH-DSA-SHA2-256f': {
    ...postQuantum,
    label: 'SLH-DSA-SHA2-256f',
    family: 'SLH-DSA-SHA2-256f',
    bits: 512,
    securityBits: 256,
    hint: fast,
  },
  'SLH-DSA-SHAKE-128s': {
    ...postQuantum,
    label: 'SLH-DSA-SHAKE-128s',
    family: 'SLH-DSA-SHAKE-128s',
    bits: 256,
    securityBits: 128,
    hint: small,
  },
  'SLH-DSA-SHAKE-128f': {
    ...postQuantum,
    label: 'SLH-DSA-SHAKE-128f',
    family: 'SLH-DSA-SHAKE-128f',
    bits: 256,
    securityBits: 128,
    hint: fast,
  },
  'SLH-DSA-SHAKE-192s': {
    ...postQuantum,
    label: 'SLH-DSA-SHAKE-192s',
    family: 'SLH-DSA-SHAKE-192s',
    bits: 384,
    securityBits: 192,
    hint: small,
  },
  'SLH-DSA-SHAKE-192f': {
    ...postQuantum,
    label: 'SLH-DSA-SHAKE-192f',
    family: 'SLH-DSA-SHAKE-192f',
    bits: 384,
    securityBits: 192,
    hint: fast,
  },
  'SLH-DSA-SHAKE-256s': {
    ...postQuantum,
    label: 'SLH-DSA-SHAKE-256s',
    family: 'SLH-DSA-SHAKE-256s',
    bits: 512,
    securityBits: 256,
    hint: small,
  },
  'SLH-DSA-SHAKE-256f': {
    ...postQuantum,
    label: 'SLH-DSA-SHAKE-256f',
    family: 'SLH-DSA-SHAKE-256f',
    bits: 512,
    securityBits: 256,
    hint: fast,
  },
} as const satisfies Record<string, Row>

export type KeyAlgorithm = keyof typeof keyAlgorithms

export const keyAlgorithmNames = Object.keys(keyAlgorithms) as KeyAlgorithm[]

export type CommonKeyAlgorithm = { [K in KeyAlgorithm]: (typeof keyAlgorithms)[K]['clients'] extends 'all' ? K : never }[KeyAlgorithm]

/** Those that every client of today verifies. */
export const commonKeyAlgorithms = keyAlgorithmNames.filter((name): name is CommonKeyAlgorithm => keyAlgorithms[name].clients === 'all')

export const KeyAlgorithmName = z.enum(keyAlgorithmNames, 'Choose one of the key types')

export const isKeyAlgorithm = (name: string): name is KeyAlgorithm => Object.hasOwn(keyAlgorithms, name)

/** Keys that agree on keys or take them in, and never sign: made for holders of certificates, whose requests could prove nothing. */
export const exchangeKeyNames = ['X25519', 'X448', 'ML-KEM-512', 'ML-KEM-768', 'ML-KEM-1024'] as const
export type ExchangeKey = (typeof exchangeKeyNames)[number]

/** Every kind of key that is made here for the holder of a certificate. */
export type HolderKey = KeyAlgorithm | ExchangeKey
export const isHolderKey = (name: string): name is HolderKey => isKeyAlgorithm(name) || exchangeKeyNames.some((each) => each === name)
