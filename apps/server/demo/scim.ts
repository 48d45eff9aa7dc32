// The demonstration's identity provider: an application that keeps some people and two groups in step by SCIM, and what it sent.

import { randomUUID } from 'node:crypto'
import { insertApplication } from '#areas/applications/server/store.ts'
import { scim } from '#areas/scim/contract.ts'
import { insertGroup, insertMembers } from '#areas/scim/server/group-store.ts'
import { insertLink, insertRequest, updateSource } from '#areas/scim/server/store.ts'
import { insertProgram } from '#areas/users/programs.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import type { FoundTenancy } from './found.ts'

const hour = 3_600_000
const name = 'Entra provisioning'
const scopes = ['userAdd', 'userEdit', 'userView']

export async function writeScim(house: House, tenancies: readonly FoundTenancy[]): Promise<void> {
  for (const { id: tenantId, members } of tenancies) {
    const administrator = members.find(({ role }) => role === 'administrator')
    const people = members.filter((member) => member !== administrator).slice(0, 12)
    if (administrator === undefined || people.length < 4) continue
    await house.work(tenantId, { userId: administrator.id, name: administrator.username }, async ({ tenancy, emitFor }) => {
      const id = randomUUID()
      await insertApplication(tenancy, {
        id,
        name,
        note: 'Keeps people and groups in step',
        owner_kind: 'person',
        owner_id: administrator.id,
        scopes,
        networks: [],
        ends_at: null,
        enabled: true,
      })
      await insertProgram(tenancy, { id, name, scopes, enabled: true, ends_at: null })
      await updateSource(tenancy, { id, name, invite: true, answers_id: administrator.id, answers: administrator.username })
      emitFor(scim)('connected', { sourceId: id, name }, id)
      for (const person of people)
        await insertLink(tenancy, {
          source_id: id,
          user_id: person.id,
          user_name: person.username,
          user_name_key: person.username.toLowerCase(),
          external_id: randomUUID(),
        })
      for (const [displayName, of] of [
        ['PKI officers', people.slice(0, 4)],
        ['All staff', people],
      ] as const) {
        const groupId = timeOrderedId(tenancy.now)
        await insertGroup(tenancy, {
          id: groupId,
          source_id: id,
          display_name: displayName,
          display_name_key: displayName.toLowerCase(),
          external_id: randomUUID(),
        })
        await insertMembers(
          tenancy,
          groupId,
          of.map((person) => person.id),
        )
      }
      const sent = [
        { method: 'PATCH', path: `/Users/${people[0]?.id ?? ''}`, status: 200, effect: 'Changed title', userId: people[0]?.id },
        { method: 'PATCH', path: `/Users/${people[1]?.id ?? ''}`, status: 200, effect: 'Changed telephoneNumber', userId: people[1]?.id },
        { method: 'POST', path: '/Users', status: 409, effect: 'emails: somebody here has this e-mail address', userId: undefined },
      ]
      for (const [at, { userId, ...request }] of sent.entries())
        await insertRequest(tenancy, {
          id: randomUUID(),
          source_id: id,
          at: new Date(tenancy.now.getTime() - (at + 1) * hour),
          ...request,
          body: '',
          user_id: userId ?? null,
        })
    })
  }
}
