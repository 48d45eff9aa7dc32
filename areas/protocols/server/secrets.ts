// The calls about secrets: who makes one for whom, and the page on which a SCEP challenge is shown once.

import { randomBytes, randomUUID } from 'node:crypto'
import { anonymous } from '#areas/certificates/rules.ts'
import { sealForTenant, unsealForTenant } from '#areas/keys/sealing.ts'
import { linkTo } from '#areas/mail/service.ts'
import { askedValues } from '#areas/templates/plan.ts'
import { isSource } from '#areas/templates/rules.ts'
import { findTemplate, nameOf } from '#areas/templates/service.ts'
import { findTenancy } from '#areas/tenancy/service.ts'
import { doorRefusal } from '#core/contract/access.ts'
import type { FieldFault } from '#core/contract/faults.ts'
import { to } from '#core/contract/paths.ts'
import { commonFault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { makeTenantSecret, readTenantSecret } from '#core/server/secrets.ts'
import type { Handlers, Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { encodeBase32 } from '#standards/base32/base32.ts'
import { say } from '#standards/say/say.ts'
import { revealCommands } from '../command-lines.ts'
import { protocolRoom } from '../contract.ts'
import { secretState } from '../rules.ts'
import { endSecret, findSecret, findSecretByLink, findSecretPage, insertSecret, markRevealed } from './secret-store.ts'
import { findProfile, listProfiles, type Names, type ProfileRecord, type SecretRecord } from './store.ts'
import { isFor } from './windows-policy.ts'
import { addressOf, hashOf } from './wire.ts'

type SecretCalls = Pick<
  Handlers<typeof protocolRoom>,
  'secretChoices' | 'secrets' | 'addChallenge' | 'addSecret' | 'endSecret' | 'challengePage' | 'revealChallenge'
>

export const secretPurpose = (id: string): string => `enrolment secret ${id}`

/** 120 bits, in letters and digits that are typed on a router. */
const newSecretText = (): string => encodeBase32(randomBytes(15))
const newReference = (): string => encodeBase32(randomBytes(5)).toLowerCase()

const stateOf = (row: SecretRecord, now: Date) =>
  secretState({ usesLeft: row.uses_left ?? undefined, expiresAt: row.expires_at, endedAt: row.ended_at ?? undefined }, now)

/** Without empty values; undefined with the faults where a source is none of the template's. */
async function readNames(tenancy: Tenancy, profile: ProfileRecord, names: Names): Promise<{ names: Names } | { faults: FieldFault[] }> {
  const template = await findTemplate(tenancy.db, tenancy.tenantId, profile.template_id, tenancy.now)
  if (template === undefined) return { faults: [{ field: 'profileId', says: say`The template of this profile is gone` }] }
  const asked = new Set<string>(askedValues(template, 'device').map(({ source }) => source))
  const given = Object.entries(names)
    .map(([source, values]) => [source, values.map((value) => value.trim()).filter((value) => value !== '')] as const)
    .filter(([, values]) => values.length > 0)
  const faults = given.flatMap(([source]): FieldFault[] =>
    isSource(source) && asked.has(source) ? [] : [{ field: `names.${source}`, says: say`The template has no place for this` }],
  )
  return faults.length > 0 ? { faults } : { names: Object.fromEntries(given.map(([source, values]) => [source, [...values]])) }
}

/** Refuses a secret for any name, or for any number of certificates, to who does not configure profiles: it is as good as the profile itself. */
function mustBeNarrow(viewer: Viewer, names: Names, uses: number | undefined): void {
  const permission = 'manageIntuneScepAuthConfiguration'
  if (Object.keys(names).length > 0 && uses !== undefined) return
  if (doorRefusal(viewer, { needs: permission }) !== undefined) throw commonFault('denied', { params: { permission } })
}

/** What Windows asks for is named here, never in its request; and whose certificate is a person's makes the password for it. */
async function namelessFault(tenancy: Tenancy, profile: ProfileRecord): Promise<FieldFault> {
  const template = await findTemplate(tenancy.db, tenancy.tenantId, profile.template_id, tenancy.now)
  return template !== undefined && !isFor(template, 'device')
    ? { field: 'profileId', says: say`This profile is for people, who make their passwords themselves` }
    : { field: 'names', says: say`Name the machine: Windows does not say for which names it asks` }
}

export type NewSecret = {
  profile: ProfileRecord
  name: string
  names: Names
  hours: number
  uses: number | undefined
  link?: string
  /** The person whose certificates it is for. */
  holderId?: string
  by: string
}

/** Makes and stores one. `link`: the hash of the link behind which it is shown, for which it is kept. */
export async function makeSecret(
  tenancy: Tenancy,
  house: House,
  { profile, name, names, hours, uses, link, holderId, by }: NewSecret,
): Promise<{ id: string; reference: string; text: string; expiresAt: Date }> {
  const { db, tenantId, now } = tenancy
  const id = randomUUID()
  const text = newSecretText()
  const reference = newReference()
  const expiresAt = new Date(now.getTime() + hours * 3_600_000)
  const sealed =
    link === undefined && profile.protocol !== 'cmp'
      ? undefined
      : await sealForTenant(db, house, { tenantId, purpose: secretPurpose(id), plain: Buffer.from(text), now })
  await insertSecret(tenancy, {
    tenant_id: tenantId,
    id,
    profile_id: profile.id,
    name,
    reference,
    names,
    secret_hash: hashOf(text),
    secret_sealed: sealed?.sealed ?? null,
    tenant_key_id: sealed?.tenantKeyId ?? null,
    link_hash: link ?? null,
    revealed_at: null,
    uses_left: uses ?? null,
    holder_id: holderId ?? null,
    expires_at: expiresAt,
    ended_at: null,
    created_at: now,
    created_by: by,
  })
  return { id, reference, text, expiresAt }
}

/** The secret behind a link that can be shown now; undefined for a wrong, used and ended one alike. */
async function behindLink(tenancy: Tenancy, hash: string): Promise<{ secret: SecretRecord; profile: ProfileRecord } | undefined> {
  const secret = await findSecretByLink(tenancy, hash)
  const profile = secret && (await findProfile(tenancy, secret.profile_id))
  if (secret === undefined || profile === undefined || secret.revealed_at !== null) return undefined
  return stateOf(secret, tenancy.now) === 'active' ? { secret, profile } : undefined
}

export const secretCalls: SecretCalls = {
  async secretChoices({ protocol }, { tenancy, house }) {
    const profiles = []
    for (const row of (await listProfiles(tenancy, protocol)).filter(({ enabled }) => enabled)) {
      const template = await findTemplate(tenancy.db, tenancy.tenantId, row.template_id, tenancy.now)
      if (template === undefined || !isFor(template, 'device')) continue
      const asks = askedValues(template, 'device')
      profiles.push({ profileId: row.id, name: row.name, url: addressOf(house, row), template: nameOf(template), asks })
    }
    return { profiles }
  },

  async secrets({ protocol, ...question }, { tenancy }) {
    const profiles = new Map((await listProfiles(tenancy, protocol)).map((one) => [one.id, one.name]))
    const { rows, total } = await findSecretPage(tenancy, { ...question, profileIds: [...profiles.keys()] })
    return {
      rows: rows.map((row) => ({
        id: row.id,
        protocol,
        profileName: profiles.get(row.profile_id) ?? '',
        name: row.name,
        reference: row.reference,
        names: Object.values(row.names).flat(),
        personal: row.holder_id !== null,
        state: stateOf(row, tenancy.now),
        usesLeft: row.uses_left ?? undefined,
        revealed: row.link_hash === null ? undefined : row.revealed_at !== null,
        expiresAt: row.expires_at.toISOString(),
        createdAt: row.created_at.toISOString(),
        createdBy: row.created_by,
      })),
      total,
    }
  },

  async addChallenge({ profileId, name, names, hours }, { tenancy, house, viewer, emit, fault }) {
    const profile = (await findProfile(tenancy, profileId)) ?? fault('missing')
    if (profile.protocol !== 'scep') return fault('missing')
    const read = await readNames(tenancy, profile, names)
    if ('faults' in read) return fault('invalid', { fields: read.faults })
    mustBeNarrow(viewer, read.names, 1)
    const link = makeTenantSecret('', tenancy.tenantId)
    const made = await makeSecret(tenancy, house, {
      profile,
      name,
      names: read.names,
      hours,
      uses: 1,
      link: link.hash,
      by: actorOf(viewer),
    })
    emit('secretAdded', { secretId: made.id, profileId, name }, made.id)
    const path = to(protocolRoom.screens.retrieveChallenge, { id: link.text })
    return { id: made.id, link: linkTo(house, path), expiresAt: made.expiresAt.toISOString() }
  },

  async addSecret({ profileId, name, names, hours, uses }, { tenancy, house, viewer, emit, fault }) {
    const profile = (await findProfile(tenancy, profileId)) ?? fault('missing')
    const read = await readNames(tenancy, profile, names)
    if ('faults' in read) return fault('invalid', { fields: read.faults })
    if (profile.protocol === 'windows' && Object.keys(read.names).length === 0)
      return fault('invalid', { fields: [await namelessFault(tenancy, profile)] })
    mustBeNarrow(viewer, read.names, uses)
    const made = await makeSecret(tenancy, house, { profile, name, names: read.names, hours, uses, by: actorOf(viewer) })
    emit('secretAdded', { secretId: made.id, profileId, name }, made.id)
    const { id, reference, text: secret, expiresAt } = made
    return { id, reference, secret, url: addressOf(house, profile), expiresAt: expiresAt.toISOString() }
  },

  async endSecret({ id }, { tenancy, emit, fault }) {
    if ((await findSecret(tenancy, id)) === undefined) return fault('missing')
    const name = (await endSecret(tenancy, id)) ?? fault('ended')
    emit('secretEnded', { secretId: id, name }, id)
    return {}
  },

  async challengePage({ id }, { db, now, enter, house, fault }) {
    const read = readTenantSecret('', id) ?? fault('gone')
    const { tenantId } = read
    await enter(tenantId)
    const { secret, profile } = (await behindLink({ db, tenantId, now }, read.hash)) ?? fault('gone')
    const tenancy = await findTenancy(db, tenantId)
    return {
      tenancyName: tenancy?.name ?? '',
      bannerColour: tenancy?.bannerColour ?? '',
      supportEmail: tenancy?.supportEmail ?? '',
      name: secret.name,
      url: addressOf(house, profile),
      names: Object.values(secret.names).flat(),
      expiresAt: secret.expires_at.toISOString(),
    }
  },

  async revealChallenge({ id }, { db, now, enter, actAs, emit, house, fault }) {
    const read = readTenantSecret('', id) ?? fault('gone')
    const { tenantId } = read
    await enter(tenantId)
    actAs({ userId: anonymous.id, name: anonymous.name })
    const tenancy = { db, tenantId, now }
    const { secret, profile } = (await behindLink(tenancy, read.hash)) ?? fault('gone')
    const { secret_sealed: sealed, tenant_key_id: tenantKeyId } = secret
    if (sealed === null || tenantKeyId === null || !(await markRevealed(tenancy, secret.id))) return fault('gone')
    const plain = await unsealForTenant(db, house, { tenantId, purpose: secretPurpose(secret.id), sealed, tenantKeyId })
    emit('secretShown', { secretId: secret.id, name: secret.name }, secret.id)
    const challenge = plain.toString()
    const url = addressOf(house, profile)
    return {
      challenge,
      url,
      commands: revealCommands({ url, challenge, name: Object.values(secret.names).flat()[0] ?? 'router.example.org' }),
    }
  },
}
