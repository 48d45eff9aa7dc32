// The kinds of key that can be made here. One table: what people call them, how long they count as strong, and whether signing is quick
// enough to be done in place.

import * as z from 'zod'

export const keyAlgorithms = {
  'RSA-2048': { label: 'RSA 2048', family: 'RSA', bits: 2048, securityBits: 112, quick: false, hint: 'Understood by everything. Not recommended beyond 2030.' },
  'RSA-3072': { label: 'RSA 3072', family: 'RSA', bits: 3072, securityBits: 128, quick: false, hint: 'Understood by everything, slower to sign with.' },
  'RSA-4096': { label: 'RSA 4096', family: 'RSA', bits: 4096, securityBits: 140, quick: false, hint: 'For long-lived roots that old devices must trust.' },
  'P-256': { label: 'EC P-256', family: 'EC', bits: 256, securityBits: 128, quick: true, hint: 'Small and quick, understood by everything current.' },
  'P-384': { label: 'EC P-384', family: 'EC', bits: 384, securityBits: 192, quick: true, hint: 'Stronger than P-256, asked for by some governments.' },
  Ed25519: { label: 'Ed25519', family: 'Ed25519', bits: 256, securityBits: 128, quick: true, hint: 'The quickest. Browsers and Windows do not accept it yet.' },
} as const satisfies Record<string, { label: string; family: 'RSA' | 'EC' | 'Ed25519'; bits: number; securityBits: number; quick: boolean; hint: string }>

export type KeyAlgorithm = keyof typeof keyAlgorithms

export const keyAlgorithmNames = Object.keys(keyAlgorithms) as KeyAlgorithm[]

export const KeyAlgorithmName = z.enum(keyAlgorithmNames, 'Choose one of the key types')

export const isKeyAlgorithm = (name: string): name is KeyAlgorithm => Object.hasOwn(keyAlgorithms, name)
