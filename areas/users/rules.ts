// What a username may be, and who may edit whom.

import * as z from 'zod'
import type { ViewerPermission } from '#core/contract/permissions.ts'

/** Those that the specification names, each with its own text. Besides, only letters and digits of ASCII and . _ - @ are left. */
const forbidden = ['/', '\\', '#', '%', '?']

/** Undefined where the username is good; else the specified text. The optional pattern is the tenancy's. */
export function usernameFault(username: string, pattern?: { fits: (username: string) => boolean; message: string }): string | undefined {
  if (username === '') return 'No Username entered.'
  const character = forbidden.find((one) => username.includes(one))
  if (character !== undefined) return `The character '${character}' is not allowed in usernames.`
  if (!/^[A-Za-z0-9._@-]+$/.test(username)) return 'The username contains an invalid character.'
  if (username.length < 3) return 'Use at least 3 characters'
  if (username.length > 64) return 'Use at most 64 characters'
  if (pattern !== undefined && !pattern.fits(username)) return pattern.message === '' ? 'Invalid username.' : pattern.message
  return undefined
}

/** Leading and trailing blanks go; what is left is judged. A tab inside is refused, not trimmed away. */
export const Username = z
  .string()
  .meta({ minLength: 3, maxLength: 64 })
  .transform((text) => text.replace(/^ +| +$/g, ''))
  .superRefine((username, context) => {
    const says = usernameFault(username)
    if (says !== undefined) context.addIssue({ code: 'custom', message: says })
  })

/** An account's security identifier in a Windows domain (MS-DTYP 2.4.2.4): S-1-5-21, the three numbers of the domain, and the account's own. */
function securityIdentifierFault(text: string): string | undefined {
  const [authority = '', ...numbers] = text.startsWith('S-1-5-21-') ? ['S-1-5-21', ...text.slice(9).split('-')] : []
  const whole =
    authority !== '' && numbers.length === 4 && numbers.every((number) => /^(?:0|[1-9]\d{0,9})$/.test(number) && Number(number) < 2 ** 32)
  return whole ? undefined : 'Enter an identifier such as S-1-5-21-1004336348-1177238915-682003330-1104'
}

/** Empty where the person has no account in a Windows domain. */
export const SecurityIdentifier = z
  .string()
  .trim()
  .superRefine((text, context) => {
    const says = text === '' ? undefined : securityIdentifierFault(text)
    if (says !== undefined) context.addIssue({ code: 'custom', message: says })
  })
  .default('')

export const mayEdit = (viewer: { userId: string; permission: ViewerPermission }, userId: string): boolean =>
  viewer.permission.api.includes('userEdit') || (viewer.permission.api.includes('selfServicePortal') && viewer.userId === userId)

/**
 * What names a person, and whatever of it a template can write into a certificate. Nobody changes these of oneself, or a person could ask for a
 * certificate in another's name; where nobody else is left who could, the only administrator does.
 */
export const identifyingFields = [
  'username',
  'givenName',
  'familyName',
  'emailAddress',
  'title',
  'locality',
  'organisation',
  'securityIdentifier',
] as const
export type IdentifyingField = (typeof identifyingFields)[number]

export const mayIdentify = (
  viewer: { userId: string; permission: ViewerPermission },
  userId: string,
  onlyAdministrator: boolean,
): boolean => viewer.permission.api.includes('userEdit') && (viewer.userId !== userId || onlyAdministrator)

/** Changing one of these needs the editor's own password. */
export const protectedFields = ['username', 'emailAddress'] as const

export const activationDays = 7
