// What the editor's preview fills in where nobody has asked for anything yet: a person and a machine that could be anybody's.

import { askedValues, type PlannedTemplate, type Values } from '../plan.ts'
import type { Entity, ValueSource } from '../rules.ts'

export const sampleRecord: Values = {
  CommonName: ['Alex Example'],
  GivenName: ['Alex'],
  Surname: ['Example'],
  Email: ['alex@example.org'],
  Username: ['alex'],
  UPN: ['alex@example.org'],
  UserId: ['alex'],
  Title: ['Engineer'],
  Locality: ['Canberra'],
  SecurityIdentifier: ['S-1-5-21-1004336348-1177238915-682003330-1001'],
}

const samples: Record<ValueSource, string> = {
  CommonName: 'host.example.org',
  GivenName: 'Alex',
  Surname: 'Example',
  Email: 'alex@example.org',
  Username: 'alex',
  UPN: 'alex@example.org',
  UserId: 'alex',
  Title: 'Engineer',
  Locality: 'Canberra',
  SerialNumber: 'SN-0001',
  Organisation: 'Example Pty Ltd',
  OrganisationalUnit: 'Operations',
  StateOrProvince: 'ACT',
  Country: 'AU',
  DNS: 'host.example.org',
  IP: '192.0.2.1',
  URI: 'https://host.example.org/',
  RegisteredId: '1.3.6.1.4.1.99999.1',
  DirectoryName: 'CN=host,O=Example',
  HardwareModule: '1.3.6.1.4.1.99999:0A1B2C3D',
}

/** A value for each that the template asks somebody to type; names lie in the first domain that the template allows. */
export function sampleValues(template: PlannedTemplate, entity: Entity): Values {
  const [domain] = template.rules.allowedDomains
  const host = domain === undefined ? samples.DNS : domain.startsWith('*.') ? `host${domain.slice(1)}` : domain
  const fit = (source: ValueSource) =>
    source === 'CommonName' || source === 'DNS'
      ? host
      : source === 'URI'
        ? `https://${host}/`
        : source === 'Email' || source === 'UPN'
          ? `alex@${host}`
          : samples[source]
  return Object.fromEntries(
    askedValues(template, entity).flatMap(({ source, from, required }) => (from === 'typed' && required ? [[source, [fit(source)]]] : [])),
  )
}
