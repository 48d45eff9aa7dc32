// What an account may do in a tenancy now: one table, asked in every way in which the house asks.

import { beforeAll, describe, expect, test } from 'vitest'
import { mayVisit, rightsHere, rightsOf } from '#areas/users/rights.ts'
import { peopleWhoMay } from '#areas/users/service.ts'
import type { Permission } from '#core/contract/permission-labels.ts'
import { inTenant } from '#core/server/database.ts'
import type { Viewer } from '#core/server/serve.ts'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { mayStill } from '../rights.ts'
import { addToken, findViewer, findViewerLater, openSession } from '../service.ts'

const house = await useHouse()
const head = await house.tenancy('Head office')
const branch = await house.tenancy('Branch')
const apart = await house.tenancy('Apart')
beforeAll(async () => {
  await house.asOwner(`update tenancies set managed_by = null where id = '${apart.id}'`)
})

const wanted = 'manageCAs'
const changes: Record<string, (person: TestPerson) => string> = {
  'nothing changed': () => 'select 1',
  'the account was disabled': ({ id }) => `update users set enabled = false where id = '${id}'`,
  'the role was taken away': ({ id }) => `delete from role_members where user_id = '${id}'`,
  'the role lost the permission': ({ username }) =>
    `update roles set api = array_remove(api, '${wanted}') where name = 'Role of ${username}'`,
  'the right to work elsewhere was lost': ({ username }) =>
    `update roles set api = array_remove(api, 'tenancyConfig') where name = 'Role of ${username}'`,
  'the token was revoked': ({ id }) => `delete from api_tokens where user_id = '${id}'`,
  'the token ended': ({ id }) => `update api_tokens set expires_at = now() - interval '1 day' where user_id = '${id}'`,
  'the person signed out': ({ id }) => `delete from sessions where user_id = '${id}'`,
  'the tenancy got another manager': () => `update tenancies set managed_by = null where id = '${branch.id}'`,
}

type Row = {
  changed: string
  at: 'home' | 'branch' | 'apart'
  holds: readonly Permission[]
  /** Of the token. */
  scopes?: readonly Permission[]
  /** What a session, a token, a job in the person's name, and a second check of each answer. */
  session: boolean
  token: boolean
  job: boolean
  sessionStill: boolean
  tokenStill: boolean
}

const all: readonly Permission[] = [wanted, 'tenancyConfig']
const everyway = (may: boolean) => ({ session: may, token: may, job: may, sessionStill: may, tokenStill: may })
/** Tokens work at home alone. */
const sessionsOnly = (may: boolean) => ({ ...everyway(may), token: false, tokenStill: false })

const rows: Row[] = [
  { changed: 'nothing changed', at: 'home', holds: all, ...everyway(true) },
  { changed: 'nothing changed', at: 'home', holds: ['tenancyConfig'], ...everyway(false) },
  { changed: 'nothing changed', at: 'home', holds: all, scopes: ['tenancyConfig'], ...everyway(true), token: false, tokenStill: false },
  { changed: 'nothing changed', at: 'home', holds: all, scopes: [wanted], ...everyway(true) },
  { changed: 'nothing changed', at: 'home', holds: ['tenancyConfig'], scopes: [wanted], ...everyway(false) },
  { changed: 'the account was disabled', at: 'home', holds: all, ...everyway(false) },
  { changed: 'the role was taken away', at: 'home', holds: all, ...everyway(false) },
  { changed: 'the role lost the permission', at: 'home', holds: all, ...everyway(false) },
  { changed: 'the role lost the permission', at: 'home', holds: all, scopes: [wanted], ...everyway(false) },
  { changed: 'the right to work elsewhere was lost', at: 'home', holds: all, ...everyway(true) },
  { changed: 'the token was revoked', at: 'home', holds: all, ...everyway(true), token: false, tokenStill: false },
  { changed: 'the token ended', at: 'home', holds: all, ...everyway(true), token: false, tokenStill: false },
  // What was asked for before stays asked for.
  { changed: 'the person signed out', at: 'home', holds: all, ...everyway(true), session: false },
  { changed: 'the tenancy got another manager', at: 'home', holds: all, ...everyway(true) },
  { changed: 'nothing changed', at: 'branch', holds: all, ...sessionsOnly(true) },
  { changed: 'nothing changed', at: 'branch', holds: [wanted], ...sessionsOnly(false) },
  { changed: 'the account was disabled', at: 'branch', holds: all, ...sessionsOnly(false) },
  { changed: 'the role was taken away', at: 'branch', holds: all, ...sessionsOnly(false) },
  { changed: 'the role lost the permission', at: 'branch', holds: all, ...sessionsOnly(false) },
  { changed: 'the right to work elsewhere was lost', at: 'branch', holds: all, ...sessionsOnly(false) },
  { changed: 'the person signed out', at: 'branch', holds: all, ...sessionsOnly(true), session: false },
  { changed: 'the tenancy got another manager', at: 'branch', holds: all, ...sessionsOnly(false) },
  { changed: 'nothing changed', at: 'apart', holds: all, ...sessionsOnly(false) },
]

const facts = { id: '', address: '', userAgent: '', idempotencyKey: '', cookies: {}, bearer: undefined, secure: false }

async function tried({ changed, at, holds, scopes = [] }: Row) {
  const person = await head.person({ permissions: holds })
  const tenantId = { home: head, branch, apart }[at].id
  const now = house.clock.now()
  const database = house.house.database
  const [{ secret }, { token }] = await inTenant(database, head.id, async (db) => [
    await openSession(db, { tenantId: head.id, userId: person.id, stage: 'open', strong: true, address: '', userAgent: '' }, now),
    await addToken(
      db,
      { tenantId: head.id, userId: person.id, name: '', scopes: [...scopes], expiresAt: new Date(now.getTime() + 86_400_000) },
      now,
    ),
  ])
  await house.asOwner(`update sessions set working_tenant_id = '${tenantId}' where user_id = '${person.id}'`)
  const bySession = () => findViewer({ ...facts, cookies: { 'chancery-session': secret } }, house.house, house.clock.now())
  const byToken = () => findViewer({ ...facts, bearer: token }, house.house, house.clock.now())
  const before: Record<'session' | 'token', Viewer | undefined> = { session: await bySession(), token: await byToken() }
  await house.asOwner(changes[changed]?.(person) ?? '')
  house.house.cache.forget()
  try {
    const may = (viewer: Viewer | undefined) => viewer?.tenantId === tenantId && viewer.permission.api.includes(wanted)
    const still = (viewer: Viewer | undefined) =>
      viewer?.tenantId !== tenantId
        ? false
        : inTenant(database, tenantId, (db) => mayStill(db, viewer, { needs: wanted }, house.clock.now()))
    const job = may(await findViewerLater(house.house, { userId: person.id, homeTenantId: head.id, tenantId }, ''))
    const [rights, reached] = await inTenant(database, tenantId, async (db) => [
      await rightsHere(db, tenantId, person.id),
      await peopleWhoMay(db, tenantId, wanted),
    ])
    return {
      session: may(await bySession()),
      token: may(await byToken()),
      job,
      sessionStill: await still(before.session),
      tokenStill: await still(before.token),
      byId: rights?.permission.api.includes(wanted) === true,
      // Mail goes to the tenancy's own people.
      mail: reached.some(({ id }) => id === person.id),
    }
  } finally {
    await house.asOwner(`update tenancies set managed_by = '${head.id}' where id = '${branch.id}'`)
  }
}

describe('What an account may do', () => {
  test.each(rows)('at $at, holding $holds, with scopes $scopes, when $changed', async (row) => {
    const { session, token, job, sessionStill, tokenStill } = row
    expect(await tried(row)).toEqual({ session, token, job, sessionStill, tokenStill, byId: job, mail: job && row.at === 'home' })
  })

  test('is nothing in a tenancy whose people it does not belong to, whatever it holds at home', async () => {
    const grace = await branch.person({ permissions: 'all' })
    const at = (tenancy: TestTenancy) =>
      inTenant(house.house.database, tenancy.id, (db) => rightsOf(db, { userId: grace.id, homeTenantId: branch.id }, tenancy.id))
    expect(mayVisit((await at(branch))?.permission ?? { View: [], Menu: [], activeMenu: [], api: [], roles: [], isManager: false })).toBe(
      true,
    )
    expect([await at(head), await at(apart)]).toEqual([undefined, undefined])
  })

  test('is still what it was for a session that goes on at home after its tenancy got another manager', async () => {
    const person = await head.person({ permissions: all })
    const { secret } = await inTenant(house.house.database, head.id, (db) =>
      openSession(db, { tenantId: head.id, userId: person.id, stage: 'open', strong: true, address: '', userAgent: '' }, house.clock.now()),
    )
    await house.asOwner(`update sessions set working_tenant_id = '${apart.id}' where user_id = '${person.id}'`)
    const viewer = await findViewer({ ...facts, cookies: { 'chancery-session': secret } }, house.house, house.clock.now())
    expect(viewer).toMatchObject({ tenantId: head.id, homeTenantId: head.id, permission: { api: [...all].sort() } })
  })
})
