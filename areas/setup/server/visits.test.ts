// A log names who came from elsewhere, and begins with who made the tenancy.

import { describe, expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { openSession } from '#areas/sessions/service.ts'
import { inTenant } from '#core/server/database.ts'
import { forgeryCookie, forgeryToken, sessionCookie } from '#core/server/steps/forgery.ts'
import { browser } from '#core/testing/browser.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse } from '#core/testing/house.ts'
import { setup } from '../contract.ts'

const house = await useHouse({ background: true })
const north = await house.tenancy('Northwind')
const fin = await house.tenancy('Bluefin')

async function inSession() {
  const { id, tenantId } = north.administrator
  const { secret } = await inTenant(house.house.database, tenantId, (db) =>
    openSession(db, { tenantId, userId: id, stage: 'open', strong: true, address: '', userAgent: '' }, house.clock.now()),
  )
  const page = browser(house.origin)
  page.cookies.set(sessionCookie, secret)
  page.cookies.set(forgeryCookie, forgeryToken(secret))
  return page
}

describe('The log of a tenancy', () => {
  test('names the tenancy of who came from another, in what they did, in what they were refused, and in coming', async () => {
    const page = await inSession()
    const name = `${north.administrator.username} (Northwind)`
    await page.call(sessions.calls.switchTenancy, { tenantId: fin.id })
    await page.call(roles.calls.add, { name: 'Auditors' })
    await expect(page.call(roles.calls.add, { name: 'Auditors' })).rejects.toHaveProperty('status')
    await expect
      .poll(async () => (await audited(house, fin.id)).filter(({ name: event }) => event === 'visited').map(({ actor }) => actor))
      .toEqual([name])
    await page.call(sessions.calls.switchTenancy, { tenantId: north.id })
    await expect
      .poll(async () => (await audited(house, fin.id)).filter(({ name: event }) => event === 'left').map(({ actor }) => actor))
      .toEqual([name])
    expect((await audited(house, north.id)).filter(({ name: event }) => ['left', 'visited'].includes(event))).toEqual([])
    const { rows } = await fin.administrator.call(audit.calls.search, {})
    expect(rows.map(({ area, name: event, actor, outcome }) => [`${area}.${event}`, actor, outcome])).toEqual(
      expect.arrayContaining([
        ['setup.visited', name, 'done'],
        ['roles.added', name, 'done'],
        ['roles.add', name, 'refused'],
      ]),
    )
    const [event] = rows.filter(({ name: one }) => one === 'added')
    expect((await fin.administrator.call(audit.calls.event, { eventId: event?.id ?? '' })).actor).toBe(name)
    await page.call(roles.calls.add, { name: 'Own people' })
    expect(
      (await audited(house, north.id)).filter(({ name: one }) => ['added', 'switched'].includes(one)).map(({ actor }) => actor),
    ).toEqual(Array(3).fill(north.administrator.username))
  })

  test('begins with the tenancy and its first administrator, and by whom they were made', async () => {
    const made = await north.administrator.call(setup.calls.addTenancy, {
      name: 'Cedar',
      administrator: { username: 'cedar', givenName: 'C', familyName: 'Edar', emailAddress: 'cedar@example.org' },
    })
    const by = `${north.administrator.username} (Northwind)`
    expect((await audited(house, made.oid)).map(({ name, actor, about }) => [name, actor, about])).toEqual([
      ['tenancyAdded', by, made.oid],
      ['administratorAdded', by, made.userId],
    ])
    expect(
      (await audited(house, north.id)).filter(({ name }) => name === 'tenancyAdded').map(({ actor, about }) => [actor, about]),
    ).toEqual([[north.administrator.username, made.oid]])
  })
})
