// What the wizard has gathered, and the shape of each of its steps: parts of the one call that is sent at the end.

import * as z from 'zod'
import type { KeyAlgorithm } from '#areas/keys/rules.ts'
import { defaultColour } from '#areas/tenancy/rules.ts'
import { shortestPassword } from '#areas/users/password-strength.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { AuthorityDraft, SetupDraft, type setup } from '../contract.ts'

export const tenancyShape = SetupDraft.pick({ tenancyName: true, bannerColour: true, supportEmail: true })
export const administratorShape = SetupDraft.shape.administrator.extend({
  password: z.string().min(shortestPassword, `Use at least ${shortestPassword} characters`).max(1000),
})
/** A root elsewhere is not asked for, and one on a token is made later. */
export const authorityShapeOf = ({ wanted, root }: { wanted: boolean; root: RootPlace }): z.ZodType =>
  !wanted || root === 'token'
    ? z.object({})
    : root === 'here'
      ? AuthorityDraft
      : AuthorityDraft.omit({ rootName: true, rootAlgorithm: true, rootYears: true, issuingYears: true })

export type TenancyStep = { tenancyName: string; bannerColour: string; supportEmail: string }
export type AdministratorStep = { username: string; givenName: string; familyName: string; emailAddress: string; password: string }
/** `token`: made after set-up, because a token is registered by somebody who is signed in. */
export type RootPlace = 'here' | 'offline' | 'token'
export type AuthorityStep = {
  wanted: boolean
  root: RootPlace
  organisation: string
  country: string
  rootName: string
  issuingName: string
  algorithm: KeyAlgorithm
  rootAlgorithm: KeyAlgorithm
  /** Undefined while the field is empty. */
  rootYears: number | undefined
  issuingYears: number | undefined
}

export type Gathered = { tenancy: TenancyStep; administrator: AdministratorStep; authority: AuthorityStep }

export const nothingGathered: Gathered = {
  tenancy: { tenancyName: '', bannerColour: defaultColour, supportEmail: '' },
  administrator: { username: '', givenName: '', familyName: '', emailAddress: '', password: '' },
  authority: {
    wanted: true,
    organisation: '',
    country: '',
    rootName: '',
    issuingName: '',
    root: 'here',
    algorithm: 'P-256',
    rootAlgorithm: 'P-384',
    rootYears: 20,
    issuingYears: 10,
  },
}

/** Names that most people keep, from the tenancy's name, for what is still empty. */
export function withNames({ authority, tenancy, ...rest }: Gathered): Gathered {
  const name = tenancy.tenancyName.trim()
  const fill = (text: string, from: string) => (text === '' ? from.slice(0, 64) : text)
  return {
    ...rest,
    tenancy,
    authority: {
      ...authority,
      organisation: fill(authority.organisation, name),
      rootName: fill(authority.rootName, `${name} Root CA`),
      issuingName: fill(authority.issuingName, `${name} Issuing CA`),
    },
  }
}

export function draftOf(
  token: string,
  { tenancy, administrator, authority: { wanted, root, rootName, rootAlgorithm, rootYears, issuingYears, ...authority } }: Gathered,
): DraftOf<typeof setup.calls.run> {
  if (!wanted || root === 'token') return { token, ...tenancy, administrator }
  // What a root elsewhere is called, and how long it lives, is said there.
  const own = root === 'here' ? { rootName, rootAlgorithm, rootYears, issuingYears } : {}
  return { token, ...tenancy, administrator, authority: { root, ...authority, ...own } }
}

/** Which step a field of the call belongs to, and its name there. */
export function placeOf(field: string): { step: 0 | 1 | 2; name: string } {
  const [head = '', name = ''] = field.split('.')
  return head === 'administrator' ? { step: 1, name } : head === 'authority' ? { step: 2, name } : { step: 0, name: head }
}

/** The first step that is not right yet; the review where all are. */
export function firstOpen({ tenancy, administrator, authority }: Gathered): number {
  if (!tenancyShape.safeParse(tenancy).success) return 0
  if (!administratorShape.safeParse(administrator).success) return 1
  return authorityShapeOf(authority).safeParse(authority).success ? 3 : 2
}

const storageKey = 'chancery.setup'

/** What was typed stays in this tab over a reload, all but the password. */
export const keepGathered = (gathered: Gathered): void =>
  sessionStorage.setItem(storageKey, JSON.stringify({ ...gathered, administrator: { ...gathered.administrator, password: '' } }))
export const forgetGathered = (): void => sessionStorage.removeItem(storageKey)

export function takeGathered(): Gathered {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '{}')
    const part = <T extends object>(name: keyof Gathered, whole: T): T => {
      const found: unknown = Object(stored)[name]
      const typed = Object.entries(whole).map(([key, value]) => [
        key,
        typeof Object(found)[key] === typeof value ? Object(found)[key] : value,
      ])
      return { ...whole, ...Object.fromEntries(typed) }
    }
    return {
      tenancy: part('tenancy', nothingGathered.tenancy),
      administrator: part('administrator', nothingGathered.administrator),
      authority: part('authority', nothingGathered.authority),
    }
  } catch {
    return nothingGathered
  }
}
