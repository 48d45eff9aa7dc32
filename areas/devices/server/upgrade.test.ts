import { expect, test } from 'vitest'
import { beforeUpgrade } from '#core/testing/upgrade.ts'

const id = (end: string) => `018f0000-0000-7000-8000-${end.padStart(12, '0')}`

test('Claims of before say which source made them, in every tenancy and whoever owns the database', async () => {
  const database = await beforeUpgrade(['devices/0004-earlier-claims.sql'])
  const source = (tenant: string, device: string, key: string) =>
    database.ask(`insert into device_sources (tenant_id, source, key, device_id) values ('${id(tenant)}', 'scim ${id('f')}', '${key}', '${id(device)}')`) // prettier-ignore
  const claim = (tenant: string, device: string, value: string, kind = 'scim', toldBy = '') =>
    database.ask(`insert into device_claims (tenant_id, device_id, kind, value, source, told_by, added_at)
      values ('${id(tenant)}', '${id(device)}', 'serial', '${value}', '${kind}', '${toldBy}', now())`)
  for (const tenant of ['a', 'b']) {
    await source(tenant, '1', 'one')
    await claim(tenant, '1', 'S1')
    // A person's own word is of no source.
    await claim(tenant, '1', 'S2', 'typed')
  }
  // Told anew since: what was said before is replaced by it.
  await source('a', '2', 'two')
  await claim('a', '2', 'old')
  await claim('a', '2', 'new', 'scim', `scim ${id('f')} two`)
  expect(await database.upgrade()).toEqual(['devices/0004-earlier-claims.sql'])
  expect(await database.ask('select tenant_id, value, told_by from device_claims order by tenant_id, value')).toEqual([
    { tenant_id: id('a'), value: 'S1', told_by: `scim ${id('f')} one` },
    { tenant_id: id('a'), value: 'S2', told_by: '' },
    { tenant_id: id('a'), value: 'new', told_by: `scim ${id('f')} two` },
    { tenant_id: id('b'), value: 'S1', told_by: `scim ${id('f')} one` },
    { tenant_id: id('b'), value: 'S2', told_by: '' },
  ])
  expect(
    await database.ask(`select relname from pg_class where relname in ('device_claims', 'device_sources') and not relforcerowsecurity`),
  ).toEqual([])
})
