import { expect, test } from 'vitest'
import { beforeUpgrade } from '#core/testing/upgrade.ts'

const [manager, acme] = ['018f0000-0000-7000-8000-000000000001', '018f0000-0000-7000-8000-00000000000a']
const [asked, allowed] = ['018f0000-0000-7000-8000-0000000000b1', '018f0000-0000-7000-8000-0000000000b2']

test('What was asked to be scanned before an upgrade stands in the list of those who decide, whoever owns the database', async () => {
  const database = await beforeUpgrade(['discovery/0006-asks.sql', 'discovery/0007-earlier-asks.sql'])
  await database.ask(`insert into tenancies (id, name, sign_in_suffix, kind, banner_colour, created_at)
    values ('${manager}', 'Management', 'management', 'management', '', now()), ('${acme}', 'Acme', 'acme', 'tenant', '', now())`)
  await database.ask(`insert into discovery_networks (tenant_id, id, cidr, note, state, proposed_by, proposed_at)
    values ('${acme}', '${asked}', '192.0.2.0/24', '', 'proposed', 'ada', now()), ('${acme}', '${allowed}', '198.51.100.0/24', '', 'allowed', 'ada', now())`)
  expect(await database.upgrade()).toEqual(['discovery/0006-asks.sql', 'discovery/0007-earlier-asks.sql'])
  expect(
    await database.ask('select tenant_id, network_id, asking_tenant_id, asking_tenancy, cidr, proposed_by from discovery_asks'),
  ).toEqual([
    { tenant_id: manager, network_id: asked, asking_tenant_id: acme, asking_tenancy: 'Acme', cidr: '192.0.2.0/24', proposed_by: 'ada' },
  ])
  expect(
    await database.ask(
      `select relname from pg_class where relname in ('discovery_asks', 'discovery_networks') and relforcerowsecurity order by 1`,
    ),
  ).toEqual([{ relname: 'discovery_asks' }, { relname: 'discovery_networks' }])
})
