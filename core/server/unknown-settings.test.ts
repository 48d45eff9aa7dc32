import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { settingNames, unknownSettings } from './unknown-settings.ts'

test('a misspelt setting is named, with the one that was probably meant', () => {
  expect(unknownSettings({ CHANCERY_PROT: '80', CHANCERY_ORIGN: 'x', PATH: '/bin', CHANCERY_PORT: '8080', DATABASE_URL: 'x' })).toEqual([
    'There is no setting CHANCERY_PROT: it does nothing. Did you mean CHANCERY_PORT?',
    'There is no setting CHANCERY_ORIGN: it does nothing. Did you mean CHANCERY_ORIGIN?',
  ])
  expect(unknownSettings({ CHANCERY_FAVOURITE_COLOUR: 'blue', chancery_port: '1' })).toEqual([
    'There is no setting CHANCERY_FAVOURITE_COLOUR: it does nothing.',
    'There is no setting chancery_port: it does nothing. Did you mean CHANCERY_PORT?',
  ])
})

test('every setting that the server reads is known', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const read = globSync(['core/server/*.ts', 'apps/server/*.ts'], { cwd: root, exclude: (path) => path.includes('.test.') }).flatMap(
    (file) => readFileSync(root + file, 'utf8').match(/(?<=')CHANCERY_[A-Z0-9_]+(?=')/g) ?? [],
  )
  expect([...new Set(read)].toSorted()).toEqual([...settingNames].toSorted())
})
