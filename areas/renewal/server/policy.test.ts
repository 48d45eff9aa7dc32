import { expect, test } from 'vitest'
import { mayKnow, mayRenew, mayRenewEarly, servesSelf } from './policy.ts'

const permission = (api: string[]) => ({ View: [], Menu: [], activeMenu: [], api, roles: [], isManager: false })
const person = (userId: string, ...api: string[]) => ({ userId, permission: permission(api), via: 'session' as const })
const token = (userId: string, ...api: string[]) => ({ ...person(userId, ...api), via: 'token' as const, narrowed: true as const })
const device = { entity: 'device' as const, requester_id: 'asked', holder_user_id: null }
const personal = { entity: 'user' as const, requester_id: 'asked', holder_user_id: 'holds' }

test.each([
  ['who asked for a device’s', person('asked'), device, [true, true, false]],
  ['who may ask for devices', person('other', 'certSigningRequest'), device, [true, true, true]],
  ['who may ask for people', person('other', 'certSigningRequestUser'), device, [false, false, false]],
  ['who sees certificates', person('other', 'certView'), device, [true, false, false]],
  ['the holder', person('holds'), personal, [true, true, false]],
  ['who asked for a person’s', person('asked'), personal, [true, false, false]],
  ['the holder by a token that only sees', token('holds', 'certView'), personal, [true, false, false]],
  ['the holder by a token for self-service', token('holds', 'selfServicePortal'), personal, [true, true, false]],
] as const)('%s knows of it, renews it, and before its time', (_who, viewer, certificate, expected) => {
  expect([mayKnow(viewer, certificate), mayRenew(viewer, certificate), mayRenewEarly(viewer, certificate)]).toEqual(expected)
})

test('a token serves oneself only where its scopes say so', () => {
  expect([servesSelf(person('holds')), servesSelf(token('holds', 'certView')), servesSelf(token('holds', 'selfServicePortal'))]).toEqual([
    true,
    false,
    true,
  ])
})
