// Every call of every room with a token that has one single scope, for every scope that there is.

import { describe, expect, test } from 'vitest'
import { rooms } from '#apps/server/rooms.ts'
import { doorRefusal, passesDoor } from '#core/contract/access.ts'
import type { Call } from '#core/contract/contract.ts'
import { permissions, seeingPermissions, type Permission } from '#core/contract/permission-labels.ts'

const calls = rooms.flatMap((room) => room.calls.map(({ call }) => call)).filter(({ needs }) => needs !== 'public')
const scopes = Object.keys(permissions) as Permission[]
const withScope = (scope: string) => ({ permission: { api: [scope] }, via: 'token', narrowed: true as const })
const nameOf = ({ area, name }: Call) => `${area}.${name}`

/** Calls that are open to any token because their handlers ask for the permission of what is to be done, each tried by its own tests. */
const asksItself = new Set(['bulk.prepare', 'bulk.start', 'bulk.cancel', 'bulk.again'])

/** Endpoints whose question is too long for an address: a POST that changes nothing. */
const readsByPost = new Set(['certificates.exportChosenCertificates', 'scim.searchUsers', 'scim.searchGroups', 'scim.searchAll'])

describe('A token with one scope', () => {
  test('makes the calls that name the scope, and no others', () => {
    expect(calls.length).toBeGreaterThan(100)
    for (const call of calls) {
      const { needs, tokens } = call
      const passes = scopes.filter((scope) => passesDoor(withScope(scope), call))
      const named = tokens === 'any' ? scopes : tokens === 'never' ? [] : (tokens ?? scopes)
      expect([nameOf(call), passes]).toEqual([
        nameOf(call),
        scopes.filter((scope) => (needs === 'signedIn' ? tokens !== undefined : needs === scope) && named.includes(scope)),
      ])
    }
  })

  test('changes nothing where the scope only lets its owner see', () => {
    const changing = calls.filter((call) => call.method !== 'GET' && call.reads !== true && !asksItself.has(nameOf(call)))
    expect(changing.length).toBeGreaterThan(50)
    const endpoints = rooms
      .flatMap(({ contract }) => Object.values(contract.endpoints))
      .filter(({ method, area, name }) => method !== 'GET' && !readsByPost.has(`${area}.${name}`))
    const opened = [...changing, ...endpoints].flatMap((door) => {
      const passes = scopes.filter((scope) => seeingPermissions.has(scope) && door.needs !== 'public' && passesDoor(withScope(scope), door))
      return passes.length === 0 ? [] : [`${door.area}.${door.name}: ${passes.length > 3 ? 'many' : passes.join(', ')}`]
    })
    expect(opened).toEqual([])
  })

  test('follows no stream and opens no endpoint that is there for whoever is signed in, unless it says so', () => {
    const doors = rooms.flatMap((room) => [...Object.values(room.contract.streams), ...room.endpoints])
    for (const { name, needs, tokens } of doors)
      for (const scope of scopes)
        expect([name, passesDoor(withScope(scope), { needs, tokens })]).toEqual([
          name,
          needs === 'public' ||
            (needs === scope && tokens !== 'never') ||
            tokens === 'any' ||
            (Array.isArray(tokens) && tokens.includes(scope)),
        ])
  })
})

describe('Who is refused at the door', () => {
  const token = (...api: string[]) => ({ permission: { api }, via: 'token' })
  test.each([
    ['a person without the permission', { permission: { api: [] }, via: 'session' }, { needs: 'certView' }, 'denied'],
    ['a person with it', { permission: { api: ['certView'] }, via: 'session' }, { needs: 'certView' }, undefined],
    [
      'a person at what sessions alone may do',
      { permission: { api: [] }, via: 'session' },
      { needs: 'signedIn', tokens: 'never' },
      undefined,
    ],
    ['a token at what sessions alone may do', token('certView'), { needs: 'signedIn', tokens: 'never' }, 'session_needed'],
    ['a token without scopes at what anybody signed in may do', token(), { needs: 'signedIn' }, undefined],
    ['a token with scopes there', withScope('certView'), { needs: 'signedIn' }, 'denied'],
    ['one with a scope that the call names', withScope('certView'), { needs: 'signedIn', tokens: ['certView'] }, undefined],
    ['one with another', withScope('search'), { needs: 'signedIn', tokens: ['certView'] }, 'denied'],
    [
      'one that has what the call needs and none that it names',
      withScope('certView'),
      { needs: 'certView', tokens: ['manageCAs'] },
      'denied',
    ],
    ['a token with scopes where any may ask', withScope('search'), { needs: 'signedIn', tokens: 'any' }, undefined],
  ] as const)('%s', (_who, asker, door, code) => {
    expect(doorRefusal(asker, door)?.code).toBe(code)
  })
})
