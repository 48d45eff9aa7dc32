import { expect, test } from 'vitest'
import { antiForgery, readCookie } from './cookies.ts'

test('The anti-forgery header goes to our own origin and to no other', () => {
  expect(antiForgery('https://elsewhere.example/api', { origin: 'https://own.example', cookie: 'XSRF-TOKEN=t' })).toEqual({})
  expect(antiForgery('/api', { origin: 'https://own.example', cookie: 'a=1; XSRF-TOKEN=t' })).toEqual({ 'x-xsrf-token': 't' })
})

test('A cookie whose value cannot be decoded is read as no cookie', () => {
  expect(readCookie('a', 'a=%E0%A4%A')).toBeUndefined()
})
