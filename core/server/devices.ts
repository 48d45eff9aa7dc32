// A browser that a person signed in with before: a cookie that only we can have made, for one account. It opens nothing; it keeps strangers'
// guesses from using up the person's own attempts at sign-in.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { House } from './house.ts'

export const deviceCookie = 'chancery-device'
export const deviceDays = 180

const tagOf = (house: House, id: string, account: string): string =>
  createHmac('sha256', house.installationKey.derive('known-device')).update(`${id}:${account.toLowerCase()}`).digest('base64url')

/** The value of the cookie. */
export function makeDevice(house: House, account: string): string {
  const id = randomBytes(16).toString('base64url')
  return `${id}.${tagOf(house, id, account)}`
}

/** The device's id where the cookie was made for this account. */
export function readDevice(house: House, cookie: string | undefined, account: string): string | undefined {
  const [, id, tag] = /^([\w-]{22})\.([\w-]{43})$/.exec(cookie ?? '') ?? []
  if (id === undefined || tag === undefined) return undefined
  return timingSafeEqual(Buffer.from(tagOf(house, id, account)), Buffer.from(tag)) ? id : undefined
}
