import { expect, test } from 'vitest'
import { readFiles, settlePlaces } from './files.ts'

const block = (bytes: string) => `-----BEGIN CERTIFICATE-----\n${Buffer.from(bytes).toString('base64')}\n-----END CERTIFICATE-----\n`
const read = (content: string) => readFiles([{ name: 'a.pem', content }]).found

test('A renewed certificate takes the place where it is awaited, and the one before it beside it another, in either order', () => {
  const [old, renewed] = read(block('0\u0003old') + block('0\u0003new'))
  if (old === undefined || renewed === undefined) throw new Error('Two certificates were read')
  const before = [{ place: old.place, fingerprint: old.fingerprint, expected: renewed.fingerprint }]
  const places = (...found: (typeof old)[]) => new Map(settlePlaces(found, before).map((one) => [one.fingerprint, one.place]))
  const both = new Map([
    [old.fingerprint, `${old.place} #2`],
    [renewed.fingerprint, old.place],
  ])
  expect(places(old, renewed)).toEqual(both)
  expect(places(renewed, old)).toEqual(both)
  expect(places(old)).toEqual(new Map([[old.fingerprint, old.place]]))
  // Uploaded again, each stands where it stood.
  const after = [
    { place: old.place, fingerprint: renewed.fingerprint, expected: renewed.fingerprint },
    { place: `${old.place} #2`, fingerprint: old.fingerprint, expected: null },
  ]
  expect(new Map(settlePlaces([old, renewed], after).map((one) => [one.fingerprint, one.place]))).toEqual(both)
})
