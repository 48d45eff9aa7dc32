// What the account says of a person, as attributes.

import type { Person } from './service.ts'

const instant = (name: string, date: Date | undefined): Record<string, string> => (date === undefined ? {} : { [name]: date.toISOString() })

/** The account and what the house knows by itself, by the names of the attributes; what is empty is not there. */
export const presentPerson = (person: Person): Record<string, string> => ({
  givenName: person.givenName,
  familyName: person.familyName,
  emailAddress: person.emailAddress,
  username: person.username,
  ...Object.fromEntries(
    (['telephoneNumber', 'title', 'locality', 'organisation', 'securityIdentifier'] as const).flatMap((name) =>
      person[name] === '' ? [] : [[name, person[name]]],
    ),
  ),
  failedLogins: String(person.failedLogins),
  ...instant('lastSuccessfulLogin', person.lastSuccessfulLogin),
  ...instant('lastFailedLogin', person.lastFailedLogin),
  ...instant('createTimestamp', person.createdAt),
  ...instant('modifyTimestamp', person.modifiedAt),
  ...instant('enabledTimestamp', person.enabledAt),
  ...instant('disabledTimestamp', person.disabledAt),
})
