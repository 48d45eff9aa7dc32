// What a username may be, and who may edit whom.

import * as z from 'zod'
import type { ViewerPermission } from '#core/contract/permissions.ts'

const forbidden = ['/', '\\', '#', '%', '?']

/** Undefined where the username is good; else the specified text. The optional pattern is the tenancy's. */
export function usernameFault(username: string, pattern?: { expression: RegExp; message?: string }): string | undefined {
  if (username === '') return 'No Username entered.'
  const character = forbidden.find((one) => username.includes(one))
  if (character !== undefined) return `The character '${character}' is not allowed in usernames.`
  if (!/^[\x20-\x7e]+$/.test(username)) return 'The username contains an invalid character.'
  if (username.length > 100) return 'Use at most 100 characters'
  if (pattern !== undefined && !pattern.expression.test(username)) return pattern.message ?? 'Invalid username.'
  return undefined
}

/** Leading and trailing blanks go; what is left is judged. A tab inside is refused, not trimmed away. */
export const Username = z
  .string()
  .transform((text) => text.replace(/^ +| +$/g, ''))
  .superRefine((username, context) => {
    const says = usernameFault(username)
    if (says !== undefined) context.addIssue({ code: 'custom', message: says })
  })

export const mayEdit = (viewer: { userId: string; permission: ViewerPermission }, userId: string): boolean =>
  viewer.permission.api.includes('userEdit') || (viewer.permission.api.includes('selfServicePortal') && viewer.userId === userId)

/**
 * What names a person, and whatever of it a template can write into a certificate. Nobody changes these of oneself, or a person could ask for a
 * certificate in another's name; where nobody else is left who could, the only administrator does.
 */
export const identifyingFields = ['username', 'givenName', 'familyName', 'emailAddress', 'title', 'locality', 'organisation'] as const
export type IdentifyingField = (typeof identifyingFields)[number]

export const mayIdentify = (viewer: { userId: string; permission: ViewerPermission }, userId: string, onlyAdministrator: boolean): boolean =>
  viewer.permission.api.includes('userEdit') && (viewer.userId !== userId || onlyAdministrator)

/** Changing one of these needs the editor's own password. */
export const protectedFields = ['username', 'emailAddress'] as const

export const activationDays = 7
