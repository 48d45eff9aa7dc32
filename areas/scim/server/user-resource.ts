// A person as SCIM has them (RFC 7643 4.1), and back. What is not in this table is neither told nor taken.

import { createHash } from 'node:crypto'
import * as z from 'zod'
import { readableValues, type Attribute } from '#areas/users/attributes.ts'
import { attributeNamed, readAttribute } from '#areas/users/attributes.ts'
import { presentPerson } from '#areas/users/presenter.ts'
import { fullName, type AccountFields, type Person } from '#areas/users/service.ts'
import type { FieldViewer } from '#core/contract/field-access.ts'
import { fitsFilter, readFilter } from '#standards/scim/filter.ts'
import { member, type Resource } from '#standards/scim/patch.ts'
import { schemaOf, scimPath } from '../rules.ts'
import type { LinkRecord } from './store.ts'
import { refuse } from './wire.ts'

export type Subject = {
  person: Person
  attributes: Readonly<Record<string, string>>
  link: LinkRecord
  groups: readonly { id: string; display_name: string }[]
}

/** Of what a resource says, without when it was changed: the same resource has the same tag. */
export const tagOf = (resource: Resource): string =>
  `W/"${createHash('sha256')
    .update(JSON.stringify({ ...resource, meta: undefined }))
    .digest('base64url')
    .slice(0, 22)}"`

export function presentUser(viewer: FieldViewer, origin: string, { person, attributes, link, groups }: Subject): Resource {
  const values = readableValues(viewer, 'all', { ...presentPerson(person), ...attributes })
  const organisation = values['organisation']
  const list = (...entries: (Resource | undefined)[]) => entries.filter((entry) => entry !== undefined)
  const one = (value: string | undefined, more: Resource) => (value === undefined || value === '' ? undefined : { value, ...more })
  const address = {
    ...(values['locality'] === undefined ? {} : { locality: values['locality'] }),
    ...(values['businessAddress'] === undefined ? {} : { formatted: values['businessAddress'] }),
  }
  const phones = list(one(values['telephoneNumber'], { type: 'work' }), one(values['mobile'], { type: 'mobile' }))
  const emails = list(one(values['emailAddress'], { type: 'work', primary: true }))
  const resource: Resource = {
    schemas: [schemaOf.user, ...(organisation === undefined ? [] : [schemaOf.enterprise])],
    id: person.id,
    ...(link.external_id === null ? {} : { externalId: link.external_id }),
    userName: link.user_name,
    name: { formatted: fullName(person).trim(), givenName: person.givenName, familyName: person.familyName },
    ...(values['displayName'] === undefined ? {} : { displayName: values['displayName'] }),
    ...(values['title'] === undefined ? {} : { title: values['title'] }),
    active: person.enabled,
    ...(emails.length === 0 ? {} : { emails }),
    ...(phones.length === 0 ? {} : { phoneNumbers: phones }),
    ...(Object.keys(address).length === 0 ? {} : { addresses: [{ ...address, type: 'work' }] }),
    ...(organisation === undefined ? {} : { [schemaOf.enterprise]: { organization: organisation } }),
    ...(groups.length === 0
      ? {}
      : {
          groups: groups.map(({ id, display_name }) => ({
            value: id,
            $ref: `${origin}${scimPath}/Groups/${id}`,
            display: display_name,
            type: 'direct',
          })),
        }),
  }
  return {
    ...resource,
    meta: {
      resourceType: 'User',
      created: person.createdAt.toISOString(),
      lastModified: person.modifiedAt.toISOString(),
      location: `${origin}${scimPath}/Users/${person.id}`,
      version: tagOf(resource),
    },
  }
}

export type ReadUser = {
  userName: string
  externalId: string | undefined
  /** Undefined where nothing is said of it. */
  active: boolean | undefined
  account: Omit<AccountFields, 'securityIdentifier'>
  attributes: Record<string, string>
}

const Name = z.string().trim().max(80)
const Address = z.email().max(254)
// oxlint-disable-next-line no-control-regex
const controlCharacter = /[\u0000-\u001f\u007f]/

/** Reads a whole resource; unknown attributes are left, a known one of a wrong kind is refused by its name. */
export function readUser(resource: Resource): ReadUser {
  const userName = textAt(resource, 'userName', 256)
  if (userName === '') return refuse('invalidValue', 'userName: a value is needed')
  const name = recordAt(resource, 'name')
  const displayName = textAt(resource, 'displayName', 200)
  const formatted = textAt(name, 'formatted', 200, 'name.')
  const given = textAt(name, 'givenName', 80, 'name.')
  const family = textAt(name, 'familyName', 80, 'name.')
  // Somebody without any name would be an empty line in each list.
  const called = given === '' && family === '' ? (displayName || formatted || userName.replace(/@.*$/, '')).slice(0, 80) : given
  const emailAddress = preferred(resource, 'emails') ?? (Address.safeParse(userName).success ? userName : '')
  if (emailAddress !== '' && !Address.safeParse(emailAddress).success) return refuse('invalidValue', 'emails: this is no e-mail address')
  const addresses = valuesAt(resource, 'addresses').filter((one) => textOf(one, 'type') !== 'home')
  const address = addresses.find((one) => textOf(one, 'type') === 'work') ?? addresses[0] ?? {}
  const enterprise = recordAt(resource, schemaOf.enterprise)
  const account = {
    givenName: Name.parse(called),
    familyName: Name.parse(family),
    emailAddress,
    telephoneNumber: valueOfType(resource, 'phoneNumbers', 'work', 40),
    title: textAt(resource, 'title', 80),
    locality: textAt(address, 'locality', 80, 'addresses.'),
    organisation: textAt(enterprise, 'organization', 120),
  }
  return {
    userName,
    externalId: textAt(resource, 'externalId', 256) || undefined,
    active: activeOf(member(resource, 'active')),
    account,
    attributes: {
      displayName: kept('displayName', displayName),
      mobile: kept('mobile', valueOfType(resource, 'phoneNumbers', 'mobile', 40)),
      businessAddress: kept('businessAddress', textOf(address, 'formatted')),
    },
  }
}

function kept(name: string, value: string): string {
  const attribute: Attribute | undefined = attributeNamed(name)
  if (attribute === undefined) return ''
  const read = readAttribute(attribute, value)
  return 'value' in read ? read.value : refuse('invalidValue', `${name}: ${read.says}`)
}

const recordAt = (of: Resource, name: string): Resource => {
  const value = member(of, name)
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) return refuse('invalidValue', `${name} is no object`)
  return value as Resource
}

function textAt(of: Resource, name: string, most: number, prefix = ''): string {
  const value = member(of, name)
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') return refuse('invalidValue', `${prefix}${name} is no text`)
  const text = value.trim()
  if (text.length > most) return refuse('invalidValue', `${prefix}${name}: use at most ${most} characters`)
  if (controlCharacter.test(text)) return refuse('invalidValue', `${prefix}${name}: remove the control characters`)
  return text
}

const textOf = (of: Resource, name: string): string => {
  const value = member(of, name)
  return typeof value === 'string' ? value.trim() : ''
}

/** The values of an attribute that has several; a single one is taken as well, bare or not. */
function valuesAt(of: Resource, name: string): Resource[] {
  const value = member(of, name)
  if (value === undefined || value === null) return []
  const list: unknown[] = Array.isArray(value) ? value : [value]
  if (list.length > 100) return refuse('invalidValue', `${name}: send at most 100 values`)
  return list.map((one) =>
    typeof one === 'string'
      ? { value: one }
      : typeof one === 'object' && one !== null
        ? (one as Resource)
        : refuse('invalidValue', `${name}: a value is no object`),
  )
}

const isPrimary = readFilter('primary eq true')
const isWork = readFilter('type eq "work"')

function preferred(of: Resource, name: string): string | undefined {
  const values = valuesAt(of, name).filter((one) => textOf(one, 'value') !== '')
  const chosen = values.find((one) => fitsFilter(one, isPrimary)) ?? values.find((one) => fitsFilter(one, isWork)) ?? values[0]
  return chosen === undefined ? undefined : textOf(chosen, 'value')
}

function valueOfType(of: Resource, name: string, type: 'work' | 'mobile', most: number): string {
  const values = valuesAt(of, name)
  const typed = values.find((one) => textOf(one, 'type').toLowerCase() === type)
  const chosen = typed ?? (type === 'work' ? values.find((one) => textOf(one, 'type') === '') : undefined)
  return chosen === undefined ? '' : textAt(chosen, 'value', most, `${name}.`)
}

/** Entra sends texts. */
function activeOf(value: unknown): boolean | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'boolean') return value
  if (typeof value === 'string' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  return refuse('invalidValue', 'active is neither true nor false')
}
