import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { users } from '#areas/users/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { imageTexts } from '#core/server/images/images.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type Caller, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { profiles } from '../contract.ts'

const house = await useHouse()
const { schema, read, change, reveal, reads, setPhoto, removePhoto } = profiles.calls
let acme: TestTenancy
let ada: TestPerson
/** In a browser, where a proof can be asked for. */
let atScreen: Caller
let eve: TestPerson
let count = 0

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  ada = acme.administrator
  atScreen = await ada.session()
  eve = await acme.person({ permissions: ['selfServicePortal'] })
})

/** A GIF of one pixel. */
const photo = 'data:image/gif;base64,R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs='

async function newPerson(): Promise<string> {
  const username = `worker${(count += 1)}`
  const draft = { username, givenName: 'New', familyName: 'Comer', emailAddress: `${username}@example.org` }
  return (await ada.call(users.calls.add, draft)).id
}

describe('The attributes of a person', () => {
  test('stand in groups, each field with its kind, and say what the viewer may read and change', async () => {
    const { groups } = await ada.call(schema, {})
    expect(groups.length).toBeGreaterThanOrEqual(14)
    expect(groups.find(({ name }) => name === 'medical')).toMatchObject({ sensitive: true, mayRead: true, mayWrite: true })
    const clerk = await acme.person({ permissions: ['userView'] })
    expect((await clerk.call(schema, {})).groups.find(({ name }) => name === 'medical')).toMatchObject({ mayRead: false, mayWrite: false })
  })

  test('keep a privilege that ends before it begins out, whichever of both days is sent', async () => {
    const id = await newPerson()
    const refused = (values: Record<string, string>) => atScreen.call(change, { id, values })
    const both = { signInPrivilegeStart: '2026-12-01', signInPrivilegeEnd: '2026-11-01' }
    await expect(refused(both)).rejects.toMatchObject({
      fields: [{ field: 'values.signInPrivilegeEnd', says: 'It ends before it begins' }],
    })
    await atScreen.call(change, { id, values: { ...both, signInPrivilegeEnd: '2026-12-31' } })
    await expect(refused({ signInPrivilegeStart: '2027-01-01' })).rejects.toMatchObject({
      fields: [{ field: 'values.signInPrivilegeStart' }],
    })
  })

  test('are kept one by one: what is not named stays, what is empty goes', async () => {
    const id = await newPerson()
    await ada.call(change, {
      id,
      values: { passType: 'Contractor', vehicleRegistration: 'ABC 123', slipRoadAccess: 'ministerial; SENATE' },
    })
    await ada.call(change, { id, values: { vehicleRegistration: '', commencementDate: '2027-03-01' } })
    const { values } = await ada.call(read, { id })
    expect(values).toMatchObject({ passType: 'Contractor', slipRoadAccess: 'Senate; Ministerial', commencementDate: '2027-03-01' })
    expect(values).not.toHaveProperty('vehicleRegistration')
  })

  test('are judged together, each fault at its field, and nothing of a faulty change is kept', async () => {
    const id = await newPerson()
    const values = { passType: 'Guest', commencementDate: 'tomorrow', slipRoadAccess: 'Garage', username: 'else', nothing: 'x' }
    await expect(ada.call(change, { id, values: { ...values, username: '', nothing: '' } })).rejects.toMatchObject({ status: 403 })
    const { username: _, nothing: __, ...known } = values
    await expect(ada.call(change, { id, values: known })).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'values.commencementDate' }, { field: 'values.slipRoadAccess' }],
    })
    expect((await ada.call(read, { id })).values).not.toHaveProperty('passType')
  })

  test('that are protected ask for a fresh proof of who the editor is', async () => {
    const id = await newPerson()
    await expect(ada.call(change, { id, values: { cardNumber: '77' } })).rejects.toMatchObject({ code: 'session_needed' })
    const later = await ada.session({ strong: false })
    house.clock.advance(6 * 60_000)
    await expect(later.call(change, { id, values: { cardNumber: '77' } })).rejects.toMatchObject({ code: 'proof_needed' })
    await (await ada.session()).call(change, { id, values: { cardNumber: '77' } })
    expect((await ada.call(read, { id })).values.cardNumber).toBe('77')
  })

  test('of somebody who holds more are not changed, nor those of another tenancy seen', async () => {
    const editor = await acme.person({ permissions: ['userView', 'userEdit'] })
    await expect(editor.call(change, { id: ada.id, values: { passType: 'Guest' } })).rejects.toMatchObject({ code: 'beyond' })
    const globex = await house.tenancy('Globex')
    for (const call of [() => globex.administrator.call(read, { id: ada.id }), () => globex.administrator.call(read, { id: acme.id })])
      await expect(call()).rejects.toMatchObject({ status: 404 })
  })

  test('go with the account', async () => {
    const id = await newPerson()
    await ada.call(change, { id, values: { passType: 'Contractor' } })
    await (await ada.session()).call(change, { id, values: { medicalDeviceType: 'Pacemaker' } })
    await ada.call(users.calls.remove, { id })
    await expect(ada.call(read, { id })).rejects.toMatchObject({ status: 404 })
  })
})

describe('A sensitive group', () => {
  test('is not shown with the others, and is shown for a purpose that the person can read', async () => {
    atScreen = await ada.session()
    await atScreen.call(change, { id: eve.id, values: { medicalDeviceType: 'Pacemaker', residentialAddress: '1 Main Street\nTown' } })
    const seen = await ada.call(read, { id: eve.id })
    expect(seen.sealed).toEqual(['addresses', 'medical'])
    expect(JSON.stringify(seen)).not.toContain('Pacemaker')
    expect(await ada.call(reveal, { userId: eve.id, group: 'medical', purpose: 'First aid at gate 3' })).toEqual({
      values: { medicalDeviceType: 'Pacemaker' },
    })
    expect((await eve.call(reads, { userId: eve.id })).rows).toMatchObject([
      { group: 'medical', readerId: ada.id, purpose: 'First aid at gate 3' },
    ])
    await expect(eve.call(reads, { userId: ada.id })).rejects.toMatchObject({ status: 403 })
  })

  test('lies sealed in the database, and the audit log tells names of fields and no value', async () => {
    const rows = await inTenant(house.house.database, acme.id, (db) =>
      sql<{ text: string }>`select encode(sealed, 'escape') as text from sealed_attributes`.execute(db),
    )
    expect(rows.rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows.rows)).not.toMatch(/Pacemaker|Main Street/)
    const events = (await audited(house, acme.id)).filter(({ area }) => area === 'profiles')
    expect(JSON.stringify(events)).not.toMatch(/Pacemaker|Main Street/)
    expect(events.map(({ name }) => name)).toContain('revealed')
  })

  test('is hidden from who may only see users: to read, to change, to find people by', async () => {
    const clerk = await acme.person({ permissions: ['userView', 'userEdit'] })
    const seen = await clerk.call(read, { id: eve.id })
    expect(seen).toMatchObject({ sealed: [], hiddenGroups: 2 })
    await expect(clerk.call(reveal, { userId: eve.id, group: 'medical', purpose: 'Curiosity' })).rejects.toMatchObject({ status: 403 })
    await expect(clerk.call(change, { id: eve.id, values: { medicalDeviceType: '' } })).rejects.toMatchObject({ code: 'unwritable' })
    for (const field of ['medicalDeviceType', 'noSuchField'])
      await expect(clerk.call(users.calls.search, { attributes: { [field]: 'P' } })).rejects.toMatchObject({
        code: 'hiddenField',
        message: expect.stringContaining(field),
      })
  })

  test('of oneself is read without a purpose on record', async () => {
    const before = (await eve.call(reads, { userId: eve.id })).total
    expect((await eve.call(reveal, { userId: eve.id, group: 'medical', purpose: 'My own' })).values).toEqual({
      medicalDeviceType: 'Pacemaker',
    })
    expect((await eve.call(reads, { userId: eve.id })).total).toBe(before)
  })
})

describe('People', () => {
  test('are found by the beginning of an attribute, whatever its case', async () => {
    const id = await newPerson()
    await ada.call(change, { id, values: { passType: 'Sessional staff' } })
    expect((await ada.call(users.calls.search, { passType: 'sessional' })).rows.map((row) => row.id)).toEqual([id])
    expect((await ada.call(users.calls.search, { attributes: { passType: 'Sess', vehicleRegistration: 'A' } })).total).toBe(0)
  })
})

describe('A photo', () => {
  test('is drawn anew, given out as a file that no browser runs, and taken away', async () => {
    const id = await newPerson()
    const path = `${profiles.endpoints.photo.path}?id=${id}`
    expect((await ada.fetch(path)).status).toBe(404)
    await ada.call(setPhoto, { id, photo })
    const answer = await ada.fetch(path)
    expect(answer.headers.get('content-type')).toBe('image/jpeg')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment/)
    expect((await ada.call(read, { id })).photoAt).toBeDefined()
    await ada.call(removePhoto, { id })
    expect((await ada.fetch(path)).status).toBe(404)
  })

  test.each([
    ['nothing', '', imageTexts.none],
    ['a WebP', 'data:image/webp;base64,UklGRg==', imageTexts.type],
    ['a PNG that is SVG', `data:image/png;base64,${Buffer.from('<svg/>').toString('base64')}`, imageTexts.corrupt],
  ])('is refused in the specified words: %s', async (_name, bad, says) => {
    const id = await newPerson()
    await expect(ada.call(setPhoto, { id, photo: bad })).rejects.toMatchObject({ fields: [{ field: 'photo', says }] })
  })

  test('is not seen by who may not see the person', async () => {
    const outsider = await acme.person({ permissions: ['selfServicePortal'] })
    expect((await outsider.fetch(`${profiles.endpoints.photo.path}?id=${eve.id}`)).status).toBe(403)
  })
})
