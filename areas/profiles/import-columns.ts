// What an import of people reads: the account, and whatever is kept beside it in the open. What is sealed comes in by hand alone.

import * as z from 'zod'
import { attributeGroups, attributeList, attributeShape } from '#areas/users/attributes.ts'
import { SecurityIdentifier, Username } from '#areas/users/rules.ts'
import { Id, Line } from '#core/contract/shapes.ts'

const { personal, organisation, credentials, loginDetails } = attributeGroups

type Column = { label: string; synonyms?: readonly string[]; required?: true; unique?: true; shape: z.ZodType<unknown, string> }

const account = {
  givenName: { label: personal.fields.givenName.label, synonyms: ['first name', 'forename'], required: true, shape: Line(80) },
  familyName: { label: personal.fields.familyName.label, synonyms: ['last name', 'surname', 'sn'], required: true, shape: Line(80) },
  emailAddress: {
    label: personal.fields.emailAddress.label,
    synonyms: ['email', 'mail'],
    required: true,
    unique: true,
    shape: z.email('Enter an e-mail address').max(254),
  },
  username: {
    label: loginDetails.fields.username.label,
    synonyms: ['user name', 'login', 'sAMAccountName'],
    unique: true,
    shape: Username,
  },
  telephoneNumber: { label: personal.fields.telephoneNumber.label, synonyms: ['tel', 'phone', 'telephone'], shape: Line(40) },
  title: { label: personal.fields.title.label, shape: Line(80) },
  locality: { label: personal.fields.locality.label, synonyms: ['city', 'l'], shape: Line(80) },
  organisation: { label: organisation.fields.organisation.label, synonyms: ['organization', 'company', 'o'], shape: Line(120) },
  securityIdentifier: {
    label: credentials.fields.securityIdentifier.label,
    synonyms: ['objectSid', 'SID'],
    unique: true,
    shape: SecurityIdentifier.removeDefault(),
  },
  roles: { label: attributeGroups.roles.fields.roles.label, shape: Line(2_000) },
  id: { label: 'Id', unique: true, shape: Id },
} as const

export const keptAttributes = attributeList.filter(({ source }) => source === 'kept')

/** The columns of the account have types of their own; those of the attributes are texts. */
export const personColumns = {
  ...account,
  ...Object.fromEntries(
    keptAttributes.map((attribute): [string, Column] => [
      attribute.name,
      { label: attribute.label, synonyms: [attribute.name, ...(attribute.synonyms ?? [])], shape: attributeShape(attribute) },
    ]),
  ),
}
export const accountColumns = account
