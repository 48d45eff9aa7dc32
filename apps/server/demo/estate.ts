// Who and what the demonstration is about: a ministry that manages, a city and a water utility. Every domain ends in .example (RFC 2606), so
// that no mail and no certificate can mean anybody real.

import type { KeyAlgorithm } from '#areas/keys/rules.ts'
import type { KeyKindName } from '#areas/templates/rules.ts'

/** `retired`: it has stopped issuing; what it issued lives on. */
export type AuthorityRole = 'people' | 'devices' | 'retired'

/** A kind of thing that has certificates. `#` in its name is a digit, `@` a place. */
export type Family = { weight: number; template: string; name: string; key: KeyKindName }

export type TenancyPlan = {
  name: string
  colour: string
  domain: string
  organisation: string
  country: string
  /** Of the people and of the certificates, out of 100. */
  share: number
  root: { name: string; key: KeyAlgorithm }
  issuing: { role: AuthorityRole; name: string; key: KeyAlgorithm }[]
  places: string[]
  departments: string[]
  families: Family[]
}

/** Certificates of people come from this template; what remains is for the families. */
export const peopleShare = 0.22

export const tenancyPlans: readonly [TenancyPlan, TenancyPlan, TenancyPlan] = [
  {
    name: 'Ministry of Infrastructure',
    colour: '#1d4ed8',
    domain: 'infrastructure.example',
    organisation: 'Ministry of Infrastructure',
    country: 'NZ',
    share: 30,
    root: { name: 'Ministry Root CA', key: 'P-384' },
    issuing: [
      { role: 'people', name: 'Ministry People CA', key: 'P-256' },
      { role: 'devices', name: 'Ministry Services CA', key: 'P-384' },
    ],
    places: ['wlg', 'akl', 'chc', 'dud'],
    departments: ['Policy', 'Roads', 'Rail', 'Finance', 'Legal', 'People', 'Digital services', 'Communications'],
    families: [
      { weight: 16, template: 'TLSServer', name: 'portal-##.@', key: 'P-256' },
      { weight: 14, template: 'TLSServer', name: 'api-##.@', key: 'P-256' },
      { weight: 6, template: 'TLSServer', name: 'mail-#.@', key: 'RSA-2048' },
      { weight: 8, template: 'TLSClient', name: 'batch-##.integration', key: 'P-256' },
      { weight: 5, template: 'TLSServer', name: 'dc-#.@.ad', key: 'RSA-2048' },
      { weight: 30, template: 'Device', name: 'laptop-####.clients', key: 'P-256' },
      { weight: 12, template: 'Device', name: 'phone-####.mobile', key: 'P-256' },
      { weight: 6, template: 'Device', name: 'printer-##.@', key: 'RSA-2048' },
    ],
  },
  {
    name: 'City of Northbridge',
    colour: '#0f766e',
    domain: 'northbridge.example',
    organisation: 'City of Northbridge',
    country: 'NZ',
    share: 40,
    root: { name: 'Northbridge Root CA', key: 'P-384' },
    issuing: [
      { role: 'people', name: 'Northbridge People CA', key: 'P-256' },
      { role: 'devices', name: 'Northbridge Devices CA', key: 'P-256' },
    ],
    places: ['town-hall', 'harbour', 'library', 'depot', 'stadium'],
    departments: [
      'Council office',
      'Libraries',
      'Parking',
      'Parks',
      'Building control',
      'Civil defence',
      'Information technology',
      'Rates',
    ],
    families: [
      { weight: 10, template: 'TLSServer', name: 'www-##.@', key: 'P-256' },
      { weight: 8, template: 'TLSServer', name: 'booking-##.@', key: 'P-256' },
      { weight: 4, template: 'TLSClient', name: 'gis-sync-#.@', key: 'P-256' },
      { weight: 14, template: 'Device', name: 'parking-meter-####.streets', key: 'P-256' },
      { weight: 12, template: 'Device', name: 'camera-###.@', key: 'P-256' },
      { weight: 8, template: 'Device', name: 'traffic-light-###.junctions', key: 'P-256' },
      { weight: 9, template: 'Device', name: 'wifi-###.@', key: 'P-256' },
      { weight: 18, template: 'Device', name: 'tablet-####.clients', key: 'P-256' },
      { weight: 5, template: 'Device', name: 'switch-##.@.net', key: 'RSA-2048' },
    ],
  },
  {
    name: 'Brightwater Utilities',
    colour: '#b45309',
    domain: 'brightwater.example',
    organisation: 'Brightwater Utilities Ltd',
    country: 'NZ',
    share: 30,
    root: { name: 'Brightwater Root CA', key: 'RSA-4096' },
    issuing: [
      { role: 'people', name: 'Brightwater People CA', key: 'P-256' },
      { role: 'devices', name: 'Brightwater Field CA 2', key: 'P-256' },
      { role: 'retired', name: 'Brightwater Field CA 1', key: 'RSA-2048' },
    ],
    places: ['north-plant', 'south-plant', 'reservoir', 'control'],
    departments: ['Operations', 'Treatment', 'Network', 'Metering', 'Customer care', 'Safety', 'Engineering', 'Procurement'],
    families: [
      { weight: 8, template: 'TLSServer', name: 'scada-##.@', key: 'P-256' },
      { weight: 6, template: 'TLSServer', name: 'historian-#.@', key: 'P-256' },
      { weight: 5, template: 'TLSClient', name: 'telemetry-##.gateway', key: 'P-256' },
      { weight: 28, template: 'Device', name: 'meter-####.field', key: 'P-256' },
      { weight: 14, template: 'Device', name: 'pump-###.@', key: 'P-256' },
      { weight: 12, template: 'Device', name: 'valve-###.@', key: 'P-256' },
      { weight: 6, template: 'Device', name: 'van-##.fleet', key: 'P-256' },
      { weight: 8, template: 'FieldDevice', name: 'logger-###.field', key: 'RSA-2048' },
    ],
  },
]

export type Fate = 'active' | 'expiring' | 'expired' | 'revoked'

export const fates: readonly { fate: Fate; weight: number }[] = [
  { fate: 'active', weight: 58 },
  { fate: 'expiring', weight: 8 },
  { fate: 'expired', weight: 24 },
  { fate: 'revoked', weight: 10 },
]

export const revocationReasons = [
  { reason: 'superseded', weight: 36, note: 'Replaced by a new certificate' },
  { reason: 'cessationOfOperation', weight: 27, note: 'Decommissioned' },
  { reason: 'affiliationChanged', weight: 16, note: 'Moved to another department' },
  { reason: 'keyCompromise', weight: 8, note: 'Device lost' },
  { reason: 'certificateHold', weight: 8, note: 'Under investigation' },
  { reason: 'privilegeWithdrawn', weight: 5, note: 'Access ended' },
] as const

/** Requests that are not certificates, for each thousand certificates. */
export const openShares = { waiting: 14, denied: 13, failed: 5, awaitingKey: 5, withdrawn: 3 } as const
export type OpenKind = keyof typeof openShares

export const denials = [
  'The name is not registered to this department',
  'There is a valid certificate for this already',
  'Ask for a shorter list of names',
  'This device has been retired',
]
