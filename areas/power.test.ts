// Who holds more than the viewer, from whatever source, is changed by none of the calls that compare power. The victim holds nothing in the tenancy, and in a
// part of its organisations one permission that the viewer has not.

import { beforeAll, describe, expect, test } from 'vitest'
import { rooms } from '#apps/server/rooms.ts'
import type { Call } from '#core/contract/contract.ts'
import { permissions, type Permission } from '#core/contract/permission-labels.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { refusal, useHouse, type Caller, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { directories } from './directories/contract.ts'
import { defaultFilter, defaultMapping } from './directories/mapping.ts'
import { fidosync } from './fidosync/contract.ts'
import { organisations } from './organisations/contract.ts'
import { passkeys } from './passkeys/contract.ts'
import { profiles } from './profiles/contract.ts'
import { roles } from './roles/contract.ts'
import { scim } from './scim/contract.ts'
import { connectedClient, type ScimClient } from './scim/server/client.fixture.ts'
import { sessions } from './sessions/contract.ts'
import { findViewerLater } from './sessions/service.ts'
import { isBeyond } from './smartcards/service.ts'
import { sso } from './sso/contract.ts'
import { users } from './users/contract.ts'

const house = await useHouse()
let acme: TestTenancy
let ada: TestPerson
let mallory: TestPerson
let desk: Caller
let region: string
let office: string
let roleId: string
let victim: TestPerson
/** Has the link of the invitation still to open. */
let invited: string
let directoryId: string
let entra: ScimClient

const lacked: Permission = 'manageCAs'
const absent = '0190b1d2-0000-7000-8000-000000000000'
const namesOf = (id: string) => ({ username: `u${id.slice(-8)}`, givenName: 'A', familyName: 'B', emailAddress: 'mine@example.org' })
const give = (userId: string, given = true, id = region) => ada.call(organisations.calls.setPermission, { id, userId, roleId, given })

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  ada = acme.administrator
  const rest = (Object.keys(permissions) as Permission[]).filter((name) => name !== lacked)
  mallory = await acme.person({ permissions: rest })
  desk = await mallory.session()
  region = (await ada.call(organisations.calls.add, { name: 'Region' })).id
  office = (await ada.call(organisations.calls.add, { name: 'Office', parentId: region })).id
  roleId = (await ada.call(roles.calls.add, { name: 'Keeper of a part', api: [lacked] })).id
  victim = await acme.person({ permissions: [] })
  invited = (await mallory.call(users.calls.add, { ...namesOf(absent), emailAddress: 'invited@example.org' })).id
  for (const id of [victim.id, invited]) await give(id)
  entra = await connectedClient(acme, house.origin, { browser: desk })
  directoryId = (
    await ada.call(directories.calls.add, {
      name: 'Open for changes',
      kind: 'ldap',
      host: '8.8.8.8',
      port: 636,
      security: 'ldaps',
      roots: '',
      bindDn: 'cn=reader,dc=example',
      password: 'a password of a reader',
      baseDn: 'dc=example',
      filter: defaultFilter.ldap,
      mapping: defaultMapping.ldap,
      writable: true,
      peopleBase: 'ou=people,dc=example',
    })
  ).id
  await house.asOwner(
    `insert into sso_identities (tenant_id, id, provider_id, issuer, subject, user_id, name, linked_at)
      values ('${acme.id}', '${absent}', '${absent}', 'https://idp.example', 'victim', '${victim.id}', 'victim', now());
    insert into synced_fido_credentials (tenant_id, id, credential_id, provider_user_id, account, user_id, provider_name, custom_name, model, aaguid,
      attestation, seen_at, state, marked_by, trouble)
      values ('${acme.id}', '${absent}', 'victim', 'victim', 'victim', '${victim.id}', '', '', '', '', '', now(), 'marked', '', '')`,
  )
})

type Ask = () => Promise<unknown>
const ask: Record<string, Ask> = {
  'users.change': async () => {
    const { username, givenName, familyName, emailAddress } = await ada.call(users.calls.read, { id: victim.id })
    return desk.call(users.calls.change, { id: victim.id, username, givenName, familyName, emailAddress, title: 'Mine', roleIds: [] })
  },
  'users.setEnabled': () => desk.call(users.calls.setEnabled, { id: victim.id, enabled: false }),
  'users.activate': () => desk.call(users.calls.activate, { id: victim.id }),
  'users.remove': () => desk.call(users.calls.remove, { id: victim.id }),
  'users.invite': () => desk.call(users.calls.invite, { id: invited }),
  'profiles.change': () => desk.call(profiles.calls.change, { id: victim.id, values: { title: 'Mine' } }),
  'profiles.removePhoto': () => desk.call(profiles.calls.removePhoto, { id: victim.id }),
  'profiles.previewMerge': () => desk.call(profiles.calls.previewMerge, { id: invited, otherId: victim.id }),
  'profiles.merge': () => desk.call(profiles.calls.merge, { id: invited, otherId: victim.id, take: [] }),
  'passkeys.rename': () => desk.call(passkeys.calls.rename, { userId: victim.id, id: absent, newCustomName: 'Mine' }),
  'passkeys.remove': () => desk.call(passkeys.calls.remove, { userId: victim.id, id: absent }),
  'sessions.mfaReset': () => desk.call(sessions.calls.mfaReset, { userId: victim.id }),
  'sessions.mfaDisable': () => desk.call(sessions.calls.mfaDisable, { userId: victim.id }),
  'sessions.endSessions': () => desk.call(sessions.calls.endSessions, { userId: victim.id }),
  'sso.removeIdentity': () => desk.call(sso.calls.removeIdentity, { id: absent }),
  'fidosync.mark': () => desk.call(fidosync.calls.mark, { credentialId: 'victim', markedForDeletion: true }),
  'fidosync.rename': () => desk.call(fidosync.calls.rename, { credentialId: 'victim', newCustomName: 'Mine' }),
  'fidosync.remove': () => desk.call(fidosync.calls.remove, { credentialId: 'victim' }),
  'scim.link': () => desk.call(scim.calls.link, { sourceId: entra.id, userId: victim.id, userName: 'victim' }),
  'directories.planWrite': () => desk.call(directories.calls.planWrite, { userId: victim.id, directoryId, action: 'disable', target: '' }),
}

/** Compared by the same function, with what else they need: a card in a reader, a key of a provider, a plan that was made before. */
const elsewhere: Record<string, string> = {
  'profiles.setPhoto': 'asks as removePhoto does, once the picture was read',
  'directories.runWrite': 'asks as planWrite does',
  ...Object.fromEntries(
    [
      'assign',
      'assignTemporary',
      'resume',
      'edit',
      'issue',
      'issueTemporary',
      'issueVirtual',
      'reissue',
      'resetPinByAnswers',
      'unblock',
    ].map((name) => [`smartcards.${name}`, 'asks `isBeyond`, which is tried below']),
  ),
}

const calls = rooms.flatMap((room) => room.calls.map(({ call }) => call as Call))
const nameOf = ({ area, name }: Call) => `${area}.${name}`
/** What is compared there is a role, a scope or an application that is to be given, and no person. */
const ofGiving = new Set([
  'roles.add',
  'roles.change',
  'roles.remove',
  'users.add',
  'organisations.setPermission',
  'sessions.addToken',
  'applications.add',
  'applications.change',
  'applications.rotate',
  'kubernetes.add',
  'registration.changeSettings',
  'registration.decide',
  'sso.add',
  'sso.change',
  'directories.add',
  'directories.change',
  'scim.setRoles',
])

describe('Who holds more in a part of the organisations', () => {
  test('is named by each call that compares power', () => {
    const comparing = calls.filter(({ faults = {} }) => Object.keys(faults).some((code) => code.startsWith('beyond'))).map(nameOf)
    expect(comparing.filter((name) => ask[name] === undefined && elsewhere[name] === undefined && !ofGiving.has(name))).toEqual([])
  })

  test.each(Object.keys(ask))('is out of reach of %s', async (name) => {
    expect(await refusal(ask[name]?.() ?? Promise.resolve())).toMatchObject({ status: 403, code: expect.stringMatching(/^beyond/) })
  })

  test('is neither changed by an identity provider nor given another link by it', async () => {
    const made = await entra.ask('POST', '/Users', {
      userName: 'ada@acme.example',
      name: { givenName: 'Ada', familyName: 'B' },
      emails: [{ value: 'ada@acme.example' }],
    })
    const id = String(made.body['id'])
    await give(id)
    const change = { Operations: [{ op: 'replace', path: 'emails[type eq "work"].value', value: 'mine@evil.example' }] }
    expect((await entra.ask('PATCH', `/Users/${id}`, change)).status).toBe(403)
    expect((await entra.ask('DELETE', `/Users/${id}`)).status).toBe(403)
    await give(id, false)
    expect((await entra.ask('DELETE', `/Users/${id}`)).status).toBe(204)
  })

  test('gets no card from the desk, in a reader or not', async () => {
    const viewer = await findViewerLater(house.house, { userId: mallory.id, homeTenantId: acme.id, tenantId: acme.id }, 'test')
    if (viewer === undefined) throw new Error('Nobody')
    const beyond = (userId: string) => withTenancy(house.house, acme.id, (tenancy) => isBeyond(house.house, tenancy, viewer, userId))
    expect([await beyond(victim.id), await beyond(mallory.id)]).toEqual([true, false])
  })

  test('is within reach of who holds the same there or above, and of nobody who holds it below', async () => {
    const colleague = await acme.person({ permissions: [] })
    await give(colleague.id, true, office)
    const change = () => desk.call(profiles.calls.change, { id: colleague.id, values: { passType: 'Visitor' } })
    expect(await refusal(change())).toMatchObject({ code: 'beyond' })
    await give(mallory.id, true, region)
    await change()
    expect(await refusal(desk.call(users.calls.setEnabled, { id: (await above()).id, enabled: false }))).toMatchObject({ code: 'beyond' })
    await give(mallory.id, false, region)
    expect(await refusal(change())).toMatchObject({ code: 'beyond' })

    async function above() {
      const one = await acme.person({ permissions: [] })
      const { id } = await ada.call(organisations.calls.add, { name: 'Beside' })
      await give(one.id, true, id)
      return one
    }
  })

  test('is not reached by the link that was made when they held less', async () => {
    const { id, activationLink } = await mallory.call(users.calls.add, { ...namesOf(office), emailAddress: 'later@example.org' })
    const token = activationLink.replace(/^.*\//, '')
    const usable = async () => (await house.signedOut.call(sessions.calls.readActivation, { token })).usable
    expect(await usable()).toBe(true)
    await give(id)
    expect(await usable()).toBe(false)
  })
})
