// The keys whose values a tenancy sets. Each room declares its own, beside its rules, and offers them here; nothing else can be set.

import { slot } from '#core/contract/slots.ts'

type Declared = {
  key: string
  label: string
  hint: string
}
export type ValueKey = Declared &
  (
    | { kind: 'number'; initial: number; min: number; max: number; unit: string }
    | { kind: 'text'; initial: string; most: number }
    | { kind: 'switch'; initial: boolean }
    /** Sealed under the tenancy's key. It can be set and replaced, and never read by a person. */
    | { kind: 'secret'; most: number }
  )

export type PlainKey = Exclude<ValueKey, { kind: 'secret' }>
export type SecretKey = Extract<ValueKey, { kind: 'secret' }>
export type PlainValue = string | number | boolean
export type ValueOf<K extends PlainKey> = K extends { kind: 'number' } ? number : K extends { kind: 'switch' } ? boolean : string

export const valueKeys = slot<ValueKey>('value keys: what a tenancy can set, by key')
