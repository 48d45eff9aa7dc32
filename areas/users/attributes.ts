// The attributes of a person in their groups: form, tabs, search, export, import, validation and permission all follow from this one table.

import * as z from 'zod'
import { fieldAccess, type FieldGroup, type FieldViewer, type Whose } from '#core/contract/field-access.ts'
import type { Permission } from '#core/contract/permission-labels.ts'
import { Line, Paragraph } from '#core/contract/shapes.ts'
import { say } from '#standards/say/say.ts'

/**
 * Where a value is kept: `account` in the account itself, `kept` beside it as text, `sealed` under the tenancy's key, `fact` is what the house finds by itself, and
 * `elsewhere` is shown by the room that has it.
 */
type Source = 'account' | 'kept' | 'sealed' | 'fact' | 'elsewhere'

export type Attribute = {
  label: string
  source: Source
  kind?: 'line' | 'text' | 'date' | 'yes' | 'choices' | 'instant'
  most?: number
  options?: readonly string[]
  /** Changing it asks for a fresh proof of who the editor is. */
  protected?: true
  /** Other names that files and directories give it. */
  synonyms?: readonly string[]
}

type Group = { title: string; read: Permission; write: Permission; sensitive?: true; fields: Readonly<Record<string, Attribute>> }

type Said = Pick<Attribute, 'label'> & Partial<Attribute>
const account = (said: Said): Attribute => ({ source: 'account', kind: 'line', ...said })
const kept = (said: Said): Attribute => ({ source: 'kept', kind: 'line', most: 120, ...said })
const sealed = (said: Said): Attribute => ({ source: 'sealed', kind: 'line', most: 120, protected: true, ...said })
const fact = (said: Said): Attribute => ({ source: 'fact', kind: 'instant', ...said })
const elsewhere = (said: Said): Attribute => ({ source: 'elsewhere', ...said })

const open = { read: 'userView', write: 'userEdit' } as const
/** Seen for a stated purpose only, which the person can read. */
const sensitive = { read: 'userSensitiveView', write: 'userSensitiveEdit', sensitive: true } as const

export const attributeGroups = {
  personal: {
    title: 'Personal details',
    ...open,
    fields: {
      givenName: account({ label: 'Given name' }),
      familyName: account({ label: 'Family name' }),
      preferredGivenName: kept({ label: 'Preferred given name', most: 80 }),
      preferredFamilyName: kept({ label: 'Preferred family name', most: 80 }),
      emailAddress: account({ label: 'E-mail address', protected: true }),
      mobile: kept({ label: 'Mobile number', most: 40, synonyms: ['mobile phone', 'cell phone'] }),
      telephoneNumber: account({ label: 'Telephone number', synonyms: ['tel', 'phone', 'telephone'] }),
      title: account({ label: 'Job title' }),
      locality: account({ label: 'Town', synonyms: ['city', 'l'] }),
      jpegPhoto: elsewhere({ label: 'Photo' }),
    },
  },
  addresses: {
    title: 'Home address',
    ...sensitive,
    fields: { residentialAddress: sealed({ label: 'Residential address', kind: 'text', most: 500 }) },
  },
  organisation: {
    title: 'Organisation',
    ...open,
    fields: {
      organisation: account({ label: 'Organisation', synonyms: ['organization', 'company', 'o'] }),
      positionHeld: kept({ label: 'Position held', synonyms: ['position'] }),
      businessAddress: kept({ label: 'Business address', kind: 'text', most: 500 }),
    },
  },
  passType: {
    title: 'Pass type',
    ...open,
    fields: {
      passType: kept({ label: 'Pass type', most: 80 }),
      cardNumber: kept({ label: 'Card number', most: 40, protected: true }),
      cardExpiryDate: kept({ label: 'Card expires on', kind: 'date', synonyms: ['card expiry date'] }),
      verifyingOfficerName: kept({ label: 'Verifying officer' }),
      verifyingOfficerPosition: kept({ label: 'Position of the verifying officer' }),
      verifyingOfficerDepartment: kept({ label: 'Department of the verifying officer' }),
      verifyingOfficerDate: kept({ label: 'Verified on', kind: 'date' }),
    },
  },
  privileges: {
    title: 'Privileges',
    ...open,
    fields: {
      signInPrivilegeStart: kept({ label: 'Sign-in privilege from', kind: 'date', protected: true }),
      signInPrivilegeEnd: kept({ label: 'Sign-in privilege until', kind: 'date', protected: true }),
      signInPrivilegeJustification: kept({ label: 'Why the privilege is needed', kind: 'text', most: 500, protected: true }),
      slipRoadAccess: kept({ label: 'Slip road access', kind: 'choices', options: ['Senate', 'House of Representatives', 'Ministerial'] }),
    },
  },
  accessGroups: { title: 'Access groups', ...open, fields: { accessGroups: elsewhere({ label: 'Access groups' }) } },
  medical: {
    title: 'Medical details',
    ...sensitive,
    fields: {
      medicalDeviceType: sealed({ label: 'Medical device' }),
      medicalDeviceLocation: sealed({ label: 'Where the device is' }),
      medicalDeviceNotes: sealed({ label: 'Notes on the device', kind: 'text', most: 1_000 }),
      patDownConsentDate: sealed({ label: 'Consented to a pat-down on', kind: 'date' }),
    },
  },
  sponsors: { title: 'Sponsors', ...open, fields: { isSponsor: fact({ label: 'Sponsors others', kind: 'yes' }) } },
  vehicles: { title: 'Vehicles', ...open, fields: { vehicleRegistration: kept({ label: 'Vehicle registration', most: 40 }) } },
  roles: { title: 'Roles', ...open, fields: { roles: elsewhere({ label: 'Roles' }) } },
  credentials: {
    title: 'Credentials',
    ...open,
    fields: {
      securityIdentifier: account({ label: 'Windows security identifier', synonyms: ['objectSid', 'SID'] }),
      csn: kept({ label: 'Card serial number', most: 80, protected: true, synonyms: ['csn'] }),
      tempCsn: kept({ label: 'Serial number of the temporary card', most: 80, protected: true, synonyms: ['tempCsn'] }),
      tempCsnExpiry: kept({ label: 'Temporary card ends on', kind: 'date', synonyms: ['tempCsnExpiry'] }),
    },
  },
  loginDetails: {
    title: 'Sign-in details',
    ...open,
    fields: {
      username: account({ label: 'Username', protected: true, synonyms: ['user name', 'login', 'sAMAccountName'] }),
      failedLogins: fact({ label: 'Failed sign-ins', kind: 'line' }),
      lastSuccessfulLogin: fact({ label: 'Last sign-in' }),
      lastFailedLogin: fact({ label: 'Last failed sign-in' }),
    },
  },
  activationDates: {
    title: 'Activation dates',
    ...open,
    fields: {
      commencementDate: kept({ label: 'Starts on', kind: 'date', synonyms: ['commencement date', 'start date'] }),
      enabledTimestamp: fact({ label: 'Enabled' }),
      disabledTimestamp: fact({ label: 'Disabled' }),
    },
  },
  directory: {
    title: 'Directory',
    ...open,
    fields: {
      distinguishedName: kept({ label: 'Distinguished name', most: 1_000 }),
      displayName: kept({ label: 'Display name', most: 200 }),
      uid: kept({ label: 'Directory user id', synonyms: ['uid'] }),
      pager: kept({ label: 'Pager', most: 80 }),
    },
  },
  metadata: {
    title: 'Record',
    ...open,
    fields: { createTimestamp: fact({ label: 'Created' }), modifyTimestamp: fact({ label: 'Last changed' }) },
  },
  savedQueries: { title: 'Saved queries', ...open, fields: { savedQueries: elsewhere({ label: 'Saved queries' }) } },
} as const satisfies Record<string, Group>

export type AttributeGroup = keyof typeof attributeGroups
export const attributeGroupNames = Object.keys(attributeGroups) as AttributeGroup[]

const groups: Readonly<Record<AttributeGroup, Group>> = attributeGroups

/** Each group in the order in which it is shown, with what it is made of, all of one type. */
export const attributeGroupList = attributeGroupNames.map((name) => ({ name, ...groups[name] }))

const all = new Map(
  attributeGroupList.flatMap(({ name: group, fields }) =>
    Object.entries(fields).map(([name, attribute]) => [name, { ...attribute, name, group }] as const),
  ),
)
export const attributeList = [...all.values()]
export const attributeNamed = (name: string) => all.get(name)
/** What people call an attribute. */
export const labelOf = (name: string): string => all.get(name)?.label ?? name
export const isSensitive = (group: AttributeGroup): boolean => groups[group].sensitive === true

const accessOf = ({ title, read, write, fields }: Group): FieldGroup => ({ title, read, write, own: 'read', fields: Object.keys(fields) })

/** The one decision about which attribute leaves the server, and which may be changed. */
export const attributeAccess = fieldAccess(Object.fromEntries(attributeGroupList.map((group) => [group.name, accessOf(group)])))

/** Of some values by name, those that the viewer may read. */
export function readableValues(viewer: FieldViewer, whose: Whose, values: Readonly<Record<string, string>>): Record<string, string> {
  const readable = attributeAccess.readable(viewer, whose)
  return Object.fromEntries(Object.entries(values).filter(([name]) => readable.has(name)))
}

const shapes = {
  line: ({ most = 120 }) => Line(most),
  text: ({ most = 500 }) => Paragraph(most).pipe(z.string().trim()),
  date: () => z.iso.date('Enter a day such as 2027-03-31'),
  yes: () => z.enum(['yes'], 'Enter yes, or leave it empty'),
  instant: () => z.iso.datetime(),
  choices: ({ options = [] }) =>
    z.string().transform((text, context) => {
      const chosen = text.split(';').map((one) => one.trim())
      const known = chosen.map((one) => options.find((option) => option.toLowerCase() === one.toLowerCase()))
      if (known.includes(undefined)) context.addIssue({ code: 'custom', message: say`Use ${options.join(', ')}, with ; between` })
      return options.filter((option) => known.includes(option)).join('; ')
    }),
} as const satisfies Record<NonNullable<Attribute['kind']>, (attribute: Attribute) => z.ZodType<string, string>>

/** Reads a value that is not empty. */
export const attributeShape = (attribute: Attribute): z.ZodType<string, string> => shapes[attribute.kind ?? 'line'](attribute)

/** What a value becomes, or why it cannot be one. An empty one takes the attribute away. */
export function readAttribute(attribute: Attribute, value: string): { value: string } | { says: string } {
  if (value.trim() === '') return { value: '' }
  const read = attributeShape(attribute).safeParse(value.trim())
  return read.success ? { value: read.data } : { says: read.error.issues[0]?.message ?? 'Enter another value' }
}
