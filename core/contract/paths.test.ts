import { describe, expect, test } from 'vitest'
import { fillPath, paramNames, queryText, to } from './paths.ts'

describe('A link', () => {
  test('is the path with its parameters filled in', () => {
    expect(to({ path: '/identity/user/view/:id' } as const, { id: '7' })).toBe('/identity/user/view/7')
    expect(to({ path: '/cert/:ca/:id/revoke' } as const, { ca: 'a', id: 'b' })).toBe('/cert/a/b/revoke')
    expect(to({ path: '/home' } as const)).toBe('/home')
    expect(to({ path: '/' } as const)).toBe('/')
  })

  test('leaves out a parameter that may be missing, with its slash', () => {
    const search = { path: '/search/:searchType?' } as const
    expect(to(search)).toBe('/search')
    expect(to(search, { searchType: '' })).toBe('/search')
    expect(to(search, { searchType: 'users' })).toBe('/search/users')
    expect(fillPath('/:kind?', {})).toBe('/')
    expect(fillPath('/a/:b?/c', {})).toBe('/a/c')
  })

  test('keeps the ending of a file behind its parameter', () => {
    const list = { path: '/pki/crl/:publicId/:part.crl' } as const
    expect(to(list, { publicId: 'a/b', part: '0007' })).toBe('/pki/crl/a%2Fb/0007.crl')
    expect(() => fillPath('/pki/crl/:publicId.crl', {})).toThrow('The path /pki/crl/:publicId.crl needs publicId')
  })

  test('without a parameter that it needs is an error that names it', () => {
    expect(() => fillPath('/identity/user/view/:id', {})).toThrow('The path /identity/user/view/:id needs id')
    expect(() => fillPath('/identity/user/view/:id', { id: '' })).toThrow(/needs id/)
  })

  test('cannot be led elsewhere by what is filled in', () => {
    const view = { path: '/identity/user/view/:id' } as const
    expect(to(view, { id: '../../admin' })).toBe('/identity/user/view/..%2F..%2Fadmin')
    expect(to(view, { id: 'a b?c#d%é' })).toBe('/identity/user/view/a%20b%3Fc%23d%25%C3%A9')
    expect(to({ path: '/login' } as const, undefined, { redirect: '/a?b=c&d' })).toBe('/login?redirect=%2Fa%3Fb%3Dc%26d')
  })

  test('carries a query without what is empty, and each entry of a list', () => {
    expect(queryText({ text: 'a b', page: 2, more: false, none: undefined, empty: '', zero: 0 })).toBe(
      '?text=a%20b&page=2&more=false&zero=0',
    )
    expect(queryText({ status: ['valid', 'revoked'] })).toBe('?status=valid&status=revoked')
    expect(queryText({})).toBe('')
    expect(queryText(undefined)).toBe('')
  })
})

test('the names of the parameters are read from the path', () => {
  expect(paramNames('/cert/:ca/:id?/revoke')).toEqual(['ca', 'id'])
  expect(paramNames('/pki/crl/:publicId/:part.crl')).toEqual(['publicId', 'part'])
  expect(paramNames('/')).toEqual([])
})
