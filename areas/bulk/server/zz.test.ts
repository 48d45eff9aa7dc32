import { test } from 'vitest'
import pg from 'pg'
import { openTestHouse } from '#core/testing/house.ts'
import { openDesk, openSsl } from '#areas/certificates/server/desk.fixture.ts'
import { bulk } from '../contract.ts'
import { manyCertificates } from './many.fixture.ts'
test('x', { timeout: 300000 }, async () => {
  const house = await openTestHouse(); const tools = openSsl(); await house.tenancy('H'); const desk = await openDesk(house, tools, 'Acme')
  const rita = await desk.tenancy.person({ permissions: ['certView', 'certRevokeView'] })
  const n = Number(process.env['N'] ?? 500)
  let at = Date.now(); const lap = (w: string) => { console.log(w, Date.now() - at); at = Date.now() }
  const ids = await manyCertificates(house, desk, { count: n, name: 'x' }); lap('made')
  const { runId } = await rita.call(bulk.calls.prepare, { action: 'revocation.revoke', selection: { selectAll: true }, query: {} }); lap('prepared')
  const counts = new Map<string, number>(); const time = new Map<string, number>()
  const query = pg.Client.prototype.query
  pg.Client.prototype.query = function (this: unknown, ...args: any[]) { const t = String(args[0]?.text ?? args[0]).replace(/\s+/g, ' ').slice(0, 110); counts.set(t, (counts.get(t) ?? 0) + 1); const s = performance.now(); const r = (query as any).apply(this, args); if (r?.then) r.then(() => time.set(t, (time.get(t) ?? 0) + performance.now() - s), () => {}); return r } as any
  await rita.call(bulk.calls.start, { runId, count: ids.length + 1, parameters: { reason: process.env['R'] ?? 'superseded' } })
  await house.runJob('bulk.work'); lap('worked')
  for (const [t, c] of [...counts].sort((a, b) => (time.get(b[0]) ?? 0) - (time.get(a[0]) ?? 0)).slice(0, 28)) console.log(c, Math.round(time.get(t) ?? 0), t)
  console.log(await rita.call(bulk.calls.view, { runId }))
  await house.close(); lap('closed')
})
