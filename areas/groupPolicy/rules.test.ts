import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { linksIn, stateOf, sysvolFolder } from './rules.ts'
import { readTar } from './server/read-tar.ts'

const folder = openToolFolder()
afterAll(() => folder.remove())
const guid = '31b2f340-016d-11d2-945f-00c04fb984f9'

test('The last link of a container comes first; one can be switched off, another enforced', () => {
  const link = (id: string, options: number) => `[LDAP://CN={${id.toUpperCase()}},CN=Policies,CN=System,DC=corp,DC=example;${options}]`
  const other = '6ac1786c-016f-11d2-945f-00c04fb984f9'
  expect(linksIn('DC=corp,DC=example', `${link(guid, 1)}${link(other, 2)}`)).toEqual([
    { guid, path: 'DC=corp,DC=example', order: 2, enabled: false, enforced: false },
    { guid: other, path: 'DC=corp,DC=example', order: 1, enabled: true, enforced: true },
  ])
  expect(linksIn('DC=corp', ' ')).toEqual([])
  expect(linksIn('DC=corp', '['.repeat(100_000))).toEqual([])
})

test('Its flags say which half of a policy is switched off', () => {
  expect([0, 1, 2, 3].map(stateOf)).toEqual(['enabled', 'userDisabled', 'computerDisabled', 'disabled'])
})

test('Files are fetched from the share of the domain alone', () => {
  const at = (place: string) => sysvolFolder(place, { domain: 'corp.example', guid })
  expect(at(String.raw`\\corp.example\sysvol\corp.example\Policies\{31B2F340-016D-11D2-945F-00C04FB984F9}`)).toBe(
    String.raw`corp.example\Policies\{31B2F340-016D-11D2-945F-00C04FB984F9}`,
  )
  for (const place of [
    String.raw`\\evil.example\sysvol\corp.example\Policies\{31B2F340-016D-11D2-945F-00C04FB984F9}`,
    String.raw`\\corp.example\c$\corp.example\Policies\{31B2F340-016D-11D2-945F-00C04FB984F9}`,
    String.raw`\\corp.example\sysvol\corp.example\Policies\..\{31B2F340-016D-11D2-945F-00C04FB984F9}`,
    '',
  ])
    expect(at(place)).toBeUndefined()
})

describe('An archive', () => {
  test.each(['ustar', 'gnu', 'pax'])('that tar writes as %s is read, long names too', (format) => {
    const long = 'n'.repeat(format === 'ustar' ? 90 : 180)
    const place = folder.subfolder(format)
    mkdirSync(`${place}/empty`)
    writeFileSync(`${place}/${long}`, 'long')
    writeFileSync(`${place}/exact`, Buffer.alloc(512, 1))
    const archive = execFileSync('tar', [`--format=${format}`, '-C', place, '-cf', '-', '.'])
    const files = new Map(readTar(archive).map(({ name, content }) => [name, content.length]))
    expect(files).toEqual(
      new Map([
        [`./${long}`, 4],
        ['./exact', 512],
      ]),
    )
    expect(() => readTar(archive.subarray(0, 1_100))).toThrow(/cut at byte/)
  })
})
