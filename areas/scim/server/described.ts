// What this SCIM server can, as it tells clients that ask (RFC 7643 5 to 7). Only what is taken over stands in the schemas.

import { deviceSchemas as device } from '#standards/scim/device-schemas.ts'
import type { Resource } from '#standards/scim/patch.ts'
import { endpointPaths } from '../paths.ts'
import { mostResults, schemaOf, scimPath } from '../rules.ts'

export const serviceConfig = (origin: string): Resource => ({
  schemas: [schemaOf.config],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: mostResults },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Secret of an application',
      description: 'The secret of an application of the tenancy as a bearer token (RFC 6750)',
      specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${origin}${scimPath}/ServiceProviderConfig` },
})

export const resourceTypes = (origin: string): Resource[] =>
  [
    {
      id: 'User',
      name: 'User',
      endpoint: endpointPaths.users,
      description: 'A person of the tenancy',
      schema: schemaOf.user,
      schemaExtensions: [{ schema: schemaOf.enterprise, required: false }],
    },
    {
      id: 'Group',
      name: 'Group',
      endpoint: endpointPaths.groups,
      description: 'A group of the identity provider',
      schema: schemaOf.group,
      schemaExtensions: [],
    },
    {
      id: 'Device',
      name: 'Device',
      endpoint: endpointPaths.devices,
      description: 'A device of the tenancy (RFC 9944)',
      schema: device.core,
      schemaExtensions: [device.easyConnect, device.ethernet, device.bluetooth, device.zigbee].map((schema) => ({
        schema,
        required: false,
      })),
    },
  ].map((type) => ({
    schemas: [schemaOf.resourceType],
    ...type,
    meta: { resourceType: 'ResourceType', location: `${origin}${scimPath}/ResourceTypes/${type.id}` },
  }))

type Field = { name: string; description: string } & Resource

const text = (name: string, description: string, more: Resource = {}): Field => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
})
const group = (name: string, description: string, multiValued: boolean, subAttributes: readonly Field[], more: Resource = {}): Field => ({
  name,
  type: 'complex',
  multiValued,
  description,
  required: false,
  mutability: 'readWrite',
  returned: 'default',
  subAttributes,
  ...more,
})
const yesNo = (name: string, description: string): Field => ({
  name,
  type: 'boolean',
  multiValued: false,
  description,
  required: false,
  mutability: 'readWrite',
  returned: 'default',
})
const fixed = { mutability: 'readOnly' } as const
const reference = (name: string, description: string, referenceTypes: readonly string[], more: Resource = fixed): Field =>
  text(name, description, { type: 'reference', referenceTypes, caseExact: true, ...more })

const externalId = text('externalId', 'The id at the identity provider', { caseExact: true })

export const schemas = (origin: string): Resource[] =>
  [
    {
      id: schemaOf.user,
      name: 'User',
      description: 'A person of the tenancy',
      attributes: [
        text('userName', 'The name at the identity provider', { required: true, uniqueness: 'server' }),
        group('name', 'How the person is called', false, [
          text('formatted', 'The whole name', fixed),
          text('familyName', 'The family name'),
          text('givenName', 'The given name'),
        ]),
        text('displayName', 'What the person is called in lists'),
        text('title', 'The job title'),
        yesNo('active', 'Whether the account can be used'),
        group('emails', 'The e-mail address; one is kept', true, [
          text('value', 'The address'),
          text('type', 'work', { canonicalValues: ['work'] }),
          yesNo('primary', 'Whether it is the one that is kept'),
        ]),
        group('phoneNumbers', 'One for work, one mobile', true, [
          text('value', 'The number'),
          text('type', 'work or mobile', { canonicalValues: ['work', 'mobile'] }),
        ]),
        group('addresses', 'The address of the work', true, [
          text('formatted', 'The whole address'),
          text('locality', 'The town'),
          text('type', 'work', { canonicalValues: ['work'] }),
        ]),
        group(
          'groups',
          'The groups that the person is in',
          true,
          [
            text('value', 'The id of the group', fixed),
            reference('$ref', 'The address of the group', ['Group']),
            text('display', 'The name of the group', fixed),
            text('type', 'direct', { ...fixed, canonicalValues: ['direct'] }),
          ],
          fixed,
        ),
        externalId,
      ],
    },
    {
      id: schemaOf.enterprise,
      name: 'EnterpriseUser',
      description: 'What a company adds',
      attributes: [text('organization', 'The organisation')],
    },
    {
      id: schemaOf.group,
      name: 'Group',
      description: 'A group of the identity provider',
      attributes: [
        text('displayName', 'The name of the group', { required: true, uniqueness: 'server' }),
        group('members', 'Who is in it', true, [
          text('value', 'The id of the person', { mutability: 'immutable' }),
          reference('$ref', 'The address of the person', ['User'], { mutability: 'immutable' }),
          text('type', 'User', { mutability: 'immutable', canonicalValues: ['User'] }),
        ]),
        externalId,
      ],
    },
    {
      id: device.core,
      name: 'Device',
      description: 'A device of the tenancy',
      attributes: [
        text('displayName', 'What the device is called'),
        yesNo('active', 'Whether it is in use; else it is in store'),
        externalId,
      ],
    },
    ...(
      [
        [device.easyConnect, 'Wi-Fi Easy Connect', 'serialNumber', 'The serial number by which other sources know the device, too'],
        [device.ethernet, 'Ethernet', 'deviceMacAddress', 'The MAC address'],
        [device.bluetooth, 'Bluetooth Low Energy', 'deviceMacAddress', 'The MAC address'],
        [device.zigbee, 'Zigbee', 'deviceEui64Address', 'The EUI-64 address'],
      ] as const
    ).map(([id, name, attribute, description]) => ({
      id,
      name,
      description: `What a device is known by: ${name}`,
      attributes: [text(attribute, description)],
    })),
  ].map((schema) => ({
    schemas: [schemaOf.schema],
    ...schema,
    meta: { resourceType: 'Schema', location: `${origin}${scimPath}/Schemas/${schema.id}` },
  }))
