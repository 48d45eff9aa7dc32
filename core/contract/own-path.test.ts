import { expect, test } from 'vitest'
import { readOwnPath } from './own-path.ts'

const host = 'evil.example'

test.each([
  `//${host}`,
  `/\\${host}`,
  `/.//${host}`,
  `/./\\${host}`,
  `/.\\\\${host}`,
  `/x/..//${host}`,
  `/%2e//${host}`,
  `/x/%2E%2e//${host}`,
  `/./%2f${host}`,
  `/.//%5c${host}`,
  `/%5C${host}`,
  `/\t/${host}`,
  `/.\n//${host}`,
  `https://${host}`,
  `https:/${host}`,
  'javascript:alert(1)',
  ' /home',
  '',
])('%j leads to another site, or nowhere', (path) => {
  expect(readOwnPath(path)).toBeUndefined()
})

test.each(['/', '/home', '/support/ticket/1?x=1#a', '/a//b', '/search?q=//x\\y', '/a/%2f%2fb', '/a.b/..c'])('%j is our own', (path) => {
  expect(readOwnPath(path)).toBe(path)
})
