import { beforeAll, describe, expect, it } from 'vitest'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { search } from '../contract.ts'
import { mostViews } from '../rules.ts'

let ada: TestPerson

const house = await useHouse()
const acme = await house.tenancy('Acme')
const other = await house.tenancy('Other')
beforeAll(async () => {
  ada = await acme.person({
    permissions: ['search', 'userView', 'roleView'],
    givenName: 'Ada',
    familyName: 'Lovelace',
    username: 'ada.lovelace',
  })
  await other.person({ permissions: ['search'], givenName: 'Ada', familyName: 'Elsewhere' })
})

describe('The search over everything', () => {
  it('finds people and roles with the way to each, and nothing of another tenancy', async () => {
    const { records } = await ada.call(search.calls.records, { text: 'ada' })
    expect(records.filter(({ type }) => type === 'user')).toEqual([
      {
        type: 'user',
        id: ada.id,
        label: 'Ada Lovelace',
        detail: 'ada.lovelace · ada.lovelace@example.org',
        path: `/identity/user/view/${ada.id}`,
      },
    ])
    expect((await ada.call(search.calls.records, { text: 'administr' })).records).toContainEqual(
      expect.objectContaining({ type: 'role', label: 'Administrator' }),
    )
  })

  it('leaves out the types that the viewer may not see', async () => {
    const eve = await acme.person({ permissions: ['search'] })
    expect((await eve.call(search.calls.records, { text: 'ada' })).records).toEqual([])
  })

  it('is in the palette also for who has no inventory, each kind for who may see it', async () => {
    const eve = await acme.person({ permissions: ['userView'] })
    const { records } = await eve.call(search.calls.find, { text: 'ad' })
    expect(records.map(({ type, label }) => `${type} ${label}`)).toContain('user Ada Lovelace')
    expect(records.filter(({ type }) => type !== 'user')).toEqual([])
    const nobody = await acme.person({ permissions: [] })
    expect((await nobody.call(search.calls.find, { text: 'ad' })).records).toEqual([])
  })

  it('says how many there are of each status, of the kinds that the viewer may see', async () => {
    const { kinds } = await ada.call(search.calls.facets, {})
    expect(kinds).toEqual([{ type: 'user', status: { active: expect.any(Number), invited: 0, disabled: 0 } }])
    const auditor = await acme.person({ permissions: ['search', 'certView'] })
    expect((await auditor.call(search.calls.facets, {})).kinds).toMatchObject([{ type: 'certificate', status: { active: 0, revoked: 0 } }])
  })

  it('is refused without the permission and for an empty text', async () => {
    const eve = await acme.person({ permissions: ['userView'] })
    await expect(eve.call(search.calls.records, { text: 'ada' })).rejects.toMatchObject({ status: 403 })
    await expect(ada.call(search.calls.records, { text: '  ' })).rejects.toMatchObject({ status: 400, fields: [{ field: 'text' }] })
  })
})

describe('Saved views', () => {
  const view = { list: 'users.all', name: 'Disabled', path: '/search/user', query: '?status=disabled' }

  it('belong to one person, are replaced by name and can be removed', async () => {
    await ada.call(search.calls.keepView, view)
    await ada.call(search.calls.keepView, { ...view, query: '?status=invited' })
    expect((await ada.call(search.calls.views, {})).views).toEqual([{ ...view, query: '?status=invited' }])
    expect((await acme.administrator.call(search.calls.views, {})).views).toEqual([])
    await ada.call(search.calls.removeView, { list: view.list, name: view.name })
    expect((await ada.call(search.calls.views, {})).views).toEqual([])
  })

  it('lead only into this console', async () => {
    await expect(ada.call(search.calls.keepView, { ...view, path: '//evil.example' })).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'path' }],
    })
  })

  it('are bounded in number', async () => {
    for (let at = 0; at < mostViews; at += 1) await ada.call(search.calls.keepView, { ...view, name: `View ${at}` })
    await expect(ada.call(search.calls.keepView, { ...view, name: 'One too many' })).rejects.toMatchObject({ status: 409, code: 'tooMany' })
    await ada.call(search.calls.keepView, { ...view, name: 'View 0', query: '?text=x' })
  })
})
