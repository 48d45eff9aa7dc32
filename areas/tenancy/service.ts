// What other rooms may ask of the tenancies.

import { randomBytes } from 'node:crypto'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { invalidField } from '#core/server/fault.ts'
import { checkNameText } from '#standards/lint/name-text.ts'
import { mayWorkIn, suffixOf, type TenancyKind } from './rules.ts'
import {
  allRows,
  findAddress,
  findRow,
  insertAddress,
  insertRow,
  listEnding,
  managementRow,
  rowOfSuffix,
  rowsManagedBy,
  type TenancyRow,
} from './server/store.ts'

export {
  beginRemoval,
  deleteRow as deleteTenancy,
  endRow as endTenancy,
  keepRow as keepTenancy,
  nameIsTaken,
  staysOpen,
} from './server/store.ts'

/** A name of a tenancy stands in letters and banners of others: it reads as it is written. */
export const disguiseOf = (name: string): string | undefined => checkNameText('The name', name)

export function refuseDisguised(field: string, name: string): void {
  const says = disguiseOf(name)
  if (says !== undefined) throw invalidField(field, says)
}

export type Tenancy = {
  id: string
  name: string
  kind: TenancyKind
  managedBy: string | undefined
  bannerColour: string
  supportEmail: string
  disclaimer: string
  toastTimeout: string
  timeZone: string
  usernamePattern: string
  usernameMessage: string
  /** What sign-in names end with that this tenancy alone can give. */
  signInSuffix: string
  requireSecretQuestions: boolean
  createdAt: Date
  /** When it is removed, where somebody deleted it; nobody works in it then. */
  endsAt: Date | undefined
  removingAt: Date | undefined
  endAskedBy: string
}

const fromRow = (row: TenancyRow): Tenancy => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  managedBy: row.managed_by ?? undefined,
  bannerColour: row.banner_colour,
  supportEmail: row.support_email,
  disclaimer: row.disclaimer,
  toastTimeout: row.toast_timeout,
  timeZone: row.time_zone,
  usernamePattern: row.username_pattern,
  usernameMessage: row.username_message,
  signInSuffix: row.sign_in_suffix,
  requireSecretQuestions: row.require_secret_questions,
  createdAt: row.created_at,
  endsAt: row.ends_at ?? undefined,
  removingAt: row.removing_at ?? undefined,
  endAskedBy: row.end_asked_by,
})

export async function findTenancy(db: Database, id: string): Promise<Tenancy | undefined> {
  const row = await findRow(db, id)
  return row && fromRow(row)
}

/** Whose the sign-in names are that end so. */
export const tenancyOfSuffix = async (db: Database, suffix: string): Promise<string | undefined> =>
  (await rowOfSuffix(db, suffix.toLowerCase()))?.id

/** All tenancies of the installation. A job never goes over them itself: core does (`inTenancy`). */
export async function listTenancies(db: Database): Promise<Tenancy[]> {
  return (await allRows(db)).map(fromRow)
}

/** Those that somebody deleted and that are not gone yet; with `before` those whose time has come. */
export const endingTenancies = async (db: Database, before?: Date): Promise<Tenancy[]> => (await listEnding(db, before)).map(fromRow)

export async function managementTenancy(db: Database): Promise<Tenancy | undefined> {
  const row = await managementRow(db)
  return row && fromRow(row)
}

/** The tenancies that a person of `homeId` may work in besides the own one. */
export async function managedBy(db: Database, homeId: string): Promise<Tenancy[]> {
  return (await rowsManagedBy(db, homeId)).map(fromRow)
}

/** The tenancy if a person of `home` may work in it; undefined for a missing one and for another's alike. */
export async function findWorkable(db: Database, home: Tenancy, id: string): Promise<Tenancy | undefined> {
  const target = await findTenancy(db, id)
  return target && mayWorkIn(home, target) ? target : undefined
}

export type NewTenancy = { name: string; kind: TenancyKind; managedBy: string | undefined; bannerColour: string; supportEmail?: string }

export async function addTenancy(db: Database, draft: NewTenancy, now: Date): Promise<string> {
  const id = timeOrderedId(now)
  await insertRow(db, {
    id,
    name: draft.name,
    kind: draft.kind,
    managed_by: draft.managedBy ?? null,
    banner_colour: draft.bannerColour,
    support_email: draft.supportEmail ?? '',
    disclaimer: '',
    toast_timeout: '',
    time_zone: 'UTC',
    username_pattern: '',
    username_message: '',
    sign_in_suffix: suffixOf(draft.name, randomBytes(3).toString('hex')),
    require_secret_questions: false,
    created_at: now,
    ends_at: null,
    removing_at: null,
    end_asked_by: '',
  })
  return id
}

/** Makes an address part that leads anybody to `target` in this tenancy. It is written into certificates and never changes. */
export async function addPublicAddress(db: Database, address: { tenantId: string; kind: string; target: string }): Promise<string> {
  const id = randomBytes(9).toString('base64url').replace(/^-/, '0')
  await insertAddress(db, { id, tenant_id: address.tenantId, kind: address.kind, target: address.target })
  return id
}

export async function findPublicAddress(db: Database, kind: string, id: string): Promise<{ tenantId: string; target: string } | undefined> {
  const row = await findAddress(db, kind, id)
  return row && { tenantId: row.tenant_id, target: row.target }
}
