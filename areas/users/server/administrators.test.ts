import { expect, test } from 'vitest'
import { roles } from '#areas/roles/contract.ts'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { users } from '../contract.ts'

const house = await useHouse()
const acme = await house.tenancy('Acme')
const second = await acme.person({ permissions: 'all' })

const administratorRole = async () => {
  const { rows } = await acme.administrator.call(roles.calls.search, { text: 'Administrator' })
  return rows.find((role) => role.builtIn)?.id ?? ''
}

async function draftOf(person: TestPerson, roleIds: string[]) {
  const { username, givenName, familyName, emailAddress, telephoneNumber, title, locality, organisation } = await acme.administrator.call(
    users.calls.read,
    { id: person.id },
  )
  return { id: person.id, username, givenName, familyName, emailAddress, telephoneNumber, title, locality, organisation, roleIds }
}

test('the last administrator can neither be disabled nor lose the role', async () => {
  await expect(second.call(users.calls.setEnabled, { id: acme.administrator.id, enabled: false })).rejects.toMatchObject({
    status: 409,
    code: 'lastAdministrator',
  })
  const draft = await draftOf(acme.administrator, [])
  await expect(acme.administrator.call(users.calls.change, draft)).rejects.toMatchObject({ code: 'lastAdministrator' })
})

test('one who was only invited does not count', async () => {
  const role = await administratorRole()
  const { id } = await acme.administrator.call(users.calls.add, {
    username: 'not.yet',
    givenName: 'Not',
    familyName: 'Yet',
    emailAddress: 'not.yet@example.org',
    roleIds: [role],
  })
  await expect(second.call(users.calls.setEnabled, { id: acme.administrator.id, enabled: false })).rejects.toMatchObject({
    status: 409,
    code: 'lastAdministrator',
  })
  await expect(acme.administrator.call(users.calls.change, await draftOf(acme.administrator, []))).rejects.toMatchObject({
    code: 'lastAdministrator',
  })
  await acme.administrator.call(users.calls.setEnabled, { id, enabled: false })
})

test('of two administrators who take the role from each other at once, one keeps it', async () => {
  const role = await administratorRole()
  const draft = await draftOf(second, [])
  await acme.administrator.call(users.calls.change, { ...draft, roleIds: [role] })
  const outcomes = await Promise.allSettled([
    second.call(users.calls.setEnabled, { id: acme.administrator.id, enabled: false }),
    acme.administrator.call(users.calls.setEnabled, { id: second.id, enabled: false }),
  ])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})
