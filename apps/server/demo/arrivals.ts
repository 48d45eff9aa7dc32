// The demonstration's last ninety days: who joined, by whose hand or program, and the roles that were made for them.

import { roles } from '#areas/roles/contract.ts'
import { insertMember } from '#areas/roles/server/store.ts'
import { addRole, findRolesNamed } from '#areas/roles/service.ts'
import { users } from '#areas/users/contract.ts'
import type { Origin } from '#areas/users/creation.ts'
import { activateDirectly, addPerson, makeActivation, noteSignIn } from '#areas/users/service.ts'
import type { Permission } from '#core/contract/permission-labels.ts'
import type { Actor, House } from '#core/server/house.ts'
import { chanceFrom } from './chance.ts'
import type { FoundTenancy } from './found.ts'
import { makePeople } from './people.ts'
import { membersOf } from './plan.ts'
import { workInThePast } from './then.ts'

const day = 86_400_000

type NewRole = { name: string; description: string; grants: Permission[]; daysAgo: number; people: number }

/** One of them is powerful and held by several, and nobody has the last one yet. */
const newRoles: readonly NewRole[] = [
  {
    name: 'Service desk',
    description: 'Answers tickets and looks people up',
    grants: ['ticketView', 'ticketEdit', 'userView'],
    daysAgo: 83,
    people: 5,
  },
  {
    name: 'Card office',
    description: 'Issues and replaces cards',
    grants: ['userView', 'userEdit', 'smartcardManage', 'smartcardRequest'],
    daysAgo: 47,
    people: 6,
  },
  {
    name: 'Network team',
    description: 'Sees certificates and devices',
    grants: ['search', 'certView', 'deviceView'],
    daysAgo: 19,
    people: 3,
  },
  { name: 'Night watch', description: 'Reads alerts at night', grants: ['alerting', 'monitor'], daysAgo: 4, people: 0 },
]

/** How people came lately: most by hand of either administrator, the others by a file or a program. */
const ways: readonly { origin: Origin; weight: number; program?: string }[] = [
  { origin: 'form', weight: 5 },
  { origin: 'import', weight: 3 },
  { origin: 'scim', weight: 2, program: 'Entra provisioning (application)' },
  { origin: 'registration', weight: 1 },
]

/** By a chance of its own, so that the rest of the story stays as it is whoever joins. */
export async function writeArrivals(house: House, tenancies: readonly FoundTenancy[]): Promise<void> {
  const chance = chanceFrom(90)
  const taken = new Set(tenancies.flatMap(({ members }) => members.map(({ username }) => username)))
  const now = house.now()
  const ago = (days: number) => new Date(now.getTime() - days * day)
  for (const tenancy of tenancies) {
    const { id: tenantId, plan, members } = tenancy
    const newcomers = makePeople(chance, plan, Math.ceil(members.length / 6), taken, [])
    const makers = membersOf(tenancy, 'administrator').map(({ id, username }): Actor => ({ userId: id, name: username }))
    const holders = members.filter(({ role }) => role === 'user')
    await workInThePast(house, tenantId, async ({ db, emitAt }) => {
      const [user] = await findRolesNamed(db, tenantId, ['user'])
      const times = newcomers.map(() => chance.between(ago(89), now)).sort((a, b) => a.getTime() - b.getTime())
      for (const [place, person] of newcomers.entries()) {
        const at = times[place] ?? now
        const { origin, program } = chance.weighted(ways)
        const maker = program === undefined ? chance.pick(makers) : { name: program }
        const id = await addPerson(db, tenantId, { ...person, origin }, at)
        if (id === undefined) throw new Error(`The username ${person.username} is taken`)
        if (user !== undefined) await insertMember(db, tenantId, id, [user.id])
        emitAt(users, at, maker)('added', { userId: id, roles: ['User'] }, id)
        // Some have yet to open the link, and to a few none was sent.
        const fate = chance.below(10)
        if (fate > 2) {
          await activateDirectly(db, tenantId, id, chance.between(at, now))
          await noteSignIn(db, tenantId, id, true, chance.between(at, now))
        } else if (fate > 0) await makeActivation(house, { db, tenantId, now: at }, id)
      }
      for (const [place, { name, description, grants, daysAgo, people }] of newRoles.entries()) {
        const maker = makers[place % makers.length] ?? { name: '' }
        const at = ago(daysAgo)
        const roleId = await addRole(db, tenantId, { name, description, view: grants, menu: grants, api: grants }, at, maker.name)
        emitAt(roles, at, maker)('added', { roleId, name, view: grants, menu: grants, api: grants }, roleId)
        for (const { id } of holders.slice(place * 7, place * 7 + people)) await insertMember(db, tenantId, id, [roleId])
      }
    })
  }
}
