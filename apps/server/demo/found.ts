// The ground of the demonstration: tenancies, their people and roles, two tiers of authorities, templates.

import { randomUUID } from 'node:crypto'
import { authorities } from '#areas/authorities/contract.ts'
import { changeAuthority } from '#areas/authorities/server/store.ts'
import { createAuthority } from '#areas/authorities/service.ts'
import { plantOrganisations } from '#areas/organisations/service.ts'
import { setRoles } from '#areas/roles/service.ts'
import { setup } from '#areas/setup/contract.ts'
import { makeTenancy } from '#areas/setup/service.ts'
import { templates } from '#areas/templates/contract.ts'
import { templatePresets, type TemplatePreset } from '#areas/templates/presets.ts'
import { addPreset, listTemplates, type Template } from '#areas/templates/service.ts'
import { users } from '#areas/users/contract.ts'
import { activateDirectly, addPerson, findPeople, noteSignIn, type Person } from '#areas/users/service.ts'
import { inTenant } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { chanceFrom, type Chance } from './chance.ts'
import type { AuthorityRole, TenancyPlan } from './estate.ts'
import { makePeople, type RoleKey } from './people.ts'
import { houseAt, workInThePast } from './then.ts'

export type Member = Person & { role: RoleKey }

export type FoundTenancy = {
  id: string
  plan: TenancyPlan
  members: Member[]
  /** By template name. */
  templates: Map<string, Template>
  authorityNames: Map<string, string>
  /** The one that has stopped issuing, where there is one. */
  retiredCaId: string | undefined
}

const hour = 3_600_000
const day = 24 * hour

/** The management tenancy comes first. `began` is when it all started, long ago. */
export async function foundTenancies(
  house: House,
  plans: readonly TenancyPlan[],
  people: number,
  began: Date,
  chance: Chance,
): Promise<FoundTenancy[]> {
  const taken = new Set<string>()
  const found: FoundTenancy[] = []
  for (const plan of plans) {
    const count = Math.max(8, Math.round((people * plan.share) / 100))
    const { id, members } = await settle(house, plan, { count, managedBy: found[0]?.id, began, taken, chance })
    found.push({ id, plan, members, ...(await certify(house, id, plan, members, began)) })
  }
  return found
}

type Settling = { count: number; managedBy: string | undefined; began: Date; taken: Set<string>; chance: Chance }

async function settle(
  house: House,
  plan: TenancyPlan,
  { count, managedBy, began, taken, chance }: Settling,
): Promise<{ id: string; members: Member[] }> {
  const [first, ...others] = makePeople(chance, plan, count, taken)
  if (first === undefined) throw new RangeError('A tenancy has somebody')
  const draft = {
    name: plan.name,
    kind: managedBy === undefined ? ('management' as const) : ('tenant' as const),
    managedBy,
    bannerColour: plan.colour,
    supportEmail: `support@${plan.domain}`,
  }
  const made = await house.database.transaction().execute((db) => makeTenancy(db, draft, first, began))
  if (made === undefined) throw new Error(`The username ${first.username} is taken`)
  const { tenancyId: tenantId, userId, roles } = made
  const actor = { userId, name: first.username }
  return workInThePast(house, tenantId, async ({ db, emitAt }) => {
    const byId = new Map([[userId, first.role]])
    emitAt(setup, began, actor)('tenancyAdded', { tenancyId: tenantId, userId }, tenantId)
    for (const person of others) {
      const joined = chance.between(began, new Date(began.getTime() + 20 * day))
      const id = await addPerson(db, tenantId, { ...person, origin: 'form' }, joined)
      if (id === undefined) throw new Error(`The username ${person.username} is taken`)
      await setRoles(db, tenantId, id, [roles[person.role] ?? ''])
      emitAt(users, joined, actor)('added', { userId: id, roles: [person.role] }, id)
      byId.set(id, person.role)
    }
    const now = house.now()
    for (const [id, role] of byId) {
      // A few were invited and never came.
      if (role === 'user' && chance.below(12) === 0) continue
      await activateDirectly(db, tenantId, id, began)
      await noteSignIn(db, tenantId, id, true, chance.between(new Date(now.getTime() - 40 * day), now))
    }
    await plantDepartments({ db, tenantId, now: began }, plan, [...byId.keys()])
    const people = await findPeople(db, tenantId, [...byId.keys()])
    return { id: tenantId, members: people.map((person) => ({ ...person, role: byId.get(person.id) ?? 'user' })) }
  })
}

/** Puts the departments below the organisation, a few teams below each, and every person into one of them. */
async function plantDepartments(tenancy: Tenancy, plan: TenancyPlan, userIds: readonly string[]): Promise<void> {
  const chance = chanceFrom(userIds.length)
  const root = { id: randomUUID(), parentId: undefined, name: plan.organisation, type: 'organisation' as const, country: plan.country }
  const departments = plan.departments.map((name) => ({ id: randomUUID(), parentId: root.id, name, type: 'department' as const }))
  const teams = departments.flatMap(({ id }) =>
    ['Planning', 'Service', 'Projects']
      .slice(0, 1 + chance.below(3))
      .map((name) => ({ id: randomUUID(), parentId: id, name, type: 'team' as const })),
  )
  const homes = new Map<string, string[]>()
  for (const userId of userIds) {
    const { id } = chance.pick([...departments, ...teams])
    homes.set(id, [...(homes.get(id) ?? []), userId])
  }
  const withPeople = [...departments, ...teams].map((one) => ({ ...one, people: homes.get(one.id) ?? [] }))
  await plantOrganisations(tenancy, [root, ...withPeople])
}

async function certify(
  house: House,
  tenantId: string,
  plan: TenancyPlan,
  members: readonly Member[],
  began: Date,
): Promise<Pick<FoundTenancy, 'templates' | 'authorityNames' | 'retiredCaId'>> {
  const maker = members.find(({ role }) => role === 'administrator')
  if (maker === undefined) throw new Error(`${plan.name} has no administrator`)
  const actor = { tenantId, userId: maker.id, name: maker.username }
  const at = (hours: number) => new Date(began.getTime() + hours * hour)
  const subject = (CN: string) => ({ CN, O: plan.organisation, C: plan.country })
  const root = await createAuthority(houseAt(house, at(1)), actor, {
    kind: 'root',
    friendlyName: plan.root.name,
    subject: subject(plan.root.name),
    keyAlgorithm: plan.root.key,
  })
  const caIds = new Map<AuthorityRole, string>()
  const authorityNames = new Map<string, string>()
  for (const [place, { role, name, key }] of plan.issuing.entries()) {
    const { caId } = await createAuthority(houseAt(house, at(2 + place)), actor, {
      kind: 'subordinate',
      issuerId: root.caId,
      friendlyName: name,
      subject: subject(name),
      keyAlgorithm: key,
    })
    caIds.set(role, caId)
    authorityNames.set(caId, name)
  }
  await workInThePast(house, tenantId, async ({ db, emitAt }) => {
    for (const [place, template] of demoTemplates.entries()) {
      const caId = caIds.get(template.authority)
      if (caId === undefined) continue
      const id = await addPreset(db, { tenantId, caId, preset: template, priority: place + 1, now: at(6) })
      emitAt(templates, at(6), actor)('added', { templateId: id, templateName: template.templateName, caId }, id)
    }
  })
  const listed = await inTenant(house.database, tenantId, (db) => listTemplates(db, tenantId, house.now()))
  return {
    templates: new Map(listed.map((template) => [template.templateName, template])),
    authorityNames,
    retiredCaId: caIds.get('retired'),
  }
}

/** The last act of an authority whose successor has taken over. */
export async function retire(house: House, { id: tenantId, retiredCaId, members }: FoundTenancy, at: Date): Promise<void> {
  const keeper = members.find(({ role }) => role === 'administrator')
  if (retiredCaId === undefined || keeper === undefined) return
  await workInThePast(house, tenantId, async ({ db, emitAt }) => {
    await changeAuthority(db, tenantId, retiredCaId, { issuing: false })
    emitAt(authorities, at, { userId: keeper.id, name: keeper.username })('issuingSet', { caId: retiredCaId, issuing: false }, retiredCaId)
  })
}

type DemoTemplate = TemplatePreset & { authority: AuthorityRole; accessLevel: 'OPERATOR' | 'ADMINISTRATOR'; revocationApprovers: number }

const preset = (name: string, authority: AuthorityRole, change: Partial<DemoTemplate> = {}): DemoTemplate => {
  const found = templatePresets.find(({ templateName }) => templateName === name)
  if (found === undefined) throw new Error(`There is no preset ${name}`)
  return { ...found, authority, accessLevel: 'OPERATOR', revocationApprovers: 0, ...change }
}

const user = preset('User', 'people')
const device = preset('Device', 'devices')

const demoTemplates: readonly DemoTemplate[] = [
  preset('TLSServer', 'devices', { revocationApprovers: 1 }),
  preset('TLSClient', 'devices'),
  device,
  user,
  {
    ...user,
    templateName: 'RemoteAccess',
    displayName: 'Remote access',
    says: '',
    issueApprovers: 0,
    extensions: {
      ...user.extensions,
      validityPeriod: 6,
      validityPeriodUnits: 'MONTHS',
      keyUsages: ['digitalSignature'],
      extendedUsages: ['clientAuth'],
    },
  },
  {
    ...user,
    templateName: 'CodeSigning',
    displayName: 'Code signing',
    says: '',
    accessLevel: 'ADMINISTRATOR',
    selfServiceEligible: false,
    issueApprovers: 2,
    revocationApprovers: 1,
    extensions: {
      ...user.extensions,
      certificateSans: [],
      validityPeriod: 2,
      keyUsages: ['digitalSignature'],
      extendedUsages: ['codeSigning'],
    },
  },
  {
    ...device,
    authority: 'retired',
    templateName: 'FieldDevice',
    displayName: 'Field device',
    says: '',
    extensions: { ...device.extensions, validityPeriod: 3 },
  },
]
