import { describe, expect, test } from 'vitest'
import type { Method } from '#core/contract/contract.ts'
import { makeRouter, type Match } from './router.ts'
import type { Endpoint, Room } from './serve.ts'

const door = (method: Method, path: string): Endpoint => ({
  name: `${method} ${path}`,
  method,
  path,
  needs: 'public',
  handle: async () => ({ body: '' }),
})
const room = (...endpoints: Endpoint[]): Room => ({
  area: 'test',
  contract: { area: 'test', title: 'Test', screens: {}, calls: {}, streams: {}, endpoints: {}, jobs: {}, events: {} },
  calls: [],
  streams: [],
  endpoints,
  subscriptions: [],
  jobs: [],
})

const router = makeRouter([
  room(
    door('GET', '/cert/:id'),
    door('GET', '/cert/:ca/:id'),
    door('GET', '/cert/revoke'),
    door('GET', '/cert/:id/revoke'),
    door('POST', '/cert/:id'),
    door('GET', '/pki/crl/:publicId.crl'),
    door('GET', '/pki/ocsp/:publicId/*'),
    door('POST', '/pki/ocsp/:publicId'),
    door('GET', '/search/:kind?'),
    door('PUT', '/a.b'),
  ),
])

const at = (method: string, path: string): string | { params: Record<string, string>; to: string } | undefined => {
  const found = router(method, path)
  if (found === undefined) return undefined
  if ('allowed' in found) return `allowed: ${found.allowed.join(', ')}`
  return { to: nameOf(found), params: found.params }
}
const nameOf = ({ route }: Match) => (route.kind === 'endpoint' ? route.endpoint.name : route.binding.call.name)

describe('The router', () => {
  test('prefers the literal, whatever the order of the list', () => {
    expect(at('GET', '/cert/revoke')).toEqual({ to: 'GET /cert/revoke', params: {} })
    expect(at('GET', '/cert/7')).toEqual({ to: 'GET /cert/:id', params: { id: '7' } })
    expect(at('GET', '/cert/7/revoke')).toEqual({ to: 'GET /cert/:id/revoke', params: { id: '7' } })
    expect(at('GET', '/cert/7/8')).toEqual({ to: 'GET /cert/:ca/:id', params: { ca: '7', id: '8' } })
  })

  test('reads suffixes, the rest of a path, and parameters that may be missing', () => {
    expect(at('GET', '/pki/crl/abc.crl')).toEqual({ to: 'GET /pki/crl/:publicId.crl', params: { publicId: 'abc' } })
    expect(at('GET', '/pki/crl/abcXcrl')).toBeUndefined()
    expect(at('GET', '/pki/ocsp/abc/MFQ/x=')).toEqual({ to: 'GET /pki/ocsp/:publicId/*', params: { publicId: 'abc', rest: 'MFQ/x=' } })
    expect(at('GET', '/search')).toEqual({ to: 'GET /search/:kind?', params: {} })
    expect(at('GET', '/search/users')).toEqual({ to: 'GET /search/:kind?', params: { kind: 'users' } })
    expect(at('GET', '/search/users/more')).toBeUndefined()
    expect(at('PUT', '/aXb')).toBeUndefined()
  })

  test('decodes a parameter once, and takes a slash inside it for a part of it', () => {
    expect(at('GET', '/cert/a%2Fb%2520')).toEqual({ to: 'GET /cert/:id', params: { id: 'a/b%20' } })
    for (const path of ['/cert/%', '/cert/%f', '/cert/%ff', '/cert/a%00']) expect(at('GET', path)).toBeUndefined()
  })

  test('forgives a slash at the end and nothing else', () => {
    expect(at('GET', '/cert/7/')).toEqual({ to: 'GET /cert/:id', params: { id: '7' } })
    expect(at('GET', '/Cert/7')).toBeUndefined()
    expect(at('GET', '//cert/7')).toBeUndefined()
    expect(at('GET', '/cert//revoke')).toBeUndefined()
  })

  test('answers HEAD as GET and names the methods it has', () => {
    expect(at('HEAD', '/cert/7')).toEqual({ to: 'GET /cert/:id', params: { id: '7' } })
    expect(at('DELETE', '/cert/7')).toBe('allowed: GET, HEAD, POST')
    expect(at('GET', '/pki/ocsp/abc')).toBe('allowed: POST')
    expect(at('__proto__', '/cert/7')).toBe('allowed: GET, HEAD, POST')
  })

  test('refuses two routes of one method and path', () => {
    expect(() => makeRouter([room(door('GET', '/a')), room(door('GET', '/a'))])).toThrow('Two routes claim GET /a')
    expect(() => makeRouter([room(door('GET', '/a/:id')), room(door('GET', '/a/:name'))])).toThrow('Two routes claim GET /a/:name')
  })

  test('spends no time on a path made to be slow', () => {
    expect(at('GET', `/cert/${'/'.repeat(10_000)}x`)).toBeUndefined()
    expect(at('GET', `/${'a/'.repeat(5_000)}`)).toBeUndefined()
  })
})
