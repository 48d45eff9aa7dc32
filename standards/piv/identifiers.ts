// The identifiers of PIV: application, key references, algorithms (SP 800-78-5 table 9) and data objects (SP 800-73-5 part 1 table 3), each with what it is called.

export const pivApplication = Uint8Array.from([0xa0, 0x00, 0x00, 0x03, 0x08, 0x00, 0x00, 0x10, 0x00, 0x01, 0x00])

/** What cards leave the factory with. */
export const factory = {
  pin: '123456',
  puk: '12345678',
  managementKey: Buffer.from('010203040506070801020304050607080102030405060708', 'hex'),
} as const

export const managementReference = 0x9b
export const pinReference = 0x80
export const pukReference = 0x81
export const attestationReference = 0xf9

/** The algorithms of management keys, with their block and key lengths in bytes. SP 800-73-5 lets 3DES be read; cards that are made today have AES. */
export const managementAlgorithms = {
  '3DES': { id: 0x03, cipher: 'des-ede3', block: 8, key: 24 },
  'AES-128': { id: 0x08, cipher: 'aes-128-ecb', block: 16, key: 16 },
  'AES-192': { id: 0x0a, cipher: 'aes-192-ecb', block: 16, key: 24 },
  'AES-256': { id: 0x0c, cipher: 'aes-256-ecb', block: 16, key: 32 },
} as const
export type ManagementAlgorithm = keyof typeof managementAlgorithms
export const managementAlgorithmNames = Object.keys(managementAlgorithms) as ManagementAlgorithm[]

/** The algorithms of key pairs. Ed25519 is Yubico's; the standard has none of that kind yet. */
export const keyAlgorithms = {
  'RSA-2048': { id: 0x07, family: 'RSA', bits: 2048 },
  'RSA-3072': { id: 0x05, family: 'RSA', bits: 3072 },
  'P-256': { id: 0x11, family: 'EC', bits: 256 },
  'P-384': { id: 0x14, family: 'EC', bits: 384 },
  Ed25519: { id: 0xe0, family: 'Ed25519', bits: 256 },
} as const
export type CardKeyAlgorithm = keyof typeof keyAlgorithms
export const cardKeyAlgorithms = Object.keys(keyAlgorithms) as CardKeyAlgorithm[]

export const managementAlgorithmOf = (id: number): ManagementAlgorithm | undefined =>
  managementAlgorithmNames.find((name) => managementAlgorithms[name].id === id)
export const keyAlgorithmOf = (id: number): CardKeyAlgorithm | undefined => cardKeyAlgorithms.find((name) => keyAlgorithms[name].id === id)

/** Slots with the data object of their certificate. */
const firstSlots = {
  '9A': { reference: 0x9a, object: 0x5fc105, says: 'PIV authentication' },
  '9C': { reference: 0x9c, object: 0x5fc10a, says: 'Digital signature' },
  '9D': { reference: 0x9d, object: 0x5fc10b, says: 'Key management' },
  '9E': { reference: 0x9e, object: 0x5fc101, says: 'Card authentication' },
} as const

const retiredCount = 20

export type SlotName = '9A' | '9C' | '9D' | '9E' | `R${number}`
export type Slot = { name: SlotName; reference: number; object: number; says: string }

/** The four slots of today, then the twenty of retired key management keys. */
export const slots: readonly Slot[] = [
  ...(Object.keys(firstSlots) as (keyof typeof firstSlots)[]).map((name) => ({ name, ...firstSlots[name] })),
  ...Array.from({ length: retiredCount }, (_, index): Slot => ({
    name: `R${index + 1}`,
    reference: 0x82 + index,
    object: 0x5fc10d + index,
    says: `Retired key management ${index + 1}`,
  })),
]

export const slotNamed = (name: string): Slot | undefined => slots.find((slot) => slot.name === name)

export const objects = {
  capability: 0x5fc107,
  chuid: 0x5fc102,
  fingerprints: 0x5fc103,
  security: 0x5fc106,
  face: 0x5fc108,
  printed: 0x5fc109,
  discovery: 0x7e,
  keyHistory: 0x5fc10c,
  iris: 0x5fc121,
} as const
export type ObjectName = keyof typeof objects

/** The container ids by which the security object names other objects (SP 800-73-5 part 1 appendix A). */
export const containerIds: { readonly [name in ObjectName]?: number } = {
  capability: 0xdb00,
  chuid: 0x3000,
  fingerprints: 0x6010,
  face: 0x6030,
  printed: 0x3001,
  keyHistory: 0x6060,
}
