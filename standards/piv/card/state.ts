// What a virtual card remembers while it has no power: one value that can be written as JSON.

import type { ManagerState } from '../../globalplatform/virtual-manager.ts'
import { factory, type CardKeyAlgorithm, type ManagementAlgorithm } from '../identifiers.ts'

export type Reference = { value: string; most: number; left: number }

export type CardState = {
  /** A Yubico card tells a serial number and its metadata; a plain one does what the standard says and no more. */
  kind: 'yubico' | 'plain'
  serial: number
  firmware: readonly [number, number, number]
  management: { algorithm: ManagementAlgorithm; key: string; isFactory: boolean }
  pin: Reference
  puk: Reference
  /** By the key reference in hex; PKCS #8 in base64. */
  keys: Record<string, { algorithm: CardKeyAlgorithm; pkcs8: string }>
  /** By the tag in hex; content in base64. */
  objects: Record<string, string>
  /** What its card manager holds, by identifiers in hex. */
  manager?: ManagerState
}

export type CardMaking = { serial: number; kind?: CardState['kind']; management?: ManagementAlgorithm; tries?: number }

const managementLengths: Readonly<Record<ManagementAlgorithm, number>> = { '3DES': 24, 'AES-128': 16, 'AES-192': 24, 'AES-256': 32 }

/** A card as it leaves the factory. */
export function blankCard({ serial, kind = 'yubico', management = 'AES-192', tries = 3 }: CardMaking): CardState {
  const key = Buffer.concat([factory.managementKey, factory.managementKey]).subarray(0, managementLengths[management])
  return {
    kind,
    serial,
    firmware: [5, 7, 1],
    management: { algorithm: management, key: key.toString('hex'), isFactory: true },
    pin: { value: factory.pin, most: tries, left: tries },
    puk: { value: factory.puk, most: tries, left: tries },
    keys: {},
    objects: {},
  }
}

/** Yubico's historical bytes say what card it is; a plain one has the shortest ATR for T=1. */
export const atrOf = ({ kind }: Pick<CardState, 'kind'>): Uint8Array =>
  Buffer.from(kind === 'yubico' ? '3bfd1300008131fe158073c021c057597562694b657940' : '3b80800101', 'hex')
