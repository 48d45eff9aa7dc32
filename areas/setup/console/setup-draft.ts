// What the wizard has gathered, and the shape of each of its steps: parts of the one call that is sent at the end.

import * as z from 'zod'
import type { DraftOf } from '#core/contract/contract.ts'
import { AuthorityDraft, SetupDraft, type setup } from '../contract.ts'
import { defaultColour } from '#areas/tenancy/rules.ts'
import { shortestPassword } from '#areas/users/password-strength.ts'

export const tenancyShape = SetupDraft.pick({ tenancyName: true, bannerColour: true, supportEmail: true })
export const administratorShape = SetupDraft.shape.administrator.extend({ password: z.string().min(shortestPassword, `Use at least ${shortestPassword} characters`).max(1000) })
export const authorityShape = AuthorityDraft

export type TenancyStep = { tenancyName: string; bannerColour: string; supportEmail: string }
export type AdministratorStep = { username: string; givenName: string; familyName: string; emailAddress: string; password: string }
export type AuthorityStep = DraftOf<{ input: typeof AuthorityDraft }> & { wanted: boolean; country: string }

export type Gathered = { tenancy: TenancyStep; administrator: AdministratorStep; authority: AuthorityStep }

export const nothingGathered: Gathered = {
  tenancy: { tenancyName: '', bannerColour: defaultColour, supportEmail: '' },
  administrator: { username: '', givenName: '', familyName: '', emailAddress: '', password: '' },
  authority: { wanted: true, organisation: '', country: '', rootName: '', issuingName: '', algorithm: 'P-256' },
}

/** Names that most people keep, from the tenancy's name, for what is still empty. */
export function withNames({ authority, tenancy, ...rest }: Gathered): Gathered {
  const name = tenancy.tenancyName.trim()
  const fill = (text: string, from: string) => (text === '' ? from.slice(0, 64) : text)
  return {
    ...rest,
    tenancy,
    authority: { ...authority, organisation: fill(authority.organisation, name), rootName: fill(authority.rootName, `${name} Root CA`), issuingName: fill(authority.issuingName, `${name} Issuing CA`) },
  }
}

export function draftOf(token: string, { tenancy, administrator, authority: { wanted, ...authority } }: Gathered): DraftOf<typeof setup.calls.run> {
  return { token, ...tenancy, administrator, ...(wanted ? { authority } : {}) }
}

/** Which step a field of the call belongs to, and its name there. */
export function placeOf(field: string): { step: 0 | 1 | 2; name: string } {
  const [head = '', name = ''] = field.split('.')
  return head === 'administrator' ? { step: 1, name } : head === 'authority' ? { step: 2, name } : { step: 0, name: head }
}
